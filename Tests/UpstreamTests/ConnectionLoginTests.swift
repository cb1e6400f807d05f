import Drawbridge
import DrawbridgeServer
import TestSupport
import Testing

/// Logins that hold for a whole connection, as NTLM's and Negotiate's do: RFC 4559, section 6.
@Suite("Connections that a caller has logged in", .timeLimit(.minutes(5)))
struct ConnectionLoginTests {
    /// Three legs on one connection; after the third the server knows by the connection alone who asks.
    private static let server: Answering = { connection, head in
        _ = try connection.readBody(after: head)
        let heard = String(decoding: connection.received, as: UTF8.self)
        func answer(_ body: String) throws {
            try connection.send(ok(body))
        }
        func refuse(_ challenge: String) throws {
            try connection.send(ok("", "WWW-Authenticate: \(challenge)", status: "401 Unauthorized"))
        }
        if head.contains("/open") { return try answer("open") }
        guard let first = heard.firstRange(of: " one\r\n") else { return try refuse("Basic realm=x, NTLM") }
        guard let last = heard.firstRange(of: " three-"), first.upperBound < last.lowerBound else {
            return try refuse(head.contains("NTLM") ? "NTLM two" : "Negotiate two")
        }
        guard !head.contains("Upgrade") else {
            return try connection.send(
                "HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nfirst")
        }
        try answer("you are \(heard[last.upperBound...].prefix(3))")
    }

    private static func ask(_ target: String = "/", _ lines: String..., version: String = "1.1") -> String {
        (["GET \(target) HTTP/\(version)", "Host: localhost"] + lines + ["", ""]).joined(separator: "\r\n")
    }

    private static func logIn(
        _ client: RawClient, _ scheme: String, _ name: String, _ lines: String..., version: String = "1.1"
    ) throws {
        let keep = version == "1.0" ? "Connection: keep-alive" : "X-A: a"
        try client.send(ask("/", keep, "Authorization: \(scheme) one", version: version))
        #expect(try client.reply()["WWW-Authenticate"] == "\(scheme) two")
        try client.send(ask("/", keep, "Authorization: \(scheme) three-\(name)", version: version))
        #expect(try client.reply().text == "you are \(name)")
    }

    @Test func eachCallerHasItsOwnAndNobodyElseGetsIt() async throws {
        try await proxying(to: Self.server) { port, upstream in
            // A connection that the pool has is taken for a login, and is nobody else's from then on.
            #expect(try await reply(port, get("/open")).text == "open")
            try await blocking {
                let (ann, bob, eve) = (try RawClient(port), try RawClient(port), try RawClient(port))
                try Self.logIn(ann, "NTLM", "ann")
                try Self.logIn(bob, "Negotiate", "bob")
                for _ in 0..<3 {
                    for client in [ann, bob, eve] { try client.send(Self.ask()) }
                    #expect(try ann.reply().text == "you are ann")
                    #expect(try bob.reply().text == "you are bob")
                    #expect(try eve.reply().status == 401)
                }
                // Pipelined, and with a body that is streamed.
                try ann.send(Self.ask() + Self.ask())
                #expect(try [ann.reply().text, ann.reply().text] == ["you are ann", "you are ann"])
                let body = String(repeating: "a", count: 100_000)
                try ann.send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n\(body)")
                #expect(try ann.reply().text == "you are ann")
                #expect(upstream.count == 3)
            }
            // Their callers have left, and so they are closed.
            for connection in upstream.connections.value { try await connection.isOver.wait { $0 } }
            #expect(try await reply(port, get("/")).status == 401)
        }
    }

    @Test func aLoginHoldsInHTTP10AsLongAsTheCallersConnection() async throws {
        try await proxying(to: Self.server, by: [.plain]) { port, upstream in
            try await blocking {
                let client = try RawClient(port)
                try Self.logIn(client, "NTLM", "ann", version: "1.0")
                try client.send(Self.ask(version: "1.0"))
                #expect(try client.repliesToEnd().map(\.text) == ["you are ann"])
            }
            try await upstream.connections.value[0].isOver.wait { $0 }
            #expect(upstream.count == 1)
        }
    }

    /// It takes the connection with it.
    @Test func aWebSocketOpensOnTheConnectionOfItsCaller() async throws {
        try await proxying(to: Self.server) { port, upstream in
            try await blocking {
                let client = try RawClient(port)
                try Self.logIn(client, "NTLM", "ann")
                try client.send(
                    Self.ask(
                        "/socket", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="))
                #expect(try client.head().status == 101)
                #expect(String(decoding: try client.bytes(5), as: UTF8.self) == "first")
            }
            try await upstream.connections.value[0].isOver.wait { $0 }
            #expect(upstream.count == 1)
        }
    }

    @Test func aCallerThatLeavesInTheMiddleTakesItsConnectionAlong() async throws {
        let isAsked = Observed(false)
        let waiting: Answering = { connection, head in
            guard head.contains("/slow") else { return try Self.server(connection, head) }
            isAsked.change { $0 = true }
            _ = try? connection.read(1)
        }
        try await proxying(to: waiting) { port, upstream in
            try await blocking {
                let client = try RawClient(port)
                try Self.logIn(client, "NTLM", "ann")
                try client.send(Self.ask("/slow"))
            }
            try await isAsked.wait { $0 }
            try await upstream.connections.value[0].isOver.wait { $0 }
            isAsked.change { $0 = false }
            #expect(try await reply(port, get("/")).status == 401)
        }
    }

    /// A request that nobody has sent by a connection of its own, such as one of a handler, leaves none behind.
    @Test func aHandlersOwnLoginIsNobodys() async throws {
        struct Logging: Handler {
            func handle(_ request: Request) async throws -> Response {
                var own = Request("/", headers: [.authorization: "NTLM one"])
                own.answerer = request.answerer
                return try await own.passThrough()
            }
        }
        let upstream = try RawUpstream(answering: Self.server)
        defer { upstream.stop() }
        let gateway = Gateway.quiet([.upstream("http://127.0.0.1:\(upstream.port)")])
        try gateway.register(Logging.self, at: "/log")
        try await serving(gateway) { port in
            _ = try await reply(port, get("/log?_mobile_bridge=1"))
            try await upstream.connections.value[0].isOver.wait { $0 }
        }
    }

    /// What is sent with each request needs no connection of its own.
    @Test(arguments: ["Basic YTpi", "Bearer ntlm", "Digest realm=\"x\""])
    func otherLoginsShareConnections(_ login: String) async throws {
        let answering: Answering = { connection, _ in
            try connection.send(
                ok("", "WWW-Authenticate: \(login.prefix { $0 != " " }) a=b", status: "401 No"))
        }
        try await proxying(to: answering, by: [.plain]) { port, upstream in
            for _ in 0..<5 { _ = try await reply(port, get("/", "Authorization: \(login)")) }
            #expect(upstream.count == 1)
        }
    }
}
