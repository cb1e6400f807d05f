import EngineSupport
import Glibc
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// Requests that were made to confuse a server: each gets the one answer that is expected, or a close.
struct HostileRequestTests {
    /// One raw request.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let statuses: Set<Int>
        var limits: @Sendable (inout Limits) -> Void = { _ in }

        var testDescription: String { name }

        /// Whether a case may be answered so; nil for a close without a reply.
        func allows(_ status: Int?) -> Bool {
            guard let status, status != 408 else { return statuses.contains(HostileRequestTests.closed) }
            return statuses.contains(status)
        }

        init(
            _ name: String, _ text: String, _ statuses: Set<Int> = [400],
            limits: @escaping @Sendable (inout Limits) -> Void = { _ in }
        ) {
            self.init(name, Array(text.utf8), statuses, limits: limits)
        }

        init(
            _ name: String, _ bytes: [UInt8], _ statuses: Set<Int> = [400],
            limits: @escaping @Sendable (inout Limits) -> Void = { _ in }
        ) {
            self.name = name
            self.bytes = bytes
            self.statuses = statuses
            self.limits = limits
        }
    }

    /// Means "closed" in a case's statuses, at once without a reply or at the deadline with a 408.
    private static let closed = 0

    @Test(arguments: HostileRequests.refused)
    func aHostileRequestIsRefusedOnceAndReachesNoHandler(_ hostile: Case) async throws {
        try await Self.refuses(hostile)
    }

    @Test(arguments: DesyncRequests.severe)
    func aRequestWithAnotherHiddenInItIsRefusedOnceAndReachesNoHandler(_ hostile: Case) async throws {
        try await Self.refuses(hostile)
    }

    @Test(arguments: DesyncRequests.ambiguous)
    func aRequestThatCanBeReadInTwoWaysIsRefusedOnceAndReachesNoHandler(_ hostile: Case) async throws {
        try await Self.refuses(hostile)
    }

    private static func refuses(_ hostile: Case) async throws {
        let (replies, reached) = try await outcome(of: hostile)
        #expect(replies.count <= 1, "answered more than once: \(replies.map(\.status))")
        #expect(hostile.allows(replies.first?.status), "\(replies.map(\.status))")
        #expect(reached == [], "the handler was reached")
    }

    /// What a server answers, and the requests that reached the handler.
    private static func outcome(
        of hostile: Case
    ) async throws -> (replies: [RawAnswer], reached: [String]) {
        let reached = Box<[String]>([])
        let replies = Box<[RawAnswer]>([])
        try await serve(hostile, reached) { port in
            let got = try await blocking { try Self.replies(to: hostile, port) }
            replies.change { $0 = got }
        }
        return (replies.value, reached.value)
    }

    @Test(arguments: HostileRequests.served)
    func anUnusualButValidRequestIsServed(_ unusual: Case) async throws {
        let reached = Box<[String]>([])
        try await Self.serve(unusual, reached) { port in
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send(unusual.bytes)
                let reply = try client.reply()
                return reply.status == 100 ? try client.reply() : reply
            }
            #expect(reply.status == 200)
            #expect(reached.value.count == 1, "\(reached.value)")
        }
    }

    @Test(arguments: HostileRequests.bodies)
    func aBrokenBodyIsRefusedAndItsRequestIsNeverAnsweredTwice(_ broken: Case) async throws {
        try await Self.refuses(broken)
    }

    /// Serves a case, then a plain request on another connection.
    private static func serve(
        _ hostile: Case, _ reached: Box<[String]>,
        _ test: (Int) async throws -> Void
    ) async throws {
        var limits = Limits()
        // Time enough for the cases that are whole, which many others keep waiting.
        limits.headTime = .seconds(4)
        limits.graceTime = .seconds(4)
        hostile.limits(&limits)
        try await withServer(limits: limits, loops: 1) { exchange in
            if exchange.request.path != "/plain" { reached.change { $0.append("\(exchange.request)") } }
            ok(exchange)
        } test: { server in
            try await test(server.port)
            let port = server.port
            let plain = try await blocking {
                let client = try RawClient(port)
                try client.send("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.reply()
            }
            #expect(plain.status == 200)
        }
    }

    /// What comes until the connection is closed.
    private static func replies(to hostile: Case, _ port: Int) throws -> [RawAnswer] {
        let client = try RawClient(port)
        do { try client.send(hostile.bytes) } catch RawClient.Failure.system(_, EPIPE) {
        } catch RawClient.Failure.system(_, ECONNRESET) {}
        return try client.refusalsToEnd(toHead: hostile.bytes.starts(with: "HEAD ".utf8))
    }

    @Test func anAbsoluteTargetsAuthorityBeatsTheHostHeader() async throws {
        let seen = Box<[String?]>([])
        try await withServer { exchange in
            seen.change {
                $0 = [
                    exchange.request.authority, exchange.request.path,
                    exchange.head.isAbsoluteForm ? "absolute" : nil,
                ]
            }
            ok(exchange)
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send("GET http://right.example:81/a?b HTTP/1.1\r\nHost: wrong.example\r\n\r\n")
                return try client.reply()
            }
            #expect(reply.status == 200)
            #expect(seen.value == ["right.example:81", "/a?b", "absolute"])
        }
    }

    @Test(arguments: [
        "Host: evil", "Content-Length: 44", "Transfer-Encoding: chunked", "Connection: close",
        "Authorization: evil", "Cookie: evil=1", "Expect: x", "Upgrade: h2c", "X-Late: 1",
        "Host: evil\r\nContent-Length: 44\r\nX-Late: 1",
    ])
    func trailersAreNotMergedIntoTheHead(_ trailers: String) async throws {
        try await Self.forgets(trailers)
    }

    /// A library may refuse them, as 1.0 does: then nothing behind them is answered.
    @Test(arguments: [
        "X-Late: a\u{01}b", "X-Late: a\0b", "X-Late : b", "\u{01}: evil", ": evil", "X-Late: a\r\n evil",
    ])
    func malformedTrailersAreNotMergedIntoTheHead(_ trailers: String) async throws {
        try await Self.forgets(trailers, orRefuses: true)
    }

    private static func forgets(_ trailers: String, orRefuses isBroken: Bool = false) async throws {
        let seen = Box<[String]>([])
        try await withServer(loops: 1) { exchange in
            seen.change { seen in
                let request = exchange.request
                seen.append("\(request.path ?? "") \(request.authority ?? "")")
                for field in request.headerFields { seen.append("\(field)") }
            }
            ok(exchange)
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n"
                        + trailers + "\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return try client.repliesToEnd()
            }
            if isBroken, replies.map(\.status) == [400] { return #expect(seen.value == []) }
            #expect(replies.map(\.status) == [200, 200])
            #expect(seen.value == ["/ a", "/second a", "Connection: close"])
        }
    }

    /// RFC 9112, section 7.1.1, has extensions ignored.
    ///
    /// libmicrohttpd 1.0.1 refuses them by mistake.
    @Test func chunkExtensionsAreIgnored() async throws {
        try await withServer { exchange in
            ok(exchange, String(decoding: exchange.body, as: UTF8.self))
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5;a=b;c=\"d\"\r\nhello\r\n0\r\n\r\n")
                return try client.reply()
            }
            if reply.status == 400, HeadLayout.fault(of: .lineFeeds) == nil {
                try Test.cancel("this libmicrohttpd refuses chunk extensions")
            }
            #expect(reply.text == "hello")
        }
    }

    @Test(arguments: ["Content-Length: 20", "Content-Length: 2000000000"])
    func aBodyThatIsTooLargeIsRefusedBeforeItsSenderIsToldToContinue(_ length: String) async throws {
        let reached = Tally()
        try await withServer(chooseBody: { _, _, _ in .collected(upTo: 10) }) { exchange in
            reached.add()
            ok(exchange)
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\n\(length)\r\nExpect: 100-continue\r\n\r\n")
                return try client.repliesToEnd()
            }
            #expect(replies.map(\.status) == [413])
            #expect(reached.count == 0)
        }
    }

    @Test func aBodyThatIsNotAllowedIsRefusedBeforeItsSenderIsToldToContinue() async throws {
        try await withServer(
            chooseBody: { _, _, _ in .refused(HTTPResponse(status: .forbidden), Array("no".utf8)) },
            handle: { ok($0) }
        ) { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
                return try client.repliesToEnd()
            }
            #expect(replies.map(\.status) == [403])
        }
    }
}
