import Glibc
import MicroHTTPD
import TestSupport
import Testing

/// Callers without TLS, and with it.
private let securities: [String?] = [nil, "NORMAL"]

extension OneAtATime {
    /// How tunnels end, and that nothing of them is left.
    @Suite(.timeLimit(.minutes(2))) struct TunnelEndingTests {
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
        func anUpstreamThatGoesTakesItsCallerAlong(_ security: String?, _ isReset: Bool) async throws {
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
        func aCallerThatGoesTakesItsUpstreamAlong(_ security: String?, _ isReset: Bool) async throws {
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

        /// The loop must not be busy with sides that have ended while others still take what came from them.
        @Test(arguments: securities, [true, false])
        func anEndedSideThatWaitsCostsNoTime(_ security: String?, _ isCallerFirst: Bool) async throws {
            try await withTunnels(security) { server in
                let (caller, upstream) = try await server.open()
                let (first, second) = isCallerFirst ? (caller, upstream) : (upstream, caller)
                let sent = try await blocking {
                    second.finishSending()
                    #expect(try first.readSome(1) == 0)
                    return try first.sendUntilBlocked(pattern(64 << 10), atMost: 200 << 20)
                }
                let isFinished = Tally()
                async let finished: Void = blocking {
                    first.finishSending()
                    isFinished.add()
                }
                let read = try await blocking {
                    // Until its end has come where there still is more to read than the other takes.
                    var read = 0
                    while isFinished.count == 0 || first.unacknowledged > 0 {
                        read += try second.readSome(64 << 10)
                    }
                    return read
                }
                try await finished
                let loop = try #require(server.loops.value.first)
                let before = await loop.busySeconds()
                try await Task.sleep(for: .seconds(1))
                let busy = await loop.busySeconds() - before
                #expect(busy < 0.2, "\(busy) s")
                let left = try await blocking { try second.drainToEnd() }
                #expect(left > 0)
                #expect(read + left >= sent)
                #expect(await server.isEmpty())
            }
        }

        @Test(arguments: securities, [true, false])
        func silenceBehindOneEndClosesBothSides(_ security: String?, _ isCallerFirst: Bool) async throws {
            try await withTunnels(security, silentSeconds: 2) { server in
                let (caller, upstream) = try await server.open()
                let (first, second) = isCallerFirst ? (caller, upstream) : (upstream, caller)
                try await blocking {
                    first.finishSending()
                    #expect(try second.readSome(1) == 0)
                    // As long as something comes it goes on.
                    for _ in 0..<8 {
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
        func aTunnelInWhichNothingEndsMayBeSilent(_ security: String?) async throws {
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
            let start = Box(0.0)
            let tunnels = try await withTunnels(security) { server in
                var tunnels: [(caller: RawClient, upstream: RawClient)] = []
                for _ in 0..<20 { tunnels.append(try await server.open()) }
                start.change { $0 = now() }
                return tunnels
            }
            // Its grace is two seconds; nobody had to be waited for.
            #expect(now() - start.value < 2)
            for tunnel in tunnels {
                try await blocking {
                    let isClosed = (try tunnel.caller.isClosedByPeer(), try tunnel.upstream.isClosedByPeer())
                    #expect(isClosed == (true, true))
                }
            }
        }

        @Test(arguments: securities)
        func whereTheCallerWasAnsweredBeforeTheUpstreamIsClosed(_ security: String?) async throws {
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

        @Test func whereTheCallerHasGoneTheUpstreamIsClosed() async throws {
            let upstreams = try Upstreams()
            let started = Tally()
            try await withServer { exchange in
                started.add()
                // Until it is cancelled.
                await Gate().pass()
                guard let end = try? upstreams.connect() else { return }
                exchange.tunnel(switching, to: end)
            } test: { server in
                let port = server.port
                let client = try await blocking {
                    let client = try WebSocketClient(port)
                    try client.raw.send(WebSocketClient.handshake())
                    return client
                }
                #expect(await started.reaches(1))
                client.raw.reset()
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

extension Loop {
    /// Seconds of a processor that its thread has used.
    fileprivate func busySeconds() async -> Double {
        await withCheckedContinuation { continuation in
            performSoon {
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                continuation.resume(returning: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
            }
        }
    }
}
