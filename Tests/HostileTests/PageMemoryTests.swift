import Drawbridge
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// What pages ask for, send and do not take uses the memory for bodies, and comes back.
@Suite("Memory: pages that ask for much and take nothing", .timeLimit(.minutes(5)))
struct PageMemoryTests {
    private static let megabyte = 1 << 20

    /// Serves with 24 MB for all that waits.
    private static func serving(_ test: (Gateway, _ port: Int) async throws -> Void) async throws {
        let gateway = Gateway.quiet()
        try gateway.register(Much.self, at: "/much")
        try gateway.register(Keeping.self, at: "/keeping")
        try gateway.register(Size.self, at: "/size")
        var limits = Limits()
        limits.memoryForBodies = 24 * megabyte
        try await HostileTests.serving(gateway, limits: limits) { try await test(gateway, $0) }
    }

    /// A page's message with one call.
    private static func call(_ name: String, _ id: Int, _ data: JSON = .null) -> JSON {
        let id = JSON.number(.init(id))
        return ["up": [[id, ["call": .string(name), "data": data, "id": id]]]]
    }

    /// Waits until a body of 7 MB is taken, or until it is not.
    private static func waitUntilABody(isTaken: Bool, _ port: Int) async throws {
        let request = post("/size?_mobile_bridge=1", [UInt8](repeating: 1, count: 7 * megabyte))
        while true {
            // A test whose time is over asks no more.
            try Task.checkCancellation()
            let reply = try await blocking {
                let client = try RawClient(port, timeout: 60)
                // Who is refused reads no more of it.
                try? client.send(request)
                return try client.reply()
            }
            #expect(reply.status == 200 || reply.status == 503)
            if (reply.status == 200) == isTaken { return }
        }
    }

    @Test func answersThatAPageDoesNotTakeCountAgainstTheMemoryForBodies() async throws {
        try await Self.serving { gateway, port in
            let page = try await ChannelPage.open(port, gateway.access.token.text)
            for id in 1...40 { try await page.tell(Self.call("much", id)) }
            // Some are on their way; the others come when these are acknowledged, and the last are errors.
            var answers = try await page.messages(1)
            try await Self.waitUntilABody(isTaken: false, port)
            while answers.count < 40 {
                try await page.tell(["ack": .number(.init(answers.count))])
                answers += try await page.messages(1)
            }
            let values = answers.compactMap { $0[1]?["value"]?.stringValue?.utf8.count }
            let errors = answers.compactMap { $0[1]?["error"] }
            #expect(values.allSatisfy { $0 == Self.megabyte })
            // A few of them are counted twice while they are sent.
            #expect((18...23).contains(values.count) && values.count + errors.count == 40)
            for error in errors {
                #expect(error["code"] == 503)
                #expect(error["message"]?.stringValue?.contains("--memory-for-bodies") == true)
            }
            try await page.tell(["ack": 40])
            try await Self.waitUntilABody(isTaken: true, port)
        }
    }

    @Test func aPageThatIsGivenUpReturnsItsMemoryForBodies() async throws {
        try await Self.serving { gateway, port in
            let page = try await ChannelPage.open(port, gateway.access.token.text)
            for id in 1...40 { try await page.tell(Self.call("much", id)) }
            try await Self.waitUntilABody(isTaken: false, port)
            page.socket.raw.close()
            gateway.pages.all.first?.giveUp()
            try await Self.waitUntilABody(isTaken: true, port)
        }
    }

    @Test func inputsOfRunningCallsCountAgainstTheMemoryForBodies() async throws {
        try await Self.serving { gateway, port in
            let page = try await ChannelPage.open(port, gateway.access.token.text)
            let data = JSON.string(String(repeating: "x", count: 5 * Self.megabyte))
            // Four have room; of the next one not all is taken.
            for id in 1...5 { try? await page.tell(Self.call("keeping", id, data)) }
            #expect(try await page.closing() == 1013)
            try await Self.waitUntilABody(isTaken: false, port)
            // Its handlers are cancelled with it.
            gateway.pages.all.first?.giveUp()
            try await Self.waitUntilABody(isTaken: true, port)
        }
    }

    @Test func anIncompleteMessageCountsAgainstTheMemoryForBodies() async throws {
        try await Self.serving { gateway, port in
            let token = gateway.access.token.text
            var pages: [ChannelPage] = []
            for number in 0..<3 {
                let id = String(repeating: String(number), count: 32)
                pages.append(try await ChannelPage.open(port, token, id: id))
            }
            let digits = [UInt8](repeating: UInt8(ascii: "1"), count: 10 * Self.megabyte)
            let half = WebSocketClient.frame(1, digits, length: 11 * Self.megabyte)
            for page in pages { try await blocking { try? page.socket.raw.send(half) } }
            // Two have room; which is the third depends on how the pieces of all come in.
            let (number, code) = try await Self.firstClosing(of: pages)
            #expect(code == 1013)
            try await Self.waitUntilABody(isTaken: false, port)
            for page in pages { page.socket.raw.shutDown() }
            try await Self.waitUntilABody(isTaken: true, port)
            // The page comes back, and is served.
            let epoch = try #require(pages[number].welcome["epoch"]?.stringValue)
            let again = try await ChannelPage.open(
                port, token, id: String(repeating: String(number), count: 32), epoch: epoch)
            try await again.tell(Self.call("alive", 1))
            #expect(try await again.messages(1)[0][1]?["value"] == true)
        }
    }

    /// The place of the page whose connection ends first, and by which code.
    private static func firstClosing(of pages: [ChannelPage]) async throws -> (number: Int, code: Int?) {
        let first = Observed<(Int, Int?)?>(nil)
        for (number, page) in pages.enumerated() {
            Task {
                let code = try? await page.closing()
                first.change { $0 = $0 ?? (number, code) }
            }
        }
        return try #require(try await first.wait { $0 != nil })
    }

    /// Answers 1 MB.
    private struct Much: JSONHandler {
        func handle(_ input: Nothing) async throws -> String { String(repeating: "x", count: 1 << 20) }
    }

    /// Takes any input, and waits until it is cancelled.
    private struct Keeping: Handler {
        func handle(_ request: Request) async throws -> Response {
            try await Task.sleep(for: .seconds(600))
            return try Response(output: request.body.bytes?.count)
        }
    }

    private struct Size: Handler {
        func handle(_ request: Request) async throws -> Response {
            try Response(output: request.body.bytes?.count)
        }
    }
}
