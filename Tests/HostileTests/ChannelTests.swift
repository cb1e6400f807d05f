import Drawbridge
import DrawbridgeServer
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// Pages that misbehave, go, come back and find another gateway, over raw sockets.
@Suite("Hostile 23 and 32: messages of a page's channel", .timeLimit(.minutes(5))) struct ChannelTests {
    /// Bytes that a page sends when it has said hello, and the code with which it is closed.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let code: Int

        init(_ description: String, _ code: Int, _ bytes: [UInt8]) {
            testDescription = description
            self.bytes = bytes
            self.code = code
        }

        init(_ description: String, _ text: String) {
            self.init(description, 1008, WebSocketClient.frame(1, Array(text.utf8)))
        }
    }

    private static let hello = #"{"hello":{"page":"\#(String(repeating: "b", count: 32))","life":1}}"#

    private static let faults = [
        Fault("no mask", 1002, WebSocketClient.frame(1, Array("{}".utf8), isMasked: false)),
        Fault("a frame of 64 MB", 1009, WebSocketClient.frame(1, [], length: 64 << 20)),
        Fault("bad UTF-8", 1007, WebSocketClient.frame(1, [0x22, 0xC3, 0x28, 0x22])),
        Fault("a reserved bit", 1002, WebSocketClient.frame(1, Array("{}".utf8), flags: 0xC0)),
        Fault("no JSON", "{"),
        Fault("no object", "[1]"),
        Fault("JSON of a hundred thousand depths", String(repeating: "[", count: 100_000)),
        Fault("hello for another page", hello),
    ]

    @Test(arguments: faults)
    func aChannelThatBreaksTheRulesIsClosedAndSaysWhy(_ fault: Fault) async throws {
        let gateway = Gateway.quiet()
        try await serving(gateway) { port in
            let page = try await ChannelPage.open(port, gateway.access.token.text)
            try await blocking { try page.socket.raw.send(fault.bytes) }
            #expect(try await page.closing() == fault.code)
            #expect(gateway.pages.all.count == 1)
        }
    }

    /// By a bridge at which a missing handler is silence, and by one at which the page waits for ever without an
    /// answer.
    @Test func theLogSaysThatAnUnansweredCallIsNotMocked() async throws {
        let server = try Program.product("test-server", ["-p", "0"])
        let port = try await server.port()
        let answer = try await replies(port, get("/__drawbridge__/token", "X-Drawbridge-Page: a"))
        let token = try JSON(parsing: Array(try #require(answer.first).text.utf8))["token"]?.stringValue
        let page = try await ChannelPage.open(port, try #require(token))
        try await page.tell(["up": [[1, ["call": "nobody", "id": 1, "bridge": "wvjb"]]]])
        #expect(try await server.line(with: "  nobody ").contains("  not mocked; "))
        try await page.tell(["up": [[2, ["call": "nothing", "id": 2, "bridge": "inject"]]]])
        #expect(try await server.line(with: "  nothing ").contains("  not mocked; "))
        page.socket.raw.close()
        #expect(await server.stop() == 0)
    }

    @Test(arguments: [
        #"{"up":[[1,{"call":"echo"}]]}"#, #"{"ack":1}"#, "{}", #"{"hello":{}}"#, #"{"hello":{"page":"x"}}"#,
        #"{"hello":{"page":"\#(String(repeating: "A", count: 32))","life":1}}"#,
        #"{"hello":{"page":"\#(String(repeating: "a", count: 32))"}}"#,
        #"{"hello":{"page":"\#(String(repeating: "a", count: 32))","life":0}}"#,
    ])
    func aConnectionWithoutAHelloIsNotAPage(_ text: String) async throws {
        let gateway = Gateway.quiet()
        try await serving(gateway) { port in
            let token = gateway.access.token.text
            let code = try await blocking {
                let socket = try WebSocketClient.open(
                    port, "/__drawbridge__/channel", host: "localhost",
                    fields: ["Sec-WebSocket-Protocol: drawbridge, token.\(token)"])
                try socket.send(text)
                return try socket.receiveToEnd().lazy.compactMap(\.code).first
            }
            #expect(code == 1008)
            #expect(gateway.pages.all.count == 0)
        }
    }

    /// Numbers that no page reaches.
    @Test(arguments: [
        "-9223372036854775808", "9223372036854775807", "-1", "0", "1e300", "1.5", "\"1\"", "null",
    ])
    func impossibleMessageNumbersAreIgnored(_ number: String) async throws {
        let gateway = Gateway.quiet()
        try gateway.register(Note.self, at: "/note")
        try await serving(gateway) { port in
            let page = try await ChannelPage.open(port, gateway.access.token.text)
            let id = String(repeating: "c", count: 32)
            for _ in 1...2 {
                let body =
                    #"{"page":"\#(id)","life":1,"token":"\#(gateway.access.token.text)","up":[[\#(number),{"call":"note"}],"#
                    + #"[9223372036854775807,{"call":"note"}]]}"#
                let sent = try await replies(port, post("/__drawbridge__/messages", body.utf8))
                #expect(sent.map(\.status) == [200])
                try await blocking {
                    try page.socket.send(
                        #"{"life":1,"ack":\#(number),"up":[[\#(number),{"call":"note"}],[\#(number)],\#(number)]}"#
                    )
                }
            }
            try await page.tell(["up": [[1, ["call": "note", "id": 1]]]])
            #expect(try await page.messages(1) == [[1, ["reply": 1, "value": "noted"]]])
        }
    }

    private struct Note: JSONHandler {
        func handle(_ input: JSON?) async throws -> String { "noted" }
    }

    @Test func messagesSentWhileAPageWasAwayArriveOnce() async throws {
        let gateway = Gateway.quiet()
        try await serving(gateway) { port in
            let token = gateway.access.token.text
            let first = try await ChannelPage.open(port, token)
            let page = try #require(gateway.pages.all.first)
            let epoch = try #require(first.welcome["epoch"]?.stringValue)
            for number in 1...3 { try page.send("n", .number(.init(number))) }
            #expect(try await first.messages(3).compactMap { $0[0]?.numberValue?.intValue } == [1, 2, 3])
            // Without a word, and without having said that it took the third.
            first.socket.raw.reset()
            for number in 4...5 { try page.send("n", .number(.init(number))) }
            let waiting = Task { try await page.call("ask") }
            let again = try await ChannelPage.open(port, token, epoch: epoch, received: 2)
            let rest = try await again.messages(4)
            #expect(rest.compactMap { $0[0]?.numberValue?.intValue } == [3, 4, 5, 6])
            #expect(rest.prefix(3).map { $0[1]?["data"] } == [3, 4, 5])
            let call = try #require(rest.last?[1])
            #expect(call["call"] == "ask")
            try await again.tell(["up": [[1, ["result": call["id"] ?? .null, "value": "here"]]]])
            #expect(try await waiting.value == "here")
        }
    }

    @Test func aFullBacklogReachesThePageWhenItIsBack() async throws {
        let gateway = Gateway.quiet()
        try await serving(gateway) { port in
            let token = gateway.access.token.text
            let first = try await ChannelPage.open(port, token)
            let page = try #require(gateway.pages.all.first)
            let epoch = try #require(first.welcome["epoch"]?.stringValue)
            first.socket.raw.reset()
            let text = JSON.string(String(repeating: "x", count: 1000))
            var count = 0
            let full = #expect(throws: PageError.self) {
                while true {
                    try page.send("n", text)
                    count += 1
                }
            }
            #expect(full?.reason == .full)
            #expect(count > 10_000)
            let again = try await ChannelPage.open(port, token, epoch: epoch)
            var last = 0
            while last < count {
                let some = try await again.messages(1)
                #expect(some.first?[0]?.numberValue?.intValue == last + 1)
                last += some.count
                try await again.tell(["ack": .number(.init(last))])
            }
            #expect(last == count)
        }
    }

    @Test func aSecondConnectionOfAPageTakesThePlaceOfTheFirst() async throws {
        let gateway = Gateway.quiet()
        try await serving(gateway) { port in
            let first = try await ChannelPage.open(port, gateway.access.token.text)
            let second = try await ChannelPage.open(port, gateway.access.token.text)
            #expect(try await first.closing() == 1008)
            let page = try #require(gateway.pages.all.first)
            try page.send("n", 1)
            #expect(try await second.messages(1).count == 1)
            #expect(gateway.pages.all.count == 1)
        }
    }

    @Test func callingAPageThatIsGoneFails() async throws {
        let gateway = Gateway.quiet()
        try await serving(gateway) { port in
            let channel = try await ChannelPage.open(port, gateway.access.token.text)
            let page = try #require(gateway.pages.all.first)
            let waiting = Task { try await page.call("ask") }
            _ = try await channel.messages(1)
            try await channel.tell(["bye": true])
            channel.socket.raw.close()
            let cut = await #expect(throws: PageError.self) { try await waiting.value }
            #expect(cut?.reason == .closed)
            let late = await #expect(throws: PageError.self) { try await page.call("ask") }
            #expect(late?.reason == .closed)
            #expect(throws: PageError.self) { try page.send("n") }
            #expect(!page.isOpen)
            #expect(gateway.pages.all.count == 0)
        }
    }

    @Test func aStoppingGatewayEndsPendingCallsToItsPages() async throws {
        let gateway = Gateway.quiet()
        let waiting = Mutex<[Task<JSON, any Error>]>([])
        try await serving(gateway) { port in
            let away = try await ChannelPage.open(port, gateway.access.token.text)
            let id = String(repeating: "e", count: 32)
            let here = try await ChannelPage.open(port, gateway.access.token.text, id: id)
            for page in gateway.pages.all {
                waiting.withLock { $0.append(Task { try await page.call("ask") }) }
            }
            for channel in [away, here] { _ = try await channel.messages(1) }
            away.socket.raw.close()
        }
        for call in waiting.withLock({ $0 }) {
            let error = await #expect(throws: PageError.self) { try await call.value }
            #expect(error?.reason == .stopped)
        }
        #expect(gateway.pages.all.count == 0)
    }

    @Test func aGatewayThatWasStartedAgainKnowsItsPagesByANewToken() async throws {
        let (old, new) = (Gateway.quiet(), Gateway.quiet())
        var epoch = ""
        try await serving(old) { port in
            epoch =
                try await ChannelPage.open(port, old.access.token.text).welcome["epoch"]?.stringValue ?? ""
        }
        try await serving(new) { [epoch] port in
            await #expect(throws: RawClient.Failure.self) {
                try await ChannelPage.open(port, old.access.token.text, epoch: epoch)
            }
            let answer = try await replies(
                port, get("/__drawbridge__/token", "X-Drawbridge-Page: x", "Sec-Fetch-Site: same-origin"))
            let token = try JSON(parsing: answer[0].body)["token"]?.stringValue
            let over = try await #require(throws: ChannelPage.IsOver.self) {
                try await ChannelPage.open(port, try #require(token), epoch: epoch, received: 17)
            }
            #expect(over.frame["over"] == 1)
            #expect(over.frame["epoch"]?.stringValue != epoch)
            let page = try await ChannelPage.open(port, try #require(token), life: 2, epoch: epoch)
            #expect(page.welcome["received"] == 0)
            #expect(page.welcome["epoch"]?.stringValue != epoch)
            try #require(new.pages.all.first).send("n", 1)
            #expect(try await page.messages(1)[0][0] == 1)
        }
    }

    /// Waits until it is cancelled.
    private struct Waits: JSONHandler {
        let seen: Observed<[String]>

        func handle(_ input: JSON?) async throws -> Nothing {
            seen.change { $0.append("began") }
            try? await Task.sleep(for: .seconds(60))
            seen.change { $0.append(Task.isCancelled ? "cancelled" : "slept") }
            return Nothing()
        }
    }

    @Test func aPageThatIsClosedInASynchronousCallCancelsIt() async throws {
        let gateway = Gateway.quiet()
        let seen = Observed<[String]>([])
        try gateway.register(at: "/waits") { Waits(seen: seen) }
        try await serving(gateway) { port in
            let client = try RawClient(port)
            try client.send(
                post(
                    "/__drawbridge__/call", #"{"call":"waits","life":1}"#.utf8,
                    "X-Drawbridge-Token: \(gateway.access.token.text)",
                    "X-Drawbridge-Page: \(String(repeating: "d", count: 32))"))
            try await seen.wait { $0 == ["began"] }
            client.close()
            try await seen.wait { $0.count == 2 }
            #expect(seen.value == ["began", "cancelled"])
        }
    }

    @Test func aFloodOfPingsAndOfPagesHoldsNobodyUp() async throws {
        let gateway = Gateway.quiet()
        try await serving(gateway) { port in
            let token = gateway.access.token.text
            let page = try await ChannelPage.open(port, token)
            try await blocking {
                let pings = (0..<1000).flatMap { _ in WebSocketClient.frame(9, Array("ping".utf8)) }
                for _ in 1...20 { _ = try page.socket.raw.sendUntilBlocked(pings, atMost: pings.count) }
            }
            try await isAlive(port)
            for number in 0..<200 {
                let digits = String(number, radix: 16)
                let id = String(repeating: "0", count: 32 - digits.count) + digits
                try await ChannelPage.open(port, token, id: id).socket.raw.reset()
            }
        }
    }
}
