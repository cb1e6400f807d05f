import TestSupport
import Testing

/// WebSockets to Node and to Python, directly and through the gateway: there is no difference.
@Suite("WebSockets of real servers", .timeLimit(.minutes(5))) struct WebSocketTests {
    /// Which way a client goes.
    enum Way: String, CaseIterable, Sendable { case direct, gateway }

    enum Server: String, CaseIterable, Sendable { case node, python }

    /// A client of the server, which has shaken hands.
    private static func opened(
        _ port: Int, _ path: String = "/ws", fields: [String] = []
    ) async throws -> WebSocketClient {
        try await blocking {
            try WebSocketClient.open(port, path, host: "127.0.0.1:\(port)", fields: fields)
        }
    }

    private static func withServer(
        _ server: Server, _ way: Way, _ test: (_ port: Int) async throws -> Void
    ) async throws {
        switch server {
        case .node:
            let node = try await DevServer()
            try await going(way, to: node.port, test)
            withExtendedLifetime(node) {}
        case .python:
            let python = try await PythonEcho()
            try await going(way, to: python.port, test)
            withExtendedLifetime(python) {}
        }
    }

    private static func going(
        _ way: Way, to port: Int, _ test: (_ port: Int) async throws -> Void
    ) async throws {
        switch way {
        case .direct: try await test(port)
        case .gateway: try await fronting("http://127.0.0.1:\(port)") { try await test($0) }
        }
    }

    @Test(arguments: Server.allCases, Way.allCases)
    func messagesOfEveryKindComeBack(_ server: Server, _ way: Way) async throws {
        try await Self.withServer(server, way) { port in
            let client = try await Self.opened(port)
            let large = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
            try await blocking {
                try client.send("Grüße")
                #expect(try client.receive() == .text("Grüße"))
                try client.send(2, [0, 255, 1])
                #expect(try client.receive() == .init(opcode: 2, payload: [0, 255, 1]))
                try client.send(1)
                #expect(try client.receive() == .text(""))
                for (opcode, part, isFinal) in [(1, "in ", false), (0, "three ", false), (0, "parts", true)] {
                    try client.send(UInt8(opcode), Array(part.utf8), isFinal: isFinal)
                }
                #expect(try client.receive() == .text("in three parts"))
                try client.send(2, large)
                let back = try client.receive()
                #expect(back.opcode == 2 && back.payload == large)
                try client.send(9, [1, 2, 3])
                #expect(try client.receive() == .init(opcode: 10, payload: [1, 2, 3]))
                try client.send(8, [0x0F, 0xA0] + Array("over".utf8))
                #expect(try client.receive().code == 4000)
                #expect(try client.raw.isClosedByPeer())
            }
        }
    }

    /// Python takes the first that it knows, Node the last that is offered.
    @Test(arguments: [(Server.node, "superchat"), (.python, "chat")], Way.allCases)
    func aSubprotocolIsAgreedOn(_ choice: (server: Server, name: String), _ way: Way) async throws {
        try await Self.withServer(choice.server, way) { port in
            let head = try await Self.answer(port, fields: ["Sec-WebSocket-Protocol: chat, superchat"])
            #expect(head.status == 101)
            #expect(head.all("Sec-WebSocket-Protocol") == [choice.name])
        }
    }

    private static func answer(_ port: Int, _ path: String = "/ws", fields: [String]) async throws
        -> RawAnswer
    {
        try await blocking {
            let client = try RawClient(port)
            try client.send(WebSocketClient.handshake(path, host: "127.0.0.1:\(port)", fields))
            return try client.head()
        }
    }

    /// RFC 7692, section 7.2.3.1, has the bytes.
    @Test(arguments: Way.allCases) func compressionIsAgreedOnEndToEnd(_ way: Way) async throws {
        try await Self.withServer(.python, way) { port in
            let offer = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
            try await blocking {
                let client = try RawClient(port)
                let fields = ["Sec-WebSocket-Extensions: \(offer)"]
                try client.send(WebSocketClient.handshake("/", host: "127.0.0.1:\(port)", fields))
                let head = try client.head()
                #expect(head["Sec-WebSocket-Extensions"]?.hasPrefix("permessage-deflate") == true)
                let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
                try client.send(WebSocketClient.frame(1, hello, flags: 0xC0))
                #expect(try client.bytes(2) == [0xC1, 7])
                #expect(try client.bytes(7) == hello)
            }
        }
    }

    @Test(arguments: [1000, 1001, 4321], Way.allCases)
    func theServersCloseCodeArrives(_ code: Int, _ way: Way) async throws {
        try await Self.withServer(.node, way) { port in
            let client = try await Self.opened(port, "/ws?close=\(code)")
            try await blocking {
                try client.send("anything")
                #expect(try client.receive() == .close(code))
                try client.send(8, WebSocketClient.Frame.close(code).payload)
                // Node echoes that, as it does with every close.
                #expect(try client.receive() == .close(code))
                #expect(try client.raw.isClosedByPeer())
            }
        }
    }

    @Test(arguments: Way.allCases) func aSideThatHasFinishedSendingStillReceives(_ way: Way) async throws {
        try await Self.withServer(.node, way) { port in
            let client = try await Self.opened(port, "/ws?half")
            try await blocking {
                try client.raw.send([UInt8](repeating: 1, count: 100_000))
                client.raw.finishSending()
                #expect(try client.receive() == .text("after 100000 bytes"))
                #expect(try client.raw.isClosedByPeer())
            }
        }
    }

    @Test(arguments: Way.allCases) func aRefusedHandshakeIsPassedOn(_ way: Way) async throws {
        try await Self.withServer(.node, way) { port in
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send(WebSocketClient.handshake("/ws?refuse", host: "127.0.0.1:\(port)"))
                return try client.reply()
            }
            #expect(reply.status == 403)
            #expect(reply["X-Why"] == "rules")
            #expect(reply.text == "no way\n")
        }
    }

    @Test(arguments: Way.allCases) func messagesRightAfterTheHandshakeArrive(_ way: Way) async throws {
        try await Self.withServer(.node, way) { port in
            try await blocking {
                let client = try WebSocketClient.open(
                    port, "/ws?greet", host: "127.0.0.1:\(port)",
                    extra: WebSocketClient.frame(1, Array("early".utf8)))
                #expect(try client.receive() == .text("hello"))
                let second = try client.receive()
                #expect(second == .init(opcode: 2, payload: [UInt8](repeating: 7, count: 70_000)))
                #expect(try client.receive() == .text("early"))
            }
        }
    }

    @Test(arguments: Way.allCases) func aThousandSocketsAtOnceAreKeptApart(_ way: Way) async throws {
        try await Self.withServer(.node, way) { port in
            var clients: [WebSocketClient] = []
            for _ in 0..<1000 { clients.append(try await Self.opened(port)) }
            let all = clients
            try await blocking {
                for (number, client) in all.enumerated() { try client.send("number \(number)") }
                for (number, client) in all.enumerated() {
                    #expect(try client.receive() == .text("number \(number)"))
                }
            }
        }
    }

    @Test func aPageOfAnotherSiteIsRefusedAndAnOwnOneTaken() async throws {
        try await Self.withServer(.node, .gateway) { port in
            let own = "http://127.0.0.1:\(port)"
            for (origin, status) in [("https://evil.example", 403), ("null", 403), (own, 101)] {
                let head = try await Self.answer(port, fields: ["Origin: \(origin)"])
                #expect(head.status == status, "\(origin)")
            }
        }
    }
}
