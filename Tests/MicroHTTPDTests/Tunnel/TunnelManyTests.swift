import Glibc
import MicroHTTPD
import TestSupport
import Testing

extension OneAtATime {
    /// Many tunnels at once, what each of them costs, and what is left of them.
    @Suite(.timeLimit(.minutes(5))) struct TunnelManyTests {
        @Test(arguments: [(nil, 1000), ("NORMAL", 200)] as [(String?, Int)])
        func manyTunnelsAtOnceAreServedAndLeaveNothingBehind(_ security: String?, _ count: Int) async throws {
            try await withTunnels(security) { server in
                var tunnels: [(caller: RawClient, upstream: RawClient)] = []
                for _ in 0..<count { tunnels.append(try await server.open()) }
                let all = tunnels
                try await blocking {
                    for round in 0..<3 {
                        for (index, tunnel) in all.enumerated() {
                            try tunnel.caller.send(pattern(100, from: index + round))
                            try tunnel.upstream.send(pattern(50, from: index + round))
                        }
                        for (index, tunnel) in all.enumerated() {
                            #expect(try tunnel.upstream.bytes(100) == pattern(100, from: index + round))
                            #expect(try tunnel.caller.bytes(50) == pattern(50, from: index + round))
                        }
                    }
                    for (index, tunnel) in all.enumerated() {
                        switch index % 4 {
                        case 0: tunnel.caller.reset()
                        case 1: tunnel.upstream.reset()
                        default:
                            tunnel.caller.finishSending()
                            tunnel.upstream.finishSending()
                        }
                    }
                }
                #expect(await server.isEmpty())
                withExtendedLifetime(all) {}
            }
        }

        @Test func anIdleTunnelTakesLessThanTwoKilobytes() async throws {
            let each = try await costOfEach { port in
                let client = try RawClient(port)
                try client.send(WebSocketClient.handshake("/tunnel"))
                guard try client.head().status == 101 else { throw RawClient.Failure.closed(after: 0) }
                // Something has gone through it.
                try client.send("hello")
                return client
            }
            if isAlone { #expect(each < 2048, "\(each) bytes") }
        }
    }
}
