import Glibc
import MicroHTTPD
import TestSupport

/// The end of an upstream that takes nothing until it is drained.
///
/// What changes is in a box: that makes it Sendable.
final class FullEnd: TunnelEnd, Sendable {
    let descriptor: Int32
    private let peer: Int32
    private let takesBytes: Bool
    /// Whether there was room when it was told that nothing more comes; nil before.
    let hadRoom = Box<Bool?>(nil)

    /// - Parameter takesBytes: true when bytes find a place where the system says that there is no room.
    init(takesBytes: Bool) throws {
        var pair: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else {
            throw RawClient.Failure.system("socketpair", errno)
        }
        (descriptor, peer) = (pair[0], pair[1])
        self.takesBytes = takesBytes
        let piece = [UInt8](repeating: 0, count: 4096)
        while Glibc.send(descriptor, piece, piece.count, Int32(MSG_DONTWAIT)) > 0 {}
    }

    deinit { Glibc.close(peer) }

    /// Ends what comes from the upstream.
    func endUpstream() { shutdown(peer, Int32(SHUT_WR)) }

    /// Lets the upstream take all that it can get.
    func drain() {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while recv(peer, &piece, piece.count, Int32(MSG_DONTWAIT)) > 0 {}
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    }

    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Int {
        takesBytes
            ? bytes.count
            : Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }

    func finishSending() {
        var look = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let isReady = poll(&look, 1, 0) == 1
        hadRoom.change { $0 = isReady }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() { Glibc.close(descriptor) }
}
