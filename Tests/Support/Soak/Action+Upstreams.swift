import TestSupport

/// What goes to a server behind the gateway, by plain HTTP or by TLS.
extension Action {
    static let upstreams = [
        Action("an upstream's body", 400) { caller in
            let count = caller.size()
            let kind = caller.dice.roll(2) == 0 ? "bytes" : "chunks"
            try caller.ask(
                "GET \(caller.upstream())/\(kind)/\(count)", expecting: String(repeating: "b", count: count))
        },
        Action("a body to an upstream", 200) { caller in
            let text = caller.unique + String(repeating: "u", count: caller.size())
            try caller.ask("POST \(caller.upstream())/", body: text, expecting: text)
        },
        Action("a body in chunks to an upstream", 100) { caller in
            let client = try caller.connection()
            let pieces = (0...caller.dice.roll(5)).map { _ in
                String(repeating: "c", count: 1 + caller.dice.roll(20_000))
            }
            var body = ""
            for piece in pieces { body += String(piece.utf8.count, radix: 16) + "\r\n\(piece)\r\n" }
            try client.send(
                caller.request("POST \(caller.upstream())/", ["Transfer-Encoding: chunked"]) + body
                    + "0\r\n\r\n")
            try caller.check(client.reply(), 200, pieces.joined())
        },
        Action("a broken upstream", 150) { caller in
            let kinds = BrokenUpstream.allCases
            let kind = kinds[caller.dice.roll(kinds.count)]
            // A kept connection is not used: what is broken off closes it.
            let client = try caller.way.connect()
            let method = kind.takesBodies ? "POST" : "GET"
            // An answer that cannot begin is held where there is more of it than the sockets have room for.
            let size = kind == .answersWhileItReads ? caller.dice.roll(8 << 20) : caller.size()
            let body = kind.takesBodies ? String(repeating: "x", count: size) : nil
            try client.send(caller.request("\(method) /broken/\(kind.rawValue)", body: body))
            switch kind.outcome {
            case .answer(let status, let text):
                do {
                    try caller.check(client.reply(), status, text ?? (status == 200 ? body : nil))
                } catch {
                    throw Wrong("\(kind): \(error)")
                }
            case .fault:
                guard let reply = try? client.reply() else { return }
                guard reply.status == 502 else { throw Wrong("\(kind): a clean \(reply.status)") }
            }
        },
        Action("a WebSocket of an upstream", 40) { caller in
            let socket = try caller.webSocket("\(caller.upstream())/")
            for _ in 0...caller.dice.roll(4) {
                let text = caller.unique + String(repeating: "w", count: caller.size() / 4)
                try socket.send(text)
                guard try socket.receive() == .text(text) else { throw Wrong("another message comes back") }
            }
            if caller.dice.roll(2) == 0 { return caller.leave(socket.raw) }
            try socket.send(8, [0x03, 0xE8])
            guard try socket.receiveToEnd().last?.code == 1000 else { throw Wrong("no farewell") }
        },
    ]

    /// At every moment of what is above.
    static let upstreamLeavings = [
        Action("leaves an upstream's answer", 60) { caller in
            let client = try caller.way.connect()
            let kind = caller.dice.roll(2) == 0 ? "bytes" : "chunks"
            try client.send(caller.request("GET \(caller.upstream())/\(kind)/\(320 << 10)"))
            // Before the head, after it, or anywhere in the body.
            if caller.dice.roll(3) > 0 {
                guard try client.head().status == 200 else { throw Wrong("no answer") }
                for _ in 0..<caller.dice.roll(4) { _ = try client.readSome(1 << caller.dice.roll(17)) }
            }
            caller.leave(client)
        },
        Action("leaves a body to an upstream", 60) { caller in
            let client = try caller.way.connect()
            let isChunked = caller.dice.roll(2) == 0
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 200000"
            try client.send(caller.request("POST \(caller.upstream())/", [framing]))
            let part = String(repeating: "x", count: caller.dice.roll(190_000))
            try client.send((isChunked ? "30D40\r\n" : "") + part)
            caller.leave(client)
        },
        // Half of them break the rules of chunks; a valid one afterwards must be answered.
        Action("breaks off a body to an upstream", 60) { caller in
            let client = try caller.way.connect()
            try client.send(
                caller.request("POST \(caller.upstream())/", ["Transfer-Encoding: chunked"])
                    + "5\r\nhello\r\n\(caller.dice.roll(2) == 0 ? "0x5\r\n" : "5\r\nhelloXX")")
            guard try client.refusalsToEnd().allSatisfy({ $0.status == 400 }) else {
                throw Wrong("a broken body is taken")
            }
        },
        Action("leaves a WebSocket's handshake", 20) { caller in
            let client = try caller.way.connect()
            caller.traffic.requests += 1
            let handshake = WebSocketClient.handshake("\(caller.upstream())/", host: "localhost")
            try client.send(String(handshake.prefix(handshake.count - caller.dice.roll(3))))
            caller.leave(client)
        },
    ]
}
