import Glibc
import MicroHTTPD
import TestSupport
import Testing

/// Who closes, who is silent, and what a stop does.
@Suite(.timeLimit(.minutes(5))) struct WebSocketClosingTests {
    @Test func theServersCloseComesAfterItsMessagesAndIsAnswered() async throws {
        try await withWebSockets { server, log in
            let port = server.port
            let client = try await blocking { try WebSocketClient.open(port) }
            #expect(await log.opened.reaches(1))
            let socket = log.sockets.value[0]
            let large = pattern(3 << 20)
            #expect(socket.send(text: large))
            socket.close(WebSocketCloseCode(rawValue: 4001), String(repeating: "€", count: 60))
            #expect(!socket.send(text: [0x61]))
            socket.close(.normal)
            try await blocking {
                let isWhole = try client.receive().payload == large
                #expect(isWhole)
                let close = try client.receive()
                #expect(close.code == 4001)
                #expect(close.payload.dropFirst(2).elementsEqual(String(repeating: "€", count: 41).utf8))
                try client.send("dropped")
                try client.send(8, Array(close.payload[..<2]))
                #expect(try client.receiveToEnd().isEmpty)
            }
            #expect(await log.end() == WebSocketEnd(WebSocketCloseCode(rawValue: 4001), wasClean: true))
            #expect(log.messages.count == 0)
        }
    }

    @Test func aPeerThatDoesNotAnswerACloseIsCutOff() async throws {
        var limits = WebSocketLimits()
        limits.closeSeconds = 1
        try await withWebSockets(limits: limits) { server, log in
            let port = server.port
            let client = try await blocking { try WebSocketClient.open(port) }
            #expect(await log.opened.reaches(1))
            log.sockets.value[0].close()
            #expect(await log.end()?.code == .abnormal)
            let frames = try await blocking { try client.receiveToEnd() }
            #expect(frames == [.close(1000)])
        }
    }

    @Test func aSlowReaderGetsAllMessagesBeforeTheClose() async throws {
        var limits = WebSocketLimits()
        // A busy machine may stall a reader for some seconds.
        limits.closeSeconds = 5
        let large = pattern(15 << 20)
        try await withWebSockets(limits: limits) { server, log in
            let port = server.port
            let client = try await blocking { try WebSocketClient.open(port) }
            #expect(await log.opened.reaches(1))
            #expect(log.sockets.value[0].send(text: large))
            log.sockets.value[0].close()
            try await blocking {
                var read = try client.raw.bytes(10)
                // Some eight seconds.
                while read.count < large.count + 10 {
                    read += try client.raw.bytes(min(800 << 10, large.count + 10 - read.count))
                    usleep(400_000)
                }
                let isWhole = Array(read[10...]) == large
                #expect(isWhole)
                #expect(try client.receiveToEnd() == [.close(1000)])
            }
        }
    }

    @Test func aSilentPeerIsPingedAndThenGivenUp() async throws {
        var limits = WebSocketLimits()
        // Whoever answers must do so in as much time again, also under a sanitizer on a busy machine.
        limits.silentSeconds = 6
        try await withWebSockets(limits: limits) { server, log in
            let port = server.port
            let (answering, silent) = try await blocking {
                (try WebSocketClient.open(port), try WebSocketClient.open(port))
            }
            try await blocking {
                for _ in 0..<2 {
                    #expect(try answering.receive() == WebSocketClient.Frame(opcode: 9, payload: []))
                    try answering.send(10)
                }
                #expect(try silent.receiveToEnd() == [WebSocketClient.Frame(opcode: 9, payload: [])])
                try answering.send("still here")
                var frame = try answering.receive()
                while frame.opcode == 9 { frame = try answering.receive() }
                #expect(frame == .text("still here"))
            }
            #expect(await log.end()?.code == .abnormal)
        }
    }

    @Test func aStopTellsEverySocketAndWaitsForThem() async throws {
        let (clients, log) = try await withWebSockets { server, log in
            let port = server.port
            let clients = try await blocking { try (0..<50).map { _ in try WebSocketClient.open(port) } }
            #expect(await log.opened.reaches(50))
            for client in clients {
                Task {
                    try await blocking {
                        #expect(try client.receive().code == 1001)
                        try client.send(8, [0x03, 0xE9])
                        #expect(try client.receiveToEnd().isEmpty)
                    }
                }
            }
            return (clients, log)
        }
        // The server has stopped.
        #expect(log.ends.value.count == 50)
        #expect(log.ends.value.allSatisfy { $0 == WebSocketEnd(.goingAway, wasClean: true) })
        withExtendedLifetime(clients) {}
    }

    @Test func aStopDoesNotWaitForEverForSocketsThatDoNotAnswer() async throws {
        let (client, log) = try await withWebSockets { server, log in
            let port = server.port
            let client = try await blocking { try WebSocketClient.open(port) }
            #expect(await log.opened.reaches(1))
            return (client, log)
        }
        #expect(log.ends.value.map(\.code) == [.abnormal])
        let frames = try await blocking { try client.receiveToEnd() }
        #expect(frames.map(\.code) == [1001])
    }

    @Test func theRunningHandlerOfAWebSocketDoesNotDelayTheStop() async throws {
        let log = WebSocketLog()
        let returned = Tally()
        let client = try await withServer { exchange in
            if let handshake = try? WebSocketHandshake(exchange.head) {
                exchange.upgrade(handshake, events: echo(log))
            }
            await Gate().pass()
            returned.add()
        } test: { server in
            let port = server.port
            let client = try await blocking {
                let client = try WebSocketClient.open(port)
                try client.send("while its handler waits")
                #expect(try client.receive() == .text("while its handler waits"))
                return client
            }
            return client
        }
        #expect(returned.count == 1)
        #expect(log.ends.value.count == 1)
        withExtendedLifetime(client) {}
    }

    @Test func aSocketThatIsStillReferencedDoesNotRetainItsServer() async throws {
        let log = WebSocketLog()
        weak var server: HTTPServer?
        try await withWebSockets { own, ownLog in
            server = own
            let port = own.port
            let client = try await blocking { try WebSocketClient.open(port) }
            #expect(await ownLog.opened.reaches(1))
            log.sockets.change { $0 = ownLog.sockets.value }
            client.raw.close()
            #expect(await ownLog.end() != nil)
        }
        #expect(log.sockets.value.count == 1)
        #expect(await eventually { server == nil })
    }

    @Test func aCallerThatLeavesBeforeTheHandshakeIsAnsweredEndsItsSocket() async throws {
        let log = WebSocketLog()
        let started = Tally()
        try await withServer { exchange in
            started.add()
            // Until it is cancelled.
            await Gate().pass()
            if let handshake = try? WebSocketHandshake(exchange.head) {
                let socket = exchange.upgrade(handshake, events: echo(log))
                socket.send(text: [0x61])
            }
        } test: { server in
            try await askForUpgradeAndLeave(server, when: started)
            #expect(await log.end()?.code == .abnormal)
            #expect(log.opened.count == 0)
        }
    }
}
