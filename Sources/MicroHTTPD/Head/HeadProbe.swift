import Glibc
import HTTPTypes

/// Sends requests to a daemon with no thread and no port, and sees what a ``HeadReading`` makes of them.
///
/// It takes a few milliseconds at most, and is used by one thread.
final class HeadProbe {
    private let reading: HeadReading
    private var target: [UInt8] = []
    private var known = KnownHeads()
    /// The verdict on the request; nil when the library refused it, or waits for more.
    private var verdict: Result<AuditedHead, Refusal>?

    private init(_ reading: HeadReading) { self.reading = reading }

    /// What a way of reading lets through or misreads, in a few words; nil where it can be trusted.
    static func fault(of reading: HeadReading) -> String? {
        let probe = HeadProbe(reading)
        let callbacks = LibraryDaemon.Callbacks()
        callbacks.call(probe)
        return withExtendedLifetime((probe, callbacks)) {
            let daemon = LibraryDaemon(
                callbacks, connectionLimit: 4, poolBytes: Limits().pool, isStrict: reading.isLibraryStrict)
            guard let daemon else { return "it does not start" }
            defer { daemon.stop() }
            return probe.fault(of: daemon)
        }
    }

    private func fault(of daemon: LibraryDaemon) -> String? {
        for clean in CleanHead.all {
            guard case .success(let head)? = ask(clean.text, daemon), clean.isRead(as: head) else {
                return "a clean head is not read as it was sent"
            }
        }
        for (name, text) in Self.unclean {
            if case .success? = ask(text, daemon) { return "it lets \(name) through" }
        }
        return nil
    }

    /// Unclean heads, each of which could hide a second request from one of two readers (RFC 9112, sections 2.2, 5, 6).
    private static let unclean = [
        ("a space before a colon", "Content-Length : 5"),
        ("a folded line", "X: y\r\n Content-Length: 5"),
        ("a NUL in a value", "X: y\0Content-Length: 5"),
        ("a NUL in a name", "Content\0-Length: 5"),
        ("a bare line feed", "X: y\nContent-Length: 5"),
        ("a bare carriage return", "X: y\rContent-Length: 5"),
        ("two lengths", "Content-Length: 5\r\nContent-Length: 6"),
        ("a length that is a list", "Content-Length: 5, 5"),
        ("a length beside a coding", "Content-Length: 5\r\nTransfer-Encoding: chunked"),
        ("an unknown coding", "Transfer-Encoding: xchunked"),
        ("a second Host", "Host: b"),
        ("a line without a colon", "Content-Length"),
        ("a space behind a coding", "Transfer-Encoding: chunked "),
        ("a tab behind a coding", "Transfer-Encoding: chunked\t"),
        ("a space behind a length", "Content-Length: 5 "),
        ("a tab behind a length", "Content-Length: 5\t"),
        ("a space behind an expectation", "Content-Length: 5\r\nExpect: 100-continue "),
        ("a tab behind an expectation", "Content-Length: 5\r\nExpect: 100-continue\t"),
    ].map { name, lines in (name, "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n") }

    /// Lets the library read a request, and gives the verdict.
    private func ask(_ request: String, _ daemon: LibraryDaemon) -> Result<AuditedHead, Refusal>? {
        verdict = nil
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        defer {
            close(ends[0])
            daemon.run()
        }
        let bytes = Array(request.utf8)
        // All of it fits the socket, and the library reads it at once.
        guard send(ends[0], bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            close(ends[1])
            return nil
        }
        daemon.add(ends[1])
        var byte: UInt8 = 0
        // The library reads a kilobyte in each run; where it refuses the head itself, its answer ends the loop.
        for _ in 0..<32 where verdict == nil && recv(ends[0], &byte, 1, Int32(MSG_DONTWAIT)) < 0 {
            daemon.run()
        }
        return verdict
    }

    /// Takes the target, when the request line has come.
    func take(_ target: UnsafePointer<CChar>) { reading.take(target, into: &self.target) }

    /// Audits the head, when it has come.
    func judge(
        _ connection: LibraryConnection, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>
    ) {
        verdict = Result { () throws(Refusal) in
            try reading.audit(
                connection, method: method, target: target, version: version, scheme: "http",
                limits: Limits(), known: &known)
        }
    }
}

extension HeadProbe {
    /// A head that must be read as it was sent.
    private struct CleanHead {
        let method: String
        let target: String
        let fields: [(name: String, value: String)]

        /// With and without a query, which is cut off; short, and longer than the library's first buffer.
        static let all = [
            CleanHead(method: "GET", target: "/", fields: []),
            CleanHead(
                method: "POST", target: "/a/%20?b=c&&d?",
                fields: [("X-Y", "a  b\tc"), ("x-y", ""), ("Z", "\u{FC}")]),
            CleanHead(
                method: "BREW", target: "/?",
                fields: [("Cookie", "a=b; c"), ("X", String(repeating: "x", count: 9000))]),
        ]

        var text: String {
            let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
            return "\(method) \(target) HTTP/1.1\r\nHost: host:80\r\n\(lines)Content-Length: 5\r\n\r\n"
        }

        func isRead(as head: AuditedHead) -> Bool {
            head.request.method.rawValue == method && head.request.path == target
                && head.request.authority == "host:80" && head.framing == .length(5)
                && head.request.headerFields.map(\.name.rawName) == fields.map(\.name)
                && head.request.headerFields.map(\.value) == fields.map(\.value)
        }
    }
}
