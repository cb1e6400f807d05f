import Dispatch
import Glibc

/// A server of its own that keeps requests as they came, and answers with exactly the bytes that it is told.
///
/// No gateway is in it, whose own ports `$forward` does not ask.
package final class PlainSite: Sendable {
    /// Gets a whole request, and sends as much as it wants.
    package typealias Answer = @Sendable (_ request: String, _ send: (String) -> Void) -> Void

    /// All requests so far, bodies included.
    package let requests = Observed<[String]>([])
    package let port: Int
    private let listener: Int32

    /// Serves on a free port of an IPv4 address of this machine.
    package init(_ host: String = "127.0.0.1", answer: @escaping Answer) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 128) == 0
                    ? getsockname(listener, address, &size) : -1
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard code == 0 else { throw RawClient.Failure.system("listen", errno) }
        let requests = requests
        DispatchQueue(label: "site").async {
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard connection >= 0 else { break }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                DispatchQueue(label: "site.connection").async {
                    Self.serve(connection, requests, answer)
                    close(connection)
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Always the same answer.
    package convenience init(_ host: String = "127.0.0.1", answering text: String) throws {
        try self.init(host) { _, send in send(text) }
    }

    /// An answer of one piece.
    package static func answer(_ body: String, _ lines: String..., status: String = "200 OK") -> String {
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + lines
        return head.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }

    private static func serve(_ connection: Int32, _ requests: Observed<[String]>, _ answer: Answer) {
        var bytes: [UInt8] = []
        while let request = request(connection, &bytes) {
            requests.change { $0.append(request) }
            answer(request) { text in
                let bytes = Array(text.utf8)
                var sent = 0
                while sent < bytes.count {
                    let count = bytes.withUnsafeBytes {
                        send(connection, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
                    }
                    guard count > 0 else { return }
                    sent += count
                }
            }
        }
    }

    /// The next request, with its body; nil at the end.
    private static func request(_ connection: Int32, _ bytes: inout [UInt8]) -> String? {
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                let head = text[..<end.upperBound]
                let body = text[end.upperBound...]
                if head.contains("\r\nTransfer-Encoding: chunked\r\n") {
                    if let last = body.firstRange(of: "0\r\n\r\n") {
                        bytes = Array(body[last.upperBound...].utf8)
                        return String(text[..<last.upperBound])
                    }
                } else {
                    let length =
                        head.firstMatch(of: /\r\nContent-Length: ([0-9]+)\r\n/).flatMap { Int($0.1) } ?? 0
                    if body.utf8.count >= length {
                        bytes = Array(body.utf8.dropFirst(length))
                        return String(head) + String(decoding: body.utf8.prefix(length), as: UTF8.self)
                    }
                }
            }
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
    }
}
