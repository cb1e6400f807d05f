import Glibc
import MicroHTTPD
import TestSupport
import Testing

/// Messages go through whole and in order, however they are cut.
@Suite(.timeLimit(.minutes(5))) struct WebSocketEchoTests {
    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 20, 16 << 20])
    func aMessageOfAnySizeIsEchoed(_ count: Int) async throws {
        try await withWebSockets { server, log in
            let port = server.port
            try await blocking {
                let client = try WebSocketClient.open(port)
                let bytes = pattern(count).map { $0 & 0x7F }
                try client.send(1, bytes)
                let back = try client.receive()
                #expect(back.opcode == 1)
                let isWhole = back.payload == bytes
                #expect(isWhole)
                try client.raw.send(WebSocketClient.frame(8, [0x03, 0xE8]))
                #expect(try client.receiveToEnd() == [.close(1000)])
            }
            #expect(await log.end() == WebSocketEnd(.normal, wasClean: true))
        }
    }

    @Test func aTextComesBackAsText() async throws {
        try await withWebSockets { server, _ in
            let port = server.port
            try await blocking {
                let client = try WebSocketClient.open(port)
                try client.send("Hellö\0 \u{10FFFF}")
                #expect(try client.receive() == .text("Hellö\0 \u{10FFFF}"))
            }
        }
    }

    @Test func messagesByteByByteAreTheSame() async throws {
        try await withWebSockets { server, _ in
            let port = server.port
            try await blocking {
                let client = try WebSocketClient.open(port)
                let bytes = pattern(300).map { $0 & 0x7F }
                let wire =
                    WebSocketClient.frame(1, bytes) + WebSocketClient.frame(9, [7])
                    + WebSocketClient.frame(1, Array("ä€😀".utf8), flags: 0) + WebSocketClient.frame(0, [0x21])
                for byte in wire {
                    try client.raw.send([byte])
                    usleep(100)
                }
                #expect(try client.receive() == WebSocketClient.Frame(opcode: 1, payload: bytes))
                #expect(try client.receive() == WebSocketClient.Frame(opcode: 10, payload: [7]))
                #expect(try client.receive() == .text("ä€😀!"))
            }
        }
    }

    @Test func aPingBetweenFragmentsIsAnsweredBeforeTheMessage() async throws {
        try await withWebSockets { server, _ in
            let port = server.port
            try await blocking {
                let client = try WebSocketClient.open(port)
                try client.send(1, Array("frag".utf8), isFinal: false)
                try client.send(9, Array("are you there?".utf8))
                try client.send(0, [], isFinal: false)
                #expect(
                    try client.receive()
                        == WebSocketClient.Frame(opcode: 10, payload: Array("are you there?".utf8)))
                try client.send(10, Array("nobody asked".utf8))
                try client.send(0, Array("ments".utf8))
                #expect(try client.receive() == .text("fragments"))
            }
        }
    }

    @Test func bytesAfterTheHandshakeAreMessages() async throws {
        try await withWebSockets { server, _ in
            let port = server.port
            try await blocking {
                let extra = (0..<50).flatMap { WebSocketClient.frame(1, Array("early \($0)".utf8)) }
                // The last of them in two parts, one with the handshake.
                let cut = extra.count - 3
                let client = try WebSocketClient.open(port, extra: Array(extra[..<cut]))
                try client.raw.send(Array(extra[cut...]))
                for number in 0..<50 { #expect(try client.receive() == .text("early \(number)")) }
            }
        }
    }

    @Test func tenThousandPipelinedMessagesComeBackInOrder() async throws {
        try await withWebSockets { server, log in
            let port = server.port
            try await blocking {
                let client = try WebSocketClient.open(port)
                try client.raw.send((0..<10_000).flatMap { WebSocketClient.frame(1, Array("\($0)".utf8)) })
                for number in 0..<10_000 { #expect(try client.receive() == .text("\(number)")) }
            }
            #expect(log.messages.count == 10_000)
        }
    }

    @Test func messagesFromManyThreadsKeepTheOrderOfTheirThread() async throws {
        try await withWebSockets { server, log in
            let port = server.port
            let client = try await blocking { try WebSocketClient.open(port) }
            #expect(await log.opened.reaches(1))
            let socket = log.sockets.value[0]
            async let frames = blocking { try (0..<8000).map { _ in try client.receive() } }
            await withTaskGroup { group in
                for sender in 0..<8 {
                    group.addTask {
                        for number in 0..<1000 {
                            #expect(
                                socket.send(text: [UInt8(sender), UInt8(number >> 7), UInt8(number & 0x7F)])
                            )
                        }
                    }
                }
            }
            var next = [Int](repeating: 0, count: 8)
            for frame in try await frames {
                let sender = Int(frame.payload[0])
                #expect(Int(frame.payload[1]) << 7 | Int(frame.payload[2]) == next[sender])
                next[sender] += 1
            }
            #expect(next == [Int](repeating: 1000, count: 8))
            #expect(socket.bufferedBytes == 0)
        }
    }

    @Test func theFirstSubprotocolIsAgreedOn() async throws {
        try await withWebSockets { server, log in
            let port = server.port
            try await blocking {
                let client = try WebSocketClient(port)
                let offer = ["Sec-WebSocket-Protocol: drawbridge", "Sec-WebSocket-Protocol:\ttoken.0a ,, b"]
                try client.raw.send(WebSocketClient.handshake("/", offer))
                let reply = try client.raw.head()
                #expect(reply.status == 101)
                #expect(reply["Upgrade"] == "websocket")
                #expect(reply["Connection"] == "Upgrade")
                #expect(reply["Sec-WebSocket-Protocol"] == "drawbridge")
                #expect(reply["Sec-WebSocket-Extensions"] == nil)
                #expect(reply["Content-Length"] == nil)
            }
        }
    }
}
