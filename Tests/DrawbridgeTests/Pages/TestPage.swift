import HTTPTypes
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// A page as a test plays it: says hello, sends messages, and keeps what it is sent.
final class TestPage: PageConnection {
    let gateway: Gateway
    let id: String
    /// Which of the page's lives it is.
    let life: Int
    /// The session of a test that its document says; nil where it says none.
    private let session: String?
    /// What else its greeting says: `frame`, `opened`, `hidden`.
    private let more: JSON.Object
    private let reader: ChannelReader
    private let frames = Mutex<[JSON]>([])
    private let longest = Mutex(0)
    private let isClosedFlag = Mutex(false)
    private let number = Mutex(0)
    private let logged = Mutex<[Int?]>([])

    var tasks: HandlerTasks? { nil }

    init(
        _ gateway: Gateway, id: String? = nil, life: Int = 1, saysHello: Bool = true,
        url: String = "http://localhost/a.html", session: String? = nil, userAgent: String = "Test",
        from remoteAddress: String? = nil,
        saying more: JSON.Object = [:]
    ) {
        self.session = session
        self.more = more
        self.gateway = gateway
        self.life = life
        self.id = id ?? (0..<32).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        reader = ChannelReader(
            gateway,
            Request(
                "/__drawbridge__/channel", headers: [.userAgent: userAgent, .cookie: "a=b"],
                remoteAddress: remoteAddress))
        if saysHello { hello(url: url) }
    }

    /// - Parameter sent: the number of the last message that the page has sent.
    func hello(
        received: Int = 0, sent: Int = 0, epoch: String? = nil, url: String = "http://localhost/a.html"
    ) {
        var hello: JSON.Object = [
            "page": .string(id), "life": .number(.init(life)), "n": .number(.init(sent)),
            "epoch": .string(epoch ?? gateway.pages.epoch), "url": .string(url), "title": "A",
            "received": .number(.init(received)), "bridges": ["wvjb"],
        ]
        hello["session"] = session.map(JSON.string)
        for (name, value) in more { hello[name] = value }
        say(["hello": .object(hello)])
    }

    /// Sends a frame of its life.
    func say(_ json: JSON) {
        var members = json.objectValue ?? [:]
        if members["life"] == nil { members["life"] = .number(.init(life)) }
        reader.receive(JSON.object(members).bytes, on: self)
    }

    /// Sends the next messages.
    func tell(_ messages: JSON...) {
        // Said under the lock, in the order of the numbers: what comes behind a later one is not the next.
        number.withLock { number in
            let numbered: [JSON] = messages.map { message in
                number += 1
                return [.number(.init(number)), message]
            }
            say(["up": .array(numbered)])
        }
    }

    /// Its connection breaks.
    ///
    /// When its time is up the test says, by `expire()`: no clock does.
    func leaveWire() {
        let page = gateway.pages[id]
        reader.ended(self)
        if let page, page.presence != .leaving { Deadlines.shared.remove(page) }
    }

    // MARK: The wire

    func send(_ text: [UInt8]) {
        guard let json = try? JSON(parsing: text) else {
            Issue.record("no JSON: \(String(decoding: text, as: UTF8.self))")
            return
        }
        frames.withLock { $0.append(json) }
        longest.withLock { $0 = max($0, text.count) }
        guard hears.withLock({ $0 }) else { return }
        for numbered in json["down"]?.arrayValue ?? [] {
            guard let message = numbered[1], let id = message["id"] else { continue }
            // What native sends is sent under the page's lock: nothing is said back from there.
            if let name = message["has"]?.stringValue {
                let has = names.withLock { $0.contains(name) }
                Task { tell(["result": id, "value": .bool(has)]) }
            } else if message["hears"] == true || message["event"] != nil {
                Task { tell(["result": id]) }
            }
        }
    }

    private let hears = Mutex(true)
    private let names = Mutex<Set<String>>([])

    /// From now on it has these handlers and listeners, where native looks for them.
    func has(_ names: Set<String>) { self.names.withLock { $0 = names } }

    /// It does not say any more that it has heard what it is sent, nor what it has.
    func hearsNothing() { hears.withLock { $0 = false } }

    func close() { isClosedFlag.withLock { $0 = true } }

    func answered(_ request: Request, _ response: Response, bytes: Int?, took: Duration) {
        logged.withLock { $0.append(bytes) }
    }

    /// What the access log was told of its calls: the bytes of their answers.
    var logLines: [Int?] { logged.withLock { $0 } }

    var isClosed: Bool { isClosedFlag.withLock { $0 } }

    /// All that came, numbers and messages.
    var down: [(number: Int, message: JSON)] {
        frames.withLock { $0 }.flatMap { $0["down"]?.arrayValue ?? [] }.map {
            ($0[0]?.numberValue?.intValue ?? 0, $0[1] ?? .null)
        }
    }

    /// The numbers that native has said to have taken, one for each frame that says so.
    var taken: [Int] { frames.withLock { $0 }.compactMap { $0["ack"]?.numberValue?.intValue } }

    /// The bytes of the longest frame.
    var longestFrame: Int { longest.withLock { $0 } }

    var welcome: JSON? { frames.withLock { $0 }.compactMap { $0["welcome"] }.last }

    /// The life of which it was told that it is over.
    var over: Int? { frames.withLock { $0 }.lazy.compactMap { $0["over"]?.numberValue?.intValue }.last }

    func forget() { frames.withLock { $0 = [] } }

    /// The first message that fits, when it is there.
    func message(_ fits: @Sendable (JSON) -> Bool) async throws -> JSON {
        for _ in 0..<2000 {
            if let found = down.map(\.message).first(where: fits) { return found }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw NothingCame()
    }

    func reply(_ id: Int) async throws -> JSON {
        try await message { $0["reply"]?.numberValue?.intValue == id && $0["more"] == nil }
    }

    struct NothingCame: Error {}

    // MARK: By HTTP

    /// Sends what its life says by a request.
    func post(_ path: String, _ body: JSON, sent: Int = 0, received: Int = 0) async throws -> (
        status: HTTPResponse.Status, body: JSON
    ) {
        var members = body.objectValue ?? [:]
        members["page"] = .string(id)
        members["life"] = .number(.init(life))
        members["n"] = .number(.init(sent))
        members["received"] = .number(.init(received))
        members["epoch"] = .string(gateway.pages.epoch)
        let headers: HTTPFields = [
            .pageToken: gateway.access.token.text, .pageID: id, .secFetchSite: "same-origin",
            .origin: "http://localhost",
        ]
        let request = Request(
            .post, "/__drawbridge__/\(path)", headers: headers, body: .init(JSON.object(members).bytes))
        let response = await gateway.respond(to: request)
        return (response.status, try JSON(parsing: try await response.body.collect()))
    }

    var page: Page {
        get throws { try #require(gateway.pages[id]) }
    }
}

/// Handlers that pages call in tests.
enum PageHandlers {
    struct Echo: JSONHandler {
        func handle(_ input: JSON) async throws -> JSON { input }
    }

    struct Fails: JSONHandler {
        func handle(_ input: JSON?) async throws -> JSON { throw HTTPError(.init(code: 418), "no tea") }
    }

    struct Nothings: JSONHandler {
        func handle(_ input: JSON?) async throws -> Nothing { Nothing() }
    }

    struct Texts: Handler {
        func handle(_ request: Request) async throws -> Response { Response(text: "plain \"text\"") }
    }

    struct Bytes: Handler {
        func handle(_ request: Request) async throws -> Response {
            Response(bytes: [0xFF, 0xD8, 0x00, 0x01], contentType: "image/jpeg")
        }
    }

    struct Streams: Handler {
        func handle(_ request: Request) async throws -> Response {
            Response(contentType: "text/plain") { client in
                try await client.didLoad("a")
                try await client.didLoad("b")
            }
        }
    }

    struct Steps: JSONHandler {
        let request: Request
        func handle(_ input: JSON?) async throws -> String {
            try request.progress(1)
            try request.progress(["half": 2])
            return "done"
        }
    }

    /// Asks the page that called.
    struct Asks: JSONHandler {
        let request: Request
        func handle(_ input: JSON) async throws -> JSON {
            let page = try #require(request.page)
            return try await page.call(input["name"]?.stringValue ?? "", input["data"] ?? .null)
        }
    }

    static func register(on gateway: Gateway) {
        surely {
            try gateway.register(Echo.self, at: "/echo")
            try gateway.register(Fails.self, at: "/fail")
            try gateway.register(Nothings.self, at: "/nothing")
            try gateway.register(Texts.self, at: "/text")
            try gateway.register(Bytes.self, at: "/bytes")
            try gateway.register(Streams.self, at: "/stream")
            try gateway.register(Steps.self, at: "/steps")
            try gateway.register(Asks.self, at: "/ask")
        }
    }

    static func gateway(
        _ runtime: PageRuntime = PageRuntime(), keepsJournal: Bool = false, logger: Logger = .quiet
    ) -> Gateway {
        let gateway = Gateway(pageRuntime: runtime, keepsJournal: keepsJournal, logger: logger)
        register(on: gateway)
        return gateway
    }
}
