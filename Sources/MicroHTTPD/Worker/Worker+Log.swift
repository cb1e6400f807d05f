// A worker's log lines; each kind is logged at most once a second.
extension Worker {
    /// The 503 for a body above the memory limit; logs how to raise the limit.
    func noRoom(_ what: String) -> Answer {
        let megabytes = server.bodyMemory.limit >> 20
        logShortage(
            .warning,
            """
            \(what) was refused: the limit for the bodies of all requests is \(megabytes) MB; raise it with \
            --memory-for-bodies (Limits.memoryForBodies)
            """)
        return server.refuse(
            Refusal(
                .serviceUnavailable, NoRoom(limit: server.bodyMemory.limit).description, [.retryAfter: "1"]))
    }

    /// Logs a shortage of memory, descriptors or connections, at most once a second.
    func logShortage(_ level: Logger.Level, _ message: String) {
        guard Loop.now - own.value.lastShortageLog >= 1000 else { return }
        own.value.lastShortageLog = Loop.now
        server.logger.log(level: level, "\(message)")
    }

    /// Answers a bad head with a refusal of ours, before the library sends its own (some of those twice).
    ///
    /// The library's log message has the status, but not the connection. It is the one with a complete head for which
    /// `begin` was not called; else the only one whose head may be arriving. If there are several, the library's
    /// response is sent.
    private func answer(_ refusal: Refusal) {
        var (reading, isSure): ([Connection], Bool) = ([], true)
        for connection in own.value.connections.values where !connection.own.value.isCut {
            switch connection.own.value.stage {
            case .body: isSure = false
            // The library uses 431 only after the request line, so an idle connection cannot be the one.
            case .idle where refusal.status == .requestHeaderFieldsTooLarge, .busy, .sending: break
            case .handshake, .idle, .head: reading.append(connection)
            }
        }
        let whole = reading.first { $0.handle.headSize > 0 }
        guard let caller = whole ?? (isSure && reading.count == 1 ? reading[0] : nil) else { return }
        caller.cut(saying: server.refuse(caller.refused(refusal)).written)
    }

    /// Logs a message of libmicrohttpd, at most one a second: some are repeated for every malformed request.
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
        // Messages that the library logs if the engine makes it close a connection; they are not errors.
        let isOurs =
            message.hasPrefix("Application reported internal error")
            || message.contains("application error generating response")
        guard now - own.value.lastLog >= 1000, !isOurs else { return }
        own.value.lastLog = now
        // If a head does not fit, the library also logs messages about its memory pool.
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

    /// Parts of the library's messages, with the text that is logged instead.
    private static let explained: KeyValuePairs = [
        // libmicrohttpd logs this text for every failed handshake.
        "received handshake message out of context": """
        a client aborted its TLS handshake: it may not trust the certificate, speak plain http, or support neither \
        TLS 1.2 nor 1.3
        """,
        "Request malformed": notHTTP, "NUL character in the request": notHTTP,
    ]
    private static let notHTTP = """
        a client sent bytes that are not an HTTP request: perhaps TLS (https), but this port serves http; open \
        http://…, or serve https with --cert and --key
        """
}
