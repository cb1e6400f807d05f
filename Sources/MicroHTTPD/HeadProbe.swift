import CMicroHTTPD
import Glibc
import HTTPTypes

/// Sends requests to a daemon with no thread and no port, and sees what a ``HeadReading`` makes of them.
///
/// It takes a few milliseconds at most, and is used by one thread.
final class HeadProbe {
    private let reading: HeadReading
    private var target: [UInt8] = []
    private var known = KnownHeads()
    /// What became of the request; nil when the library refused it, or waits for more.
    private var verdict: Result<AuditedHead, Refusal>?

    private init(_ reading: HeadReading) { self.reading = reading }

    /// What a way of reading lets through or misreads, in a few words; nil where it can be trusted.
    static func fault(of reading: HeadReading) -> String? {
        let probe = HeadProbe(reading)
        var callbacks = dbr_callbacks(
            self: Unmanaged.passUnretained(probe).toOpaque(), target: probeTarget, request: probeRequest,
            completed: { _, _, _, _ in }, connection: { _, _, _, _ in }, log: { _, _ in })
        return withUnsafeMutablePointer(to: &callbacks) { callbacks in
            var settings = dbr_daemon_settings()
            settings.connection_limit = 4
            settings.pool_bytes = Limits().pool
            settings.is_strict = reading.isLibraryStrict
            guard let daemon = dbr_start(callbacks, settings) else { return "it does not start" }
            defer { MHD_stop_daemon(daemon) }
            return probe.fault(of: daemon)
        }
    }

    private func fault(of daemon: OpaquePointer) -> String? {
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

    /// Each could hide a second request from one of two readers (RFC 9112, sections 2.2, 5 and 6).
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
    private func ask(_ request: String, _ daemon: OpaquePointer) -> Result<AuditedHead, Refusal>? {
        verdict = nil
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        defer {
            close(ends[0])
            MHD_run(daemon)
        }
        let bytes = Array(request.utf8)
        // All of it fits the socket, and the library reads it at once.
        guard send(ends[0], bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            close(ends[1])
            return nil
        }
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        // The library closes its end, whatever happens.
        MHD_add_connection(daemon, ends[1], &address, socklen_t(MemoryLayout<sa_family_t>.size))
        var byte: UInt8 = 0
        // It reads a kilobyte in each run; what it refuses by itself it answers.
        for _ in 0..<32 where verdict == nil && recv(ends[0], &byte, 1, Int32(MSG_DONTWAIT)) < 0 {
            MHD_run(daemon)
        }
        return verdict
    }

    fileprivate func take(_ target: UnsafePointer<CChar>) { reading.take(target, into: &self.target) }

    fileprivate func judge(
        _ connection: OpaquePointer, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>
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

private func probe(_ box: UnsafeMutableRawPointer?) -> HeadProbe? {
    box.map { Unmanaged<HeadProbe>.fromOpaque($0).takeUnretainedValue() }
}

/// The request line is there.
private func probeTarget(
    _ box: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    if let target { probe(box)?.take(target) }
    return nil
}

/// The head is there; the connection is closed on it.
private func probeRequest(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    if let connection, let method, let version { probe(box)?.judge(connection, method, version) }
    return .NO
}
