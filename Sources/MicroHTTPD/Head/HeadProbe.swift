import CMicroHTTPD

/// Tests whether a ``HeadLayout`` is right, by sending requests to a daemon without thread and port.
///
/// It takes a few milliseconds. Use it on one thread.
final class HeadProbe {
    private struct Outcome {
        /// Nil if the library refused the request or waits for more bytes.
        var verdict: Result<AuditedHead, Refusal>?
        var body: [UInt8] = []
        /// True if the library found the end of the body.
        var isComplete = false
        var answer: [UInt8] = []

        func isTaken(with body: String) -> Bool { isComplete && self.body.elementsEqual(body.utf8) }
    }

    private let layout: HeadLayout
    private var target: [UInt8] = []
    private var known = KnownHeads()
    private var outcome = Outcome()

    private init(_ layout: HeadLayout) { self.layout = layout }

    /// Which test head is accepted or read wrongly if heads are read by this layout; nil if none is.
    static func fault(of layout: HeadLayout) -> String? {
        let probe = HeadProbe(layout)
        let callbacks = LibraryDaemon.Callbacks()
        callbacks.pointer.initialize(to: probe.callbacks)
        return withExtendedLifetime((probe, callbacks)) {
            let daemon = LibraryDaemon(
                callbacks, connectionLimit: 4, poolBytes: Limits().pool, isStrict: layout.isLibraryStrict)
            guard let daemon else { return "it does not start" }
            defer { daemon.stop() }
            return probe.fault(of: daemon)
        }
    }

    private func fault(of daemon: LibraryDaemon) -> String? {
        for clean in CleanHead.all {
            let outcome = ask(clean.text + "hello", daemon)
            guard case .success(let head)? = outcome.verdict, clean.isRead(as: head),
                outcome.isTaken(with: "hello")
            else { return "a clean head is not read as it was sent" }
        }
        for (name, lines) in Self.unclean {
            if case .success? = ask(Self.request(lines), daemon).verdict { return "it lets \(name) through" }
        }
        // Trailing white space is not part of a value (RFC 9110, section 5.5): both must ignore it, or refuse.
        for (name, lines, body) in Self.blank {
            let outcome = ask(Self.request(lines) + body, daemon)
            guard case .success(let head)? = outcome.verdict else { continue }
            guard head.framing != .none, outcome.isTaken(with: "hello") else { return "it misreads \(name)" }
        }
        for blank in [" ", "\t"] {
            let outcome = ask(Self.request("Content-Length: 5\r\nExpect: 100-continue\(blank)"), daemon)
            guard case .success(let head)? = outcome.verdict else { continue }
            guard head.expectsContinue, outcome.answer.starts(with: "HTTP/1.1 100 ".utf8) else {
                return "it misreads white space behind an expectation"
            }
        }
        return nil
    }

    private static func request(_ lines: String) -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n"
    }

    /// Heads for request smuggling, in which one of two parsers finds a second request (RFC 9112, section 11.2).
    private static let unclean = [
        ("a space before a colon", "Content-Length : 5"),
        ("a folded line", "X: y\r\n Content-Length: 5"),
        ("a NUL in a value", "X: y\0Content-Length: 5"),
        ("a NUL in a name", "Content\0-Length: 5"),
        ("lines of NULs", "X: y\0\0Content-Length\0 5"),
        ("a bare line feed", "X: y\nContent-Length: 5"),
        ("a bare line feed behind a space", "X: y \nContent-Length: 5"),
        ("a bare carriage return", "X: y\rContent-Length: 5"),
        ("two lengths", "Content-Length: 5\r\nContent-Length: 6"),
        ("a length that is a list", "Content-Length: 5, 5"),
        ("a length with a coding", "Content-Length: 5\r\nTransfer-Encoding: chunked"),
        ("two codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
        ("an unknown coding", "Transfer-Encoding: xchunked"),
        ("a second Host", "Host: b"),
        ("a line without a colon", "Content-Length"),
    ]

    private static let blank = [
        ("a space behind a coding", "Transfer-Encoding: chunked ", "5\r\nhello\r\n0\r\n\r\n"),
        ("a tab behind a coding", "Transfer-Encoding: chunked\t\r\nX: y", "5\r\nhello\r\n0\r\n\r\n"),
        ("a space behind a length", "Content-Length: 5  \r\nX: y", "hello"),
        ("a tab behind a length", "Content-Length: 5\t", "hello"),
    ]

    private func ask(_ request: String, _ daemon: LibraryDaemon) -> Outcome {
        outcome = Outcome()
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return outcome }
        defer {
            close(ends[0])
            daemon.run()
        }
        let bytes = Array(request.utf8)
        // The request fits the socket's buffer, and the library reads it without waiting.
        guard send(ends[0], bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            close(ends[1])
            return outcome
        }
        daemon.add(ends[1])
        var answer = [UInt8](repeating: 0, count: 64)
        var count = -1
        // The library reads 1 KB in each run. The loop ends when it has answered or closed the connection.
        for _ in 0..<32 where count < 0 {
            daemon.run()
            count = recv(ends[0], &answer, answer.count, Int32(MSG_DONTWAIT))
        }
        outcome.answer = Array(answer.prefix(max(0, count)))
        return outcome
    }

    /// The library's callbacks; they must live longer than the daemon.
    private var callbacks: dbr_callbacks {
        var own = dbr_callbacks(
            self: Unmanaged.passUnretained(self).toOpaque(), target: nil, request: nil, completed: nil,
            connection: nil, log: nil)
        own.target = { box, target, _ in
            if let box, let target {
                HeadLayout.take(
                    target, into: &Unmanaged<HeadProbe>.fromOpaque(box).takeUnretainedValue().target)
            }
            return nil
        }
        // Called with the head, then with each part of the body, then at the end of the request.
        own.request = { box, connection, _, method, _, data, size, context in
            guard let box, let connection, let method, let size, let context else { return .NO }
            let probe = Unmanaged<HeadProbe>.fromOpaque(box).takeUnretainedValue()
            if context.pointee == nil {
                context.pointee = box
                return probe.judge(LibraryConnection(connection), method) ? .YES : .NO
            }
            guard size.pointee > 0 else {
                probe.outcome.isComplete = true
                return .NO
            }
            probe.outcome.body += UnsafeRawBufferPointer(start: data, count: size.pointee)
            size.pointee = 0
            return .YES
        }
        own.completed = { _, _, _, _ in }
        own.connection = { _, _, _, _ in }
        own.log = { _, _ in }
        return own
    }

    /// Runs the audit on the head; returns false if it is refused.
    private func judge(_ connection: LibraryConnection, _ method: UnsafePointer<CChar>) -> Bool {
        do throws(Refusal) {
            outcome.verdict = .success(
                try layout.audit(
                    connection, method: method, target: target, scheme: "http", limits: Limits(),
                    known: &known))
            return true
        } catch {
            outcome.verdict = .failure(error)
            return false
        }
    }

    /// A valid head, whose parts must be read unchanged.
    private struct CleanHead {
        let method: String
        let target: String
        let fields: [(name: String, value: String)]

        /// With and without a query, which is cut off; one head is longer than the library's first buffer; there the
        /// body overwrites the head's last bytes.
        static let all = [
            CleanHead(method: "GET", target: "/", fields: []),
            CleanHead(
                method: "POST", target: "/a/%20?b=c&&d?",
                fields: [("X-Y", "a  b\tc"), ("x-y", ""), ("Z", "\u{FC}")]),
            CleanHead(
                method: "BREW", target: "/?",
                fields: [("Cookie", "a=b; c"), ("X", String(repeating: "x", count: 17_000))]),
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
