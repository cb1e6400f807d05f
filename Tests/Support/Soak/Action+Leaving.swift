import TestSupport

/// What ends in the middle.
extension Action {
    static let leavings = [
        Action("leaves a handler that waits for ever", 60) { caller in
            let client = try caller.way.connect()
            try client.send(caller.request("GET /wait?_mobile_bridge=1"))
            // By the time that another is answered, the first mostly waits.
            if caller.dice.roll(2) == 0 { try caller.ask("GET /", expecting: SoakedGateway.page) }
            caller.leave(client)
        },
        Action("leaves a reply that is silence", 40) { caller in
            let client = try caller.way.connect()
            try client.send(caller.request("GET /silent?_mobile_bridge=1"))
            if caller.dice.roll(2) == 0 { try caller.ask("GET /", expecting: SoakedGateway.page) }
            caller.leave(client)
        },
        Action("leaves a turn", 60) { caller in
            let client = try caller.way.connect()
            try client.send(caller.request("GET /turn?_mobile_bridge=1"))
            caller.leave(client)
        },
        Action("leaves an event stream", 60) { caller in
            let client = try caller.way.connect()
            try client.send(caller.request("GET /ticks?_mobile_bridge=1"))
            guard try client.head().status == 200 else { throw Wrong("no stream") }
            for _ in 0...caller.dice.roll(2) {
                // Of a busy gateway several come at once.
                let text = try client.chunk().map { String(decoding: $0, as: UTF8.self) } ?? ""
                let tick = "data: tick\n\n"
                guard !text.isEmpty, text == String(repeating: tick, count: text.count / tick.count) else {
                    throw Wrong("no ticks: \(text.debugDescription)")
                }
            }
            caller.leave(client)
        },
        Action("leaves a file", 40) { caller in
            let client = try caller.way.connect()
            try client.send(caller.request("GET /large.txt"))
            guard try client.head().status == 200 else { throw Wrong("no file") }
            caller.leave(client)
        },
        Action("leaves an upload", 60) { caller in
            let client = try caller.way.connect()
            let isChunked = caller.dice.roll(2) == 0
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 100000"
            try client.send(caller.request("POST /__jsbridge__/echo", [framing]))
            try client.send(
                (isChunked ? "186A0\r\n" : "") + String(repeating: "x", count: caller.dice.roll(90_000)))
            caller.leave(client)
        },
        Action("leaves in a head", 40) { caller in
            let client = try caller.way.connect()
            let request = caller.request("GET /echo?_mobile_bridge=1")
            try client.send(String(request.prefix(caller.dice.roll(request.count))))
            caller.leave(client)
        },
        Action("leaves without a word", 30) { caller in
            caller.traffic.requests += 1
            try caller.leave(caller.way.connect())
        },
    ]
}
