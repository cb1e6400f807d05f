import Glibc
import MicroHTTPD
import TestSupport
import Testing

/// What breaks a rule of RFC 6455 is told why, and the connection ends.
@Suite(.timeLimit(.minutes(5))) struct WebSocketFaultTests {
    private static func frame(_ opcode: UInt8, _ payload: [UInt8] = [], flags: UInt8 = 0x80) -> [UInt8] {
        WebSocketClient.frame(opcode, payload, flags: flags)
    }

    private static let text: [UInt8] = Array("x".utf8)

    /// What is sent, and the code that comes back.
    static let faults: [([UInt8], Int)] = [
        (WebSocketClient.frame(1, text, isMasked: false), 1002),
        (frame(1, text, flags: 0xC0), 1002), (frame(1, text, flags: 0xA0), 1002),
        (frame(9, flags: 0x90), 1002),
        (frame(3), 1002), (frame(7), 1002), (frame(11), 1002), (frame(15), 1002),
        (frame(9, flags: 0), 1002), (frame(8, flags: 0), 1002),
        (frame(9, [UInt8](repeating: 0, count: 126)), 1002),
        (frame(8, [UInt8](repeating: 3, count: 126)), 1002),
        (frame(0, text), 1002), (frame(0, text, flags: 0), 1002),
        (frame(1, text, flags: 0) + frame(1, text), 1002),
        (frame(1, text, flags: 0) + frame(0, text, flags: 0) + frame(1, text), 1002),
        // Nobody takes binary messages, in one frame or in several.
        (frame(2, text), 1003), (frame(2, text, flags: 0) + frame(0, text), 1003),
        // A length in more bytes than it needs, and one with its first bit set.
        ([0x81, 0xFE, 0, 125, 0, 0, 0, 0], 1002),
        ([0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0], 1002),
        ([0x81, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1002),
        // Too large, by a frame's own word and in pieces.
        (WebSocketClient.frame(1, text, length: 64 << 20), 1009),
        (WebSocketClient.frame(1, text, length: 200_001), 1009),
        (WebSocketClient.frame(1, text, length: Int.max), 1009),
        (frame(1, pattern(200_000), flags: 0) + frame(0, [1]), 1009),
        ([UInt8](repeating: 0, count: 1002).indices.flatMap { frame($0 == 0 ? 1 : 0, flags: 0) }, 1009),
        // No UTF-8: a surrogate, too long, beyond the last character, cut off, and in a reason.
        (frame(1, [0xED, 0xA0, 0x80]), 1007), (frame(1, [0xC0, 0x80]), 1007),
        (frame(1, [0xF4, 0x90, 0x80, 0x80]), 1007), (frame(1, [0x61, 0xE2, 0x82]), 1007),
        (frame(1, [0xFF]), 1007), (frame(1, [0xE2], flags: 0) + frame(0, [0x28]), 1007),
        (frame(8, [0x03, 0xE8, 0xFF]), 1007), (frame(8, [0x03, 0xE8, 0xC3]), 1007),
        (frame(8, [3]), 1002),
    ]

    @Test(arguments: faults.indices) func aFaultyFrameIsAnsweredWithItsReasonAndClosed(_ index: Int)
        async throws
    {
        let (bytes, code) = Self.faults[index]
        var limits = WebSocketLimits()
        limits.message = 200_000
        limits.frames = 1000
        try await withWebSockets(limits: limits) { server, log in
            let port = server.port
            let idle = sockets(on: port)
            try await blocking {
                let client = try WebSocketClient.open(port)
                try client.raw.send(bytes)
                // It is over, whatever comes.
                try? client.send("and on")
                let frames = try client.receiveToEnd()
                #expect(frames.count == 1)
                #expect(frames.first?.code == code, "\(frames)")
                #expect((frames.first?.payload.count ?? 0) > 2)
            }
            let end = await log.end()
            #expect(end?.code.rawValue == UInt16(code))
            #expect(end?.wasClean == false)
            #expect(log.messages.count == 0)
            #expect(await eventually { sockets(on: port) == idle })
        }
    }

    @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 4999])
    func aCloseIsAnsweredWithItsCode(_ code: Int) async throws {
        try await withWebSockets { server, log in
            let port = server.port
            try await blocking {
                let client = try WebSocketClient.open(port)
                let reason = String(repeating: "é", count: 61)
                try client.send(8, WebSocketClient.Frame.close(code).payload + Array(reason.utf8))
                try client.send("too late")
                #expect(try client.receiveToEnd() == [.close(code)])
            }
            let reason = String(repeating: "é", count: 61)
            #expect(
                await log.end()
                    == WebSocketEnd(WebSocketCloseCode(rawValue: UInt16(code)), reason, wasClean: true))
            #expect(log.messages.count == 0)
        }
    }

    @Test(arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535])
    func aCloseCodeThatNobodyMaySendIsAnError(_ code: Int) async throws {
        try await withWebSockets { server, log in
            let port = server.port
            try await blocking {
                let client = try WebSocketClient.open(port)
                try client.send(8, WebSocketClient.Frame.close(code).payload)
                #expect(try client.receiveToEnd().map(\.code) == [1002])
            }
            #expect(await log.end()?.code == .protocolError)
        }
    }

    @Test func aCloseWithoutACodeIsAnsweredWithoutOne() async throws {
        try await withWebSockets { server, log in
            let port = server.port
            try await blocking {
                let client = try WebSocketClient.open(port)
                try client.send(8)
                #expect(try client.receiveToEnd() == [WebSocketClient.Frame(opcode: 8, payload: [])])
            }
            #expect(await log.end() == WebSocketEnd(.none, wasClean: true))
        }
    }

    @Test(arguments: [false, true]) func aPeerThatVanishesIsNoticedAtOnce(_ isReset: Bool) async throws {
        // By its end alone: no ping would find it, and nobody would wait for its farewell, within an hour.
        var limits = WebSocketLimits()
        limits.silentSeconds = 3600
        limits.closeSeconds = 3600
        try await withWebSockets(limits: limits) { server, log in
            let port = server.port
            let idle = sockets(on: port)
            let client = try await blocking {
                let client = try WebSocketClient.open(port)
                try client.send(1, Self.text, isFinal: false)
                return client
            }
            #expect(await log.opened.reaches(1))
            if isReset { client.raw.reset() } else { client.raw.close() }
            #expect(await log.end()?.code == .abnormal)
            #expect(!log.sockets.value[0].send(text: Self.text))
            #expect(!log.sockets.value[0].isOpen)
            #expect(await eventually { sockets(on: port) == idle })
        }
    }

    @Test func aFloodOfPingsTakesNoMemoryAndTheLastIsAnswered() async throws {
        try await withWebSockets(loops: 1) { server, log in
            let port = server.port
            let client = try await blocking { try WebSocketClient.open(port) }
            #expect(await log.opened.reaches(1))
            let socket = log.sockets.value[0]
            let most = Box(0)
            let pongs = try await blocking {
                var flood: [UInt8] = []
                for number in 0..<200_000 {
                    flood += Self.frame(9, Array("\(number)".utf8) + [UInt8](repeating: 0, count: 100))
                }
                // Nobody reads what comes back meanwhile.
                for start in stride(from: 0, to: flood.count, by: 1 << 20) {
                    try client.raw.send(Array(flood[start..<min(start + 1 << 20, flood.count)]))
                    most.change { $0 = max($0, socket.bufferedBytes) }
                }
                var pongs = 0
                repeat { pongs += 1 } while try !client.receive().payload.starts(with: "199999".utf8)
                return pongs
            }
            #expect(most.value < 1 << 20)
            #expect((1...200_000).contains(pongs))
            #expect(await eventually { socket.bufferedBytes == 0 })
        }
    }

    @Test func aPeerThatReadsNothingIsClosedWhenTooMuchWaits() async throws {
        var limits = WebSocketLimits()
        limits.waiting = 4 << 20
        limits.closeSeconds = 1
        try await withWebSockets(limits: limits) { server, log in
            let port = server.port
            let client = try await blocking { try WebSocketClient.open(port) }
            #expect(await log.opened.reaches(1))
            let socket = log.sockets.value[0]
            var sent = 0
            while socket.send(text: [UInt8](repeating: 1, count: 1 << 20)), sent < 100 {
                sent += 1
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect((4..<40).contains(sent))
            #expect(socket.bufferedBytes <= 5 << 20)
            #expect(!socket.isOpen)
            #expect(await log.end()?.wasClean == false)
            #expect(socket.bufferedBytes == 0)
            withExtendedLifetime(client) {}
        }
    }
}
