import EventLoop
import Glibc
import MicroHTTPD
import TestSupport
import Testing

extension OneAtATime {
    /// What a tunnel does while its upstream takes nothing.
    @Suite(.timeLimit(.minutes(5))) struct TunnelRoomTests {
        /// Serves tunnels to one end, and gives the loop of the first that is open.
        private static func serving(
            _ end: FullEnd, test: (HTTPServer, RawClient, Loop) async throws -> Void
        ) async throws {
            let loops = Box<[Loop]>([])
            try await withServer(loops: 1) { exchange in
                loops.change { $0.append(exchange.loop) }
                exchange.tunnel(switching, to: end)
            } test: { server in
                let port = server.port
                let caller = try await blocking { try WebSocketClient.open(port).raw }
                try await test(server, caller, try #require(loops.value.first))
            }
        }

        /// The system tells of a connection whose directions have both ended again and again, asked or not.
        @Test func aTunnelWhoseCallerHasEndedUsesNoProcessor() async throws {
            let end = try FullEnd(takesBytes: false)
            try await Self.serving(end) { server, caller, loop in
                end.endUpstream()
                try await blocking {
                    #expect(try caller.readSome(1) == 0)
                    try caller.send("x")
                    caller.finishSending()
                }
                let before = await loop.busySeconds()
                try await Task.sleep(for: .seconds(1))
                let busy = await loop.busySeconds() - before
                #expect(busy < 0.2, "\(busy) s")
                #expect(end.hadRoom.value == nil)
                end.drain()
                #expect(await eventually { end.hadRoom.value == true })
                // The server's own, and the loop's duplicate of it.
                #expect(await eventually { sockets(on: server.port) == 2 })
            }
        }

        /// The alert of TLS would be lost otherwise.
        @Test func theEndOfATunnelIsSentOnceTheSocketHasRoom() async throws {
            let end = try FullEnd(takesBytes: true)
            try await Self.serving(end) { server, caller, loop in
                caller.finishSending()
                // The end has come by then, and the loop sees it in the round in which it answers this.
                _ = await loop.busySeconds()
                end.drain()
                #expect(await eventually { end.hadRoom.value != nil })
                #expect(end.hadRoom.value == true)
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
