import Glibc
import MicroHTTPD
import TestSupport
import Testing

extension OneAtATime {
    /// Over TLS the library stays in between; nothing else is different.
    @Suite(.timeLimit(.minutes(5))) struct SecureWebSocketTests {
        private static func serving(
            limits: WebSocketLimits = WebSocketLimits(), test: (Int, WebSocketLog) async throws -> Void
        ) async throws {
            let certificates = try Certificates()
            let (certificate, key) = try await certificates.make()
            let identity = try TLSIdentity(certificateFile: certificate, keyFile: key)
            try await withWebSockets(tls: identity, limits: limits, loops: 1) { server, log in
                try await test(server.port, log)
            }
        }

        @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 1 << 20, 5 << 20], ["1.2", "1.3"])
        func aMessageOfAnySizeIsEchoedOverTLS(_ count: Int, _ version: String) async throws {
            try await Self.serving { port, log in
                let idle = sockets(on: port)
                try await blocking {
                    let client = try WebSocketClient.open(
                        port, security: "NORMAL:-VERS-ALL:+VERS-TLS\(version)")
                    // Both directions at once: neither side may wait for the other to read.
                    let bytes = pattern(count).map { $0 & 0x7F }
                    for start in stride(from: 0, through: max(0, count - 1), by: 64 << 10) {
                        let piece = Array(bytes[start..<min(start + 64 << 10, count)])
                        try client.send(1, piece)
                        let isWhole = try client.receive().payload == piece
                        #expect(isWhole)
                    }
                    try client.send(1, bytes)
                    let isWhole = try client.receive().payload == bytes
                    #expect(isWhole)
                    try client.send(8, [0x03, 0xE8])
                    #expect(try client.receiveToEnd() == [.close(1000)])
                }
                #expect(await log.end() == WebSocketEnd(.normal, wasClean: true))
                #expect(await eventually { sockets(on: port) == idle })
            }
        }

        @Test func bytesAfterTheHandshakeAreMessagesOverTLS() async throws {
            try await Self.serving { port, _ in
                try await blocking {
                    let extra = (0..<500).flatMap { WebSocketClient.frame(1, Array("early \($0)".utf8)) }
                    let client = try WebSocketClient.open(port, security: "NORMAL", extra: extra)
                    for number in 0..<500 { #expect(try client.receive() == .text("early \(number)")) }
                }
            }
        }

        @Test func aFaultOverTLSIsAnsweredWithItsReason() async throws {
            try await Self.serving { port, log in
                let idle = sockets(on: port)
                try await blocking {
                    let client = try WebSocketClient.open(port, security: "NORMAL")
                    try client.raw.send(WebSocketClient.frame(1, [0xFF]))
                    #expect(try client.receiveToEnd().map(\.code) == [1007])
                }
                #expect(await log.end()?.code == .invalidText)
                #expect(await eventually { sockets(on: port) == idle })
            }
        }

        @Test(arguments: [false, true]) func aPeerThatVanishesIsNoticedOverTLS(_ isReset: Bool) async throws {
            try await Self.serving { port, log in
                let idle = sockets(on: port)
                let client = try await blocking { try WebSocketClient.open(port, security: "NORMAL") }
                #expect(await log.opened.reaches(1))
                if isReset { client.raw.reset() } else { client.raw.close() }
                #expect(await log.end()?.code == .abnormal)
                #expect(await eventually { sockets(on: port) == idle })
            }
        }

        @Test func aPeerThatReadsNothingIsCutOffOverTLS() async throws {
            var limits = WebSocketLimits()
            limits.waiting = 1 << 20
            limits.closeSeconds = 1
            try await Self.serving(limits: limits) { port, log in
                let idle = sockets(on: port)
                let client = try await blocking { try WebSocketClient.open(port, security: "NORMAL") }
                #expect(await log.opened.reaches(1))
                let socket = log.sockets.value[0]
                for _ in 0..<100 where socket.isOpen {
                    socket.send(text: [UInt8](repeating: 1, count: 1 << 18))
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(!socket.isOpen)
                #expect(await log.end()?.wasClean == false)
                #expect(await eventually { sockets(on: port) == idle })
                withExtendedLifetime(client) {}
            }
        }

        @Test func twoHundredSecureSocketsAreServedAndClosedByAStop() async throws {
            let log = Box<WebSocketLog?>(nil)
            try await Self.serving { port, own in
                log.change { $0 = own }
                let clients = try await blocking {
                    let clients = try (0..<200).map { _ in try WebSocketClient.open(port, security: "NORMAL")
                    }
                    for round in 0..<3 {
                        for (index, client) in clients.enumerated() { try client.send("\(round) \(index)") }
                        for (index, client) in clients.enumerated() {
                            #expect(try client.receive() == .text("\(round) \(index)"))
                        }
                    }
                    return clients
                }
                for (index, client) in clients.enumerated() where index % 2 == 0 {
                    Task {
                        try await blocking {
                            #expect(try client.receive().code == 1001)
                            try client.send(8, [0x03, 0xE9])
                            #expect(try client.receiveToEnd().isEmpty)
                        }
                    }
                }
            }
            let ends = log.value?.ends.value ?? []
            #expect(ends.count == 200)
            #expect(ends.count { $0.wasClean } == 100)
        }
    }
}
