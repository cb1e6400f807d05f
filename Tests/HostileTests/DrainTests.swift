import Drawbridge
import Synchronization
import TestSupport
import Testing

@testable import DrawbridgeJournal
@testable import DrawbridgeServer

/// A gateway that is about to stop, as a balancer, callers and pages see it.
@Suite("Hostile 33: draining, a stop that nobody notices", .serialized, .timeLimit(.minutes(5)))
struct DrainTests {
    /// Answers when it is told to.
    private struct Hold: JSONHandler {
        static let options = HandlerOptions(deadline: nil)

        let began: Observed<Int>
        let end: Event

        func handle(_ input: JSON?) async throws -> String {
            began.change { $0 += 1 }
            await end.wait()
            return "held"
        }
    }

    private struct Echo: JSONHandler {
        func handle(_ input: JSON?) async throws -> JSON? { input }
    }

    /// A gateway with these handlers, which is drained.
    private final class Draining: Sendable {
        let gateway = Gateway.quiet(keepsJournal: true)
        let server: GatewayServer
        let began = Observed(0)
        let end = Event()
        private let drain = Mutex<Task<Void, Never>?>(nil)

        var port: Int { server.address.port }

        init() throws {
            server = try GatewayServer(gateway, ServerConfiguration(port: 0, loops: 2, logsRequests: false))
            try gateway.register(Echo.self, at: "/echo")
            try gateway.register(at: "/hold") { [began, end] in Hold(began: began, end: end) }
        }

        /// Begins it, and waits until it has.
        func begin() async throws {
            drain.withLock { $0 = Task { [server] in await server.drain(for: .seconds(240)) } }
            while try await health() == 200 {}
        }

        func health() async throws -> Int? {
            try await replies(port, get("/__drawbridge__/health")).first?.status
        }

        /// Waits until it has drained by itself.
        func drained() async { await drain.withLock { $0 }?.value }

        func page(_ id: Character = "a") async throws -> ChannelPage {
            try await ChannelPage.open(
                port, gateway.access.token.text, id: String(repeating: id, count: 32))
        }
    }

    /// The code by which the gateway closes a page's channel; then the page ends the connection.
    private static func closing(_ page: ChannelPage) async throws -> Int? {
        try await blocking { () throws -> Int? in
            defer { page.socket.raw.close() }
            while true {
                if let code = try page.socket.receive().code { return code }
            }
        }
    }

    private static let call = "GET /echo?_mobile_bridge=1&a=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// Clients that keep their connections, as those of a balancer do: it sends them to another gateway as soon as the
    /// health of this one is bad.
    @Test func noRequestIsLostUnderLoad() async throws {
        let (first, second) = (try Draining(), try Draining())
        let (answers, failures, isSecond) = (Observed(0), Notebook(), Observed(false))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try? await blocking {
                        var (client, answersOfSecond): (RawClient?, Int) = (nil, 0)
                        while answersOfSecond < 100 {
                            let isMoved = isSecond.value
                            do {
                                if client == nil {
                                    client = try RawClient(isMoved ? second.port : first.port)
                                }
                                try client?.send(Self.call)
                                let reply = try client?.reply()
                                if reply?.status != 200 { failures.note("\(reply as Any)") }
                                answers.change { $0 += 1 }
                                if isMoved { answersOfSecond += 1 }
                                if reply?["Connection"] == "close" { client = nil }
                            } catch {
                                failures.note("\(error)")
                                client = nil
                                if failures.entries.count > 100 { return }
                            }
                        }
                    }
                }
            }
            group.addTask {
                _ = try? await answers.wait { $0 >= 2000 }
                try? await first.begin()
                isSecond.change { $0 = true }
            }
        }
        #expect(failures.entries == [])
        // Its last connection has gone, and its port with them.
        await first.drained()
        #expect(sockets(on: first.port) == 0)
        await first.server.stop()
        await second.server.stop()
    }

    @Test func aConnectionWithoutARequestGetsOneMoreAnswer() async throws {
        let draining = try Draining()
        let client = try await blocking {
            let client = try RawClient(draining.port)
            try client.send(Self.call)
            #expect(try client.reply()["Connection"] == nil)
            return client
        }
        try await draining.begin()
        // A second time changes nothing.
        try await draining.begin()
        try await blocking {
            try client.send(Self.call)
            let reply = try client.reply()
            #expect(reply.status == 200 && reply["Connection"] == "close")
            #expect(try client.isClosedByPeer())
        }
        // New connections are served, too.
        let new = try await blocking {
            let client = try RawClient(draining.port)
            try client.send(Self.call)
            return try client.repliesToEnd()
        }
        #expect(new.map(\.status) == [200])
        await draining.server.stop()
    }

    @Test func aCallUnderWayIsAnsweredAndItsConnectionClosed() async throws {
        let draining = try Draining()
        let answer = Task {
            try await blocking {
                let client = try RawClient(draining.port)
                try client.send("GET /hold?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return try client.repliesToEnd()
            }
        }
        try await draining.began.wait { $0 == 1 }
        try await draining.begin()
        draining.end.happen()
        let replies = try await answer.value
        #expect(replies.map(\.status) == [200] && replies.first?["Connection"] == "close")
        await draining.drained()
        await draining.server.stop()
    }

    @Test func channelsOfPagesCloseWhenTheirCallsHaveEnded() async throws {
        let draining = try Draining()
        let (idle, calling) = (try await draining.page("a"), try await draining.page("b"))
        try await calling.tell(["up": [[1, ["call": "hold", "id": 1]]]])
        try await draining.began.wait { $0 == 1 }
        try await draining.begin()
        #expect(try await Self.closing(idle) == 1001)
        // Another call of a page that waits is for the next gateway.
        try await calling.tell(["up": [[2, ["call": "echo", "id": 2]]]])
        #expect(draining.gateway.pages.all.contains { $0.presence == .here })
        draining.end.happen()
        #expect(try await "\(calling.messages(1))".contains("held"))
        // Not before the page has said that it has the answer.
        try await calling.tell(["ack": 1])
        #expect(try await Self.closing(calling) == 1001)
        // It may come back, as long as nobody sends it elsewhere, and then its call is taken.
        let again = try await blocking {
            try ChannelPage(
                draining.port, draining.gateway.access.token.text, id: String(repeating: "b", count: 32),
                epoch: draining.gateway.pages.epoch, sent: 2, received: 1)
        }
        #expect(again.welcome["received"] == 1)
        try await again.tell(["up": [[2, ["call": "echo", "id": 2]]]])
        #expect(try await "\(again.messages(1))".contains("2"))
        try await again.tell(["ack": 2])
        #expect(try await Self.closing(again) == 1001)
        await draining.server.stop()
    }

    /// Seconds in which nobody was there before it count for nothing: a balancer asks for its health first.
    @Test func aDrainOfAQuietGatewayLastsThreeSeconds() async throws {
        let draining = try Draining()
        await until { draining.server.server.quietSeconds >= 3 }
        let begin = ContinuousClock.now
        await draining.server.drain(for: .seconds(240))
        #expect(ContinuousClock.now - begin >= .seconds(3))
        await draining.server.stop()
    }

    /// A balancer that does not ask for health connects until the port is closed.
    @Test func whatHasConnectedIsAnsweredAfterThePortIsClosed() async throws {
        let draining = try Draining()
        let client = try await blocking { try RawClient(draining.port) }
        let drain = Task { await draining.server.drain(for: .zero, rest: .seconds(240)) }
        await until { (try? RawClient(draining.port)) == nil }
        try await blocking {
            try client.send(Self.call)
            let replies = try client.repliesToEnd()
            #expect(replies.map(\.status) == [200] && replies.first?["Connection"] == "close")
        }
        // Nothing is open any more, and so it has ended long before the rest is over.
        await drain.value
        #expect(sockets(on: draining.port) == 0)
        await draining.server.stop()
    }

    @Test func aTestersWaitGoesOn() async throws {
        let draining = try Draining()
        let token = draining.gateway.testerToken.text
        let wait = Task {
            try await replies(
                draining.port,
                get(
                    "/__drawbridge__/calls?name=echo&count=1&seconds=200", "Authorization: Bearer \(token)"))
        }
        await until { draining.gateway.journal.waiting.load(ordering: .relaxed) == 1 }
        try await draining.begin()
        _ = try await replies(draining.port, get("/echo?_mobile_bridge=1"))
        #expect(try await wait.value.first?.text.contains(#""name":"echo""#) == true)
        await draining.server.stop()
    }

    @Test func theCommandEndsWhenNothingIsConnectedAndAtOnceByASecondSignal() async throws {
        for isAgain in [false, true] {
            let server = try Program.product("test-server", ["-p", "0", "--drain", "240"])
            let port = try await server.port()
            let client = isAgain ? try RawClient(port) : nil
            server.child.terminate()
            _ = try await server.line(with: "another signal stops now")
            if isAgain {
                let health = try await replies(port, get("/__drawbridge__/health"))
                #expect(health.first?.status == 503)
                server.child.terminate()
            }
            #expect(await server.child.exitCode() == 0, "\(server.output)")
            client?.close()
        }
    }
}
