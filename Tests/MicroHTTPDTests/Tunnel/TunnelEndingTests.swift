import Glibc
import MicroHTTPD
import TestSupport
import Testing

/// Callers without TLS, and with it.
private let securities: [String?] = [nil, "NORMAL"]

extension Deadlines {
    /// How tunnels end, and that nothing of them is left.
    @Suite(.timeLimit(.minutes(5))) struct TunnelEndingTests {
        @Test(arguments: securities, [true, false])
        func oneDirectionEndsAndTheOtherGoesOn(_ security: String?, _ isCallerFirst: Bool) async throws {
            try await withTunnels(security) { server in
                let (caller, upstream) = try await server.open()
                let (first, second) = isCallerFirst ? (caller, upstream) : (upstream, caller)
                try await blocking {
                    try first.send("the last of mine")
                    first.finishSending()
                    #expect(try second.bytes(16) == Array("the last of mine".utf8))
                    // An end that is said, not a connection that breaks.
                    #expect(try second.readSome(1) == 0)
                    let bytes = pattern(3 << 20)
                    try second.send(bytes)
                    let isWhole = try first.bytes(bytes.count) == bytes
                    #expect(isWhole)
                    second.finishSending()
                    #expect(try first.readSome(1) == 0)
                }
                // Both directions have ended, so both sides are closed, whoever still holds the other end.
                #expect(await server.isEmpty())
                withExtendedLifetime((caller, upstream)) {}
            }
        }

        @Test(arguments: securities, [true, false])
        func anUpstreamThatClosesATunnelClosesItsCaller(_ security: String?, _ isReset: Bool) async throws {
            try await withTunnels(security) { server in
                let (caller, upstream) = try await server.open()
                try await blocking {
                    if isReset { upstream.reset() } else { upstream.close() }
                    let isClosed = try caller.isClosedByPeer()
                    #expect(isClosed)
                    caller.close()
                }
                #expect(await server.isEmpty())
            }
        }

        @Test(arguments: securities, [true, false])
        func aCallerThatClosesATunnelClosesItsUpstream(_ security: String?, _ isReset: Bool) async throws {
            try await withTunnels(security) { server in
                let (caller, upstream) = try await server.open()
                try await blocking {
                    if isReset { caller.reset() } else { caller.close() }
                    let isClosed = try upstream.isClosedByPeer()
                    #expect(isClosed)
                    upstream.close()
                }
                #expect(await server.isEmpty())
            }
        }

        /// It is not read, and would be told of by the system again and again.
        @Test(arguments: securities) func aResetIsNoticedWhileNobodyReads(_ security: String?) async throws {
            try await withTunnels(security) { server in
                let (caller, upstream) = try await server.open()
                _ = try await blocking {
                    try upstream.sendUntilBlocked(pattern(64 << 10), atMost: 200 << 20)
                }
                upstream.reset()
                // The caller reads nothing, and holds its end.
                #expect(await server.isEmpty())
                withExtendedLifetime(caller) {}
            }
        }

        @Test(arguments: securities, [true, false])
        func aHalfClosedTunnelThatIsSilentIsClosed(_ security: String?, _ isCallerFirst: Bool) async throws {
            try await withTunnels(security, silentSeconds: 5) { server in
                let (caller, upstream) = try await server.open()
                let (first, second) = isCallerFirst ? (caller, upstream) : (upstream, caller)
                try await blocking {
                    first.finishSending()
                    #expect(try second.readSome(1) == 0)
                    // As long as something comes it goes on.
                    for _ in 0..<14 {
                        usleep(500_000)
                        try second.send("x")
                        #expect(try first.bytes(1) == [UInt8(ascii: "x")])
                    }
                    #expect(try first.isClosedByPeer())
                }
                #expect(await server.isEmpty())
                withExtendedLifetime(second) {}
            }
        }

        @Test(arguments: securities)
        func aTunnelThatNeitherSideEndsMayBeSilent(_ security: String?) async throws {
            try await withTunnels(security, silentSeconds: 1) { server in
                let (caller, upstream) = try await server.open()
                try await Task.sleep(for: .seconds(3))
                try await blocking {
                    try caller.send("still here")
                    #expect(try upstream.bytes(10) == Array("still here".utf8))
                }
            }
        }

        @Test(arguments: securities) func aStopClosesTunnelsAtOnce(_ security: String?) async throws {
            // A stop that waited for somebody would wait for an hour.
            let tunnels = try await withTunnels(security, grace: .seconds(3600)) { server in
                var tunnels: [(caller: RawClient, upstream: RawClient)] = []
                for _ in 0..<20 { tunnels.append(try await server.open()) }
                return tunnels
            }
            for tunnel in tunnels {
                try await blocking {
                    let isClosed = (try tunnel.caller.isClosedByPeer(), try tunnel.upstream.isClosedByPeer())
                    #expect(isClosed == (true, true))
                }
            }
        }

        @Test(arguments: securities)
        func theUpstreamIsClosedIfTheCallerWasAnsweredBefore(_ security: String?) async throws {
            try await withTunnels(security) { server in
                let (port, security) = (server.port, server.security)
                let reply = try await blocking {
                    let client = try WebSocketClient(port, security: security)
                    try client.raw.send(WebSocketClient.handshake("/answered"))
                    return try client.raw.reply()
                }
                #expect(reply.text == "ok")
                #expect(await eventually { sockets(on: server.upstreamPort) == 1 })
            }
        }

        @Test func theUpstreamIsClosedIfTheCallerHasGone() async throws {
            let upstreams = try Upstreams()
            let started = Tally()
            try await withServer { exchange in
                started.add()
                // Until it is cancelled.
                await Gate().pass()
                guard let end = try? upstreams.connect() else { return }
                exchange.tunnel(switching, to: end)
            } test: { server in
                try await askForUpgradeAndLeave(server, when: started)
                let upstream = Box<RawClient?>(nil)
                #expect(
                    await eventually {
                        upstream.change { $0 = upstreams.takeLast() ?? $0 }
                        return upstream.value != nil
                    })
                let isClosed = try await blocking { try upstream.value?.isClosedByPeer() }
                #expect(isClosed == true)
            }
        }
    }
}
