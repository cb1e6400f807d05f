import Dispatch
import Glibc
import TestSupport

/// Is between a server and whoever asks it, and keeps what the server is sent, byte for byte.
final class Recorder: Sendable {
    let port: Int
    private let target: Int
    private let listener: Int32
    private let sent = Observed<[UInt8]>([])

    /// Listens, and hands on to a server on this machine.
    init(before target: Int) throws {
        self.target = target
        port = try freePort()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, listen(listener, 16) == 0 else { throw RawClient.Failure.system("bind", errno) }
        let sent = sent
        DispatchQueue(label: "recorder").async {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                Self.relay(client, to: target, sent)
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The one request that came since the last that was taken, as soon as it is whole.
    func takeRequest() async throws -> Message {
        let bytes = try await sent.wait { Message(request: $0) != nil }
        sent.change { $0 = [] }
        guard let message = Message(request: bytes) else {
            throw RawClient.Failure.malformed("what the server was sent is no request")
        }
        return message
    }

    private static func relay(_ client: Int32, to target: Int, _ sent: Observed<[UInt8]>) {
        guard let server = try? RawClient(target, timeout: 600) else {
            close(client)
            return
        }
        let both = DispatchGroup()
        DispatchQueue(label: "recorder.up").async(group: both) {
            copy(from: client, to: server.descriptor) { bytes in sent.change { $0 += bytes } }
        }
        DispatchQueue(label: "recorder.down").async(group: both) {
            copy(from: server.descriptor, to: client) { _ in }
        }
        // A server may close before it has read a body, which is recorded all the same; and a descriptor that was
        // closed earlier would be somebody else's.
        both.notify(queue: DispatchQueue(label: "recorder.end")) {
            close(client)
            server.close()
        }
    }

    /// Copies until one side ends, of which the other is told.
    private static func copy(from source: Int32, to target: Int32, _ see: ([UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            see(Array(buffer[..<count]))
            var start = 0
            while start < count {
                let written = buffer.withUnsafeBytes {
                    send(target, $0.baseAddress! + start, count - start, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { break }
                start += written
            }
        }
        shutdown(target, Int32(SHUT_WR))
    }
}
