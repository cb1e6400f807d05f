import TestSupport

/// What has a connection of its own.
extension Action {
    static let connections = [
        Action("a connection for one request", 150) { caller in
            let client = try caller.way.connect()
            try client.send(caller.request("GET /", ["Connection: close"]))
            try caller.check(client.reply(), 200, SoakedGateway.page)
            guard try client.isClosedByPeer() else { throw Wrong("it is left open") }
        },
        // Such a connection is closed within a second, so there are few.
        Action("nothing more will come", 2) { caller in
            let client = try caller.way.connect()
            try client.send(caller.request("GET /"))
            client.finishSending()
            let replies = try client.repliesToEnd()
            guard replies.count == 1 else { throw Wrong("\(replies.count) answers") }
            try caller.check(replies[0], 200, SoakedGateway.page)
        },
        Action("ten at once", 100) { caller in
            let client = try caller.connection()
            let texts = (0..<10).map { _ in "\(caller.dice.roll(1_000_000))" }
            var requests = ""
            for text in texts { requests += caller.request("GET /echo?_mobile_bridge=1&n=\(text)") }
            try client.send(requests)
            for text in texts { try caller.check(client.reply(), 200, envelope(#"{"n":"\#(text)"}"#)) }
        },
        Action("one byte at a time", 10) { caller in
            let client = try caller.connection()
            for byte in caller.request("POST /__jsbridge__/echo", body: "[1]").utf8 {
                try client.send([byte])
            }
            try caller.check(client.reply(), 200, envelope("[1]"))
        },
        Action("a body in chunks", 200) { caller in
            let client = try caller.connection()
            try client.send(
                caller.request("POST /__jsbridge__/echo", ["Transfer-Encoding: chunked"])
                    + "4\r\n[\"ab\r\n3;x=y\r\ncd\"\r\n1\r\n]\r\n0\r\n\r\n")
            try caller.check(client.reply(), 200, envelope(#"["abcd"]"#))
        },
        Action("a slow reader", 5) { caller in
            let client = try caller.way.connect(receiveBuffer: 32768)
            try client.send(caller.request("GET /large.txt"))
            guard try client.head().status == 200 else { throw Wrong("no file") }
            let all = Array(SoakedGateway.large.utf8)
            for start in stride(from: 0, to: all.count, by: 4096) {
                let piece = all[start..<min(start + 4096, all.count)]
                guard try client.bytes(piece.count)[...] == piece else {
                    throw Wrong("other bytes at \(start)")
                }
            }
        },
        Action("a request that is none", 200) { caller in
            let (text, statuses) = broken[caller.dice.roll(broken.count)]
            let client = try caller.way.connect()
            caller.traffic.requests += 1
            try client.send(text)
            let replies = try client.refusalsToEnd().map(\.status)
            guard replies.count == 1, statuses.contains(replies[0]) else {
                throw Wrong(
                    "\(replies) instead of one of \(statuses), to \(text.debugDescription.prefix(200))")
            }
        },
    ]

    /// Each is refused once, whatever is hidden behind; all that there are, `HostileTests` tries.
    private static let broken: [(String, Set<Int>)] =
        [
            ("Content-Length: 4\r\nTransfer-Encoding: chunked", [400]),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", [400, 501]),
            ("Transfer-Encoding: gzip", [501]),
            ("Content-Length: 5\r\nContent-Length: 6", [400]),
            ("Content-Length: +5", [400]),
            ("Content-Length: 99999999999", [413]),
            ("Host: localhost", [400]),
            ("X : y", [400]),
            ("X: y\r\n folded", [400]),
            ("X: a\0b", [400]),
            ("X: a\nY: b", [400]),
            (String(repeating: "X: y\r\n", count: 110) + "Z: z", [431]),
            ("X: \(String(repeating: "a", count: 31 << 10))", [431]),
            ("Content-Length: 5\r\nExpect: something", [417]),
        ].map { lines, statuses in
            (
                "POST /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n\r\n0\r\n\r\n"
                    + "GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                statuses
            )
        } + [
            ("GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
            ("GET / HTTP/1.1\r\n\r\n", [400]),
            ("GET / HTTP/3.1\r\nHost: localhost\r\n\r\n", [400, 505]),
            ("TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", [405]),
            ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: localhost\r\n\r\n", [414]),
            (
                "POST /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
                [400]
            ),
        ]
}
