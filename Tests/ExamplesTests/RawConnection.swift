import Dispatch
import Glibc

/// A TCP connection to a port of this machine, with blocking calls.
final class RawConnection: Sendable {
    struct Refused: Error {}

    private let socket: Int32

    init(port: UInt16) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            Glibc.close(socket)
            throw Refused()
        }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { Glibc.close(socket) }

    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// What comes next; empty at the end.
    func read() -> String {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    func readAll() -> String {
        var all = ""
        while true {
            let next = read()
            guard !next.isEmpty else { return all }
            all += next
        }
    }

    /// Sends a request; false when there is no answer any more.
    func ask(_ request: String) -> Bool { send(request) && !read().isEmpty }

    /// Ends both directions; whoever reads is woken.
    func close() { shutdown(socket, Int32(SHUT_RDWR)) }
}

/// Blocking work on a thread of its own.
enum Thread {
    static func run(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "test.thread").async(execute: work)
    }

    static func value<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in run { continuation.resume(returning: work()) } }
    }
}
