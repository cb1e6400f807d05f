import Glibc
import MicroHTTPD
import TestSupport
import Testing

/// Callers without TLS, and with each of its versions.
private let securities: [String?] = [nil, "NORMAL:-VERS-ALL:+VERS-TLS1.2", "NORMAL:-VERS-ALL:+VERS-TLS1.3"]

extension OneAtATime {
    /// What goes through a tunnel; the upstream is a socket of the test's.
    @Suite(.timeLimit(.minutes(5))) struct TunnelTests {
        @Test(arguments: securities) func bytesGoBothWaysAsTheyCome(_ security: String?) async throws {
            try await withTunnels(security) { server in
                let (caller, upstream) = try await server.open()
                try await blocking {
                    for count in [1, 2, 125, 16_384, 16_385, 65_536, 65_537, 200_000] {
                        let bytes = pattern(count)
                        try caller.send(bytes)
                        #expect(try upstream.bytes(count) == bytes)
                        try upstream.send(bytes)
                        #expect(try caller.bytes(count) == bytes)
                    }
                    caller.close()
                    #expect(try upstream.readToEnd().isEmpty)
                    upstream.close()
                }
                #expect(await server.isEmpty())
            }
        }

        @Test(arguments: securities)
        func theCallerGetsTheFieldsOfTheUpstream(_ security: String?) async throws {
            try await withTunnels(security) { server in
                let (port, security) = (server.port, server.security)
                let reply = try await blocking {
                    let client = try WebSocketClient(port, security: security)
                    try client.raw.send(WebSocketClient.handshake())
                    return try client.raw.head()
                }
                #expect(reply.status == 101)
                #expect(reply.all("Upgrade") == ["websocket"])
                #expect(reply.all("Connection") == ["Upgrade"])
                #expect(reply.all("Sec-WebSocket-Accept") == [WebSocketClient.accept])
                #expect(reply.all("Sec-WebSocket-Protocol") == ["chat"])
                #expect(reply.all("Server") == ["upstream/1.0"])
                #expect(reply.all("Content-Length").isEmpty)
                #expect(reply.all("Transfer-Encoding").isEmpty)
            }
        }

        @Test(arguments: securities, [1, 300_000])
        func bytesSentRightAfterTheHeadsArriveFirst(_ security: String?, _ count: Int) async throws {
            let first = pattern(count, from: 7)
            let extra = pattern(min(count, 9_000))
            try await withTunnels(security, first: first) { server in
                let (caller, upstream) = try await server.open(extra: extra)
                try await blocking {
                    try caller.send("and on")
                    #expect(try upstream.bytes(extra.count) == extra)
                    #expect(try upstream.bytes(6) == Array("and on".utf8))
                    try upstream.send("so it is")
                    #expect(try caller.bytes(count) == first)
                    #expect(try caller.bytes(8) == Array("so it is".utf8))
                }
            }
        }

        @Test(arguments: securities, [true, false])
        func fiftyMegabytesGoEachWayAtOnceAtTheReadersSpeed(
            _ security: String?, _ isCallerSlow: Bool
        ) async throws {
            try await withTunnels(security) { server in
                let (caller, upstream) = try await server.open()
                let before = residentBytes()
                let most = Box(0)
                // Its length is not a multiple of any buffer's.
                let piece = pattern(1_000_003)
                @Sendable func send(_ client: RawClient) throws {
                    for _ in 0..<50 { try client.send(piece) }
                    client.finishSending()
                }
                @Sendable func receive(_ client: RawClient, isSlow: Bool) throws {
                    for _ in 0..<50 {
                        let isWhole = try client.bytes(piece.count) == piece
                        #expect(isWhole)
                        let used = residentBytes() - before
                        most.change { $0 = max($0, used) }
                        if isSlow { usleep(20_000) }
                    }
                    #expect(try client.readSome(1) == 0)
                }
                async let sent: Void = blocking { try send(caller) }
                async let sentBack: Void = blocking { try send(upstream) }
                async let received: Void = blocking { try receive(upstream, isSlow: !isCallerSlow) }
                async let receivedBack: Void = blocking { try receive(caller, isSlow: isCallerSlow) }
                _ = try await (sent, sentBack, received, receivedBack)
                if isAlone { #expect(most.value < 32 << 20, "\(most.value) bytes") }
                #expect(await server.isEmpty())
            }
        }

        @Test(arguments: securities, [true, false])
        func aStalledReaderStopsTheSenderAndStillGetsAllBytes(
            _ security: String?, _ isCallerReading: Bool
        ) async throws {
            try await withTunnels(security) { server in
                let (caller, upstream) = try await server.open()
                let (sender, reader) = isCallerReading ? (upstream, caller) : (caller, upstream)
                let piece = pattern(64 << 10)
                let sent = try await blocking { try sender.sendUntilBlocked(piece, atMost: 200 << 20) }
                // More than that the system's own buffers do not take.
                #expect((1..<60 << 20).contains(sent))
                async let finished: Void = blocking { sender.finishSending() }
                try await blocking {
                    var count = 0
                    while case let some = try reader.readSome(1 << 20), some > 0 { count += some }
                    // What was on its way when the sender gave up has come as well.
                    #expect(count >= sent)
                    #expect(count - sent <= piece.count)
                }
                try await finished
                try await blocking {
                    try reader.send("bye")
                    #expect(try sender.bytes(3) == Array("bye".utf8))
                }
            }
        }
    }
}
