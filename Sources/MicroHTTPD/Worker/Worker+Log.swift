import EventLoop
import HTTPTypes
import Logging

// What a worker logs: each kind of line at most once a second.
extension Worker {
    /// The 503 where the memory for bodies has no room; logs how to give it more.
    func noRoom(_ what: String) -> Answer {
        let megabytes = server.bodyMemory.limit >> 20
        logShortage(
            .warning,
            """
            \(what) was refused: the bodies of all requests may take \(megabytes) MB together; raise that with \
            --memory-for-bodies (Limits.memoryForBodies)
            """)
        return server.refuse(
            Refusal(
                .serviceUnavailable, NoRoom(limit: server.bodyMemory.limit).description, [.retryAfter: "1"]))
    }

    /// Logs that there is no room, at most once a second.
    func logShortage(_ level: Logger.Level, _ message: String) {
        guard Loop.now - own.value.lastShortageLog >= 1000 else { return }
        own.value.lastShortageLog = Loop.now
        server.logger.log(level: level, "\(message)")
    }

    /// Answers in our form a head that the library is about to refuse in its own, for some of them twice.
    ///
    /// It tells the status, and not whose request it is: one whose head is whole and did not come to `begin`, else one
    /// whose head may be coming. Where those are several, the library's answer goes out.
    private func answer(_ refusal: Refusal) {
        var (reading, isSure): ([Connection], Bool) = ([], true)
        for connection in own.value.connections.values where !connection.own.value.isCut {
            switch connection.own.value.stage {
            case .body: isSure = false
            // This status comes behind a request line.
            case .idle where refusal.status == .requestHeaderFieldsTooLarge, .busy, .sending: break
            case .handshake, .idle, .head: reading.append(connection)
            }
        }
        let whole = reading.first { $0.handle.headSize > 0 }
        guard let caller = whole ?? (isSure && reading.count == 1 ? reading[0] : nil) else { return }
        caller.cut(saying: server.refuse(caller.refused(refusal)).written)
    }

    /// Logs what the library says, at most one line a second: some messages come once for every broken request.
    func logLibrary(_ message: String) {
        if own.value.daemon == nil {
            own.value.startProblem = own.value.startProblem ?? message
            return
        }
        let code = message.firstRange(of: "HTTP response code is ")?.upperBound
        let status = code.flatMap { Int(message[$0...].prefix(3)) }.map { HTTPResponse.Status(code: $0) }
        let isTooLong = status == .uriTooLong || status == .requestHeaderFieldsTooLarge
        if isTooLong, let status { answer(.tooLong(limits.pool, status)) }
        let now = Loop.now
        // The library's messages where we close a connection whose caller has left.
        let isOurs =
            message.hasPrefix("Application reported internal error")
            || message.contains("application error generating response")
        guard now - own.value.lastLog >= 1000, !isOurs else { return }
        own.value.lastLog = now
        // Its other messages for a head that does not fit are about its memory.
        if isTooLong || message.contains("memory") && message.contains("pool") {
            return server.logger.warning("a request was refused: \(Refusal.tooLong(limits.pool).message)")
        }
        let text =
            Self.explained.first { message.contains($0.key) }?.value
            ?? status.map {
                "a request was refused with status \($0.code): it is not valid HTTP/1.1 (libmicrohttpd)"
            }
            ?? "libmicrohttpd: \(message)"
        server.logger.notice("\(text)")
    }

    /// Parts of the library's messages, and what they say in our words.
    private static let explained: KeyValuePairs = [
        // Its message for any handshake that fails.
        "received handshake message out of context": """
        a caller broke off its TLS handshake: it may not trust the certificate, speak plain http, or know neither \
        TLS 1.2 nor 1.3
        """,
        "Request malformed": notHTTP, "NUL character in the request": notHTTP,
    ]
    private static let notHTTP = """
        a caller sent what is not an HTTP request: it may speak TLS, as for https, to a port that serves http; open \
        http://…, or serve https by --cert and --key
        """
}
