import Glibc
import MicroHTTPD
import TestSupport
import Testing

extension OneAtATime {
    /// Many tunnels at once, what each of them costs, and what is left of them.
    @Suite(.timeLimit(.minutes(5))) struct TunnelManyTests {
        @Test(arguments: [(nil, 1000), ("NORMAL", 200)] as [(String?, Int)])
        func manyAtOnceAreServedAndLeaveNothingBehind(_ security: String?, _ count: Int) async throws {
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
            let program = try Program.product("echo-server")
            let port = try await program.port()
            let process = "\(program.child.processIdentifier)"
            let first = try await Self.open(500, port)
            let before = residentBytes(of: process)
            let more = try await Self.open(2000, port)
            let each = (residentBytes(of: process) - before) / 2000
            if isAlone { #expect(each < 2048, "\(each) bytes") }
            withExtendedLifetime((first, more)) {}
        }

        /// Tunnels through which something has gone.
        private static func open(_ count: Int, _ port: Int) async throws -> [RawClient] {
            try await blocking {
                try (0..<count).map { _ in
                    let client = try RawClient(port)
                    try client.send(WebSocketClient.handshake("/tunnel"))
                    guard try client.head().status == 101 else { throw RawClient.Failure.closed(after: 0) }
                    try client.send("hello")
                    return client
                }
            }
        }
    }
}
