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

    /// Logs what the library says, at most one line a second: some messages come once for every broken request.
    func logLibrary(_ message: String) {
        if own.value.daemon == nil {
            own.value.startProblem = own.value.startProblem ?? message
            return
        }
        let now = Loop.now
        // The library's messages where we close a connection whose caller has left.
        let isOurs =
            message.hasPrefix("Application reported internal error")
            || message.contains("application error generating response")
        guard now - own.value.lastLog >= 1000, !isOurs else { return }
        own.value.lastLog = now
        // Its messages for a head that does not fit a connection's memory; they do not say of which request.
        if message.contains("in memory pool") || message.contains("in pool")
            || message.contains("HTTP response code is 431")
            || message.contains("HTTP response code is 414")
        {
            return server.logger.warning(
                """
                a request was refused: its head does not fit the \(server.limits.pool >> 10) KB of memory that a \
                connection has; raise that with --memory-per-connection (Limits.pool), or send less in the query \
                and in cookies
                """)
        }
        // Its message for any handshake that fails.
        if message.contains("received handshake message out of context") {
            server.logger.notice(
                """
                a caller broke off its TLS handshake: it may not trust the certificate, speak plain http, or know \
                neither TLS 1.2 nor 1.3
                """)
        } else if message.contains("Request malformed") || message.contains("NUL character in the request") {
            server.logger.notice(
                """
                a caller sent what is no HTTP request: it may speak TLS, as for https, to a port that serves http; open \
                http://…, or serve https by --cert and --key
                """)
        } else if let code = message.firstRange(of: "HTTP response code is ")?.upperBound {
            server.logger.notice(
                "a request was refused with status \(message[code...].prefix(3)): it is no valid HTTP/1.1 (libmicrohttpd)"
            )
        } else {
            server.logger.notice("libmicrohttpd: \(message)")
        }
    }
}
