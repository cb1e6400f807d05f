import Foundation
import Synchronization

/// A page that a test plays without a browser: it calls native through a bridge, and answers calls from native.
///
/// ```swift
/// let page = PlayedPage(gateway, at: "/checkout")
/// page.on("agree") { price in true }
/// let answer = try await page.call("pay", ["price": "3.50"])
/// #expect(answer == "paid 3.50" && page.asked == [.init("agree", "3.50")])
/// ```
///
/// It has no scripts and no document: to see what a real page does with an answer, use a browser.
public final class PlayedPage: Sendable {
    /// Answers a call from native: gets its data, and returns the answer or throws.
    public typealias Answer = @Sendable (JSON) async throws -> JSON

    /// A call or an event that native has sent to the page.
    public struct Message: Sendable, Equatable {
        /// The name of the handler or of the event.
        public let name: String
        /// The data; `null` for none.
        public let data: JSON

        /// Makes a message to compare with.
        public init(_ name: String, _ data: JSON = .null) { (self.name, self.data) = (name, data) }
    }

    /// The page's id, as in `Gateway.pages` and the journal.
    public let id: String

    private let gateway: Gateway
    private let connection: PlayedConnection

    /// Makes a page that has loaded and opened its channel.
    ///
    /// - Parameters:
    ///   - gateway: the gateway that the page connects to.
    ///   - path: the path of its URL, which may have handlers and mocks of its own.
    ///   - title: the title of its document.
    ///   - headers: header fields of the page's requests, such as cookies.
    public init(
        _ gateway: Gateway, at path: String = "/", title: String = "", headers: HTTPFields = [:]
    ) {
        self.gateway = gateway
        id = UUID().uuidString.lowercased().filter { $0 != "-" }
        connection = PlayedConnection(
            ChannelReader(gateway, Request("/__drawbridge__/channel", headers: headers)))
        let hello: JSON.Object = [
            "page": .string(id), "life": 1, "n": 0, "received": 0, "epoch": "", "bridges": ["wvjb"],
            "url": .string("http://localhost\(path)"), "title": .string(title),
        ]
        connection.say(["hello": .object(hello)])
    }

    deinit { connection.close() }

    /// The page as handlers see it; nil after it has left.
    public var page: Page? { gateway.pages[id] }

    /// Calls native and waits for the answer.
    ///
    /// - Parameters:
    ///   - name: the path of a handler or the name of a mock, with or without its first slash.
    ///   - data: the input; `null` for none.
    ///   - bridge: the bridge that the call claims to use.
    ///   - progress: called with each value that is sent before the answer.
    /// - Throws: an `HTTPError` with the code and message of a failed call; a `CancellationError` if the page
    ///   has left, or the task is cancelled.
    public func call(
        _ name: String, _ data: JSON = .null, by bridge: Page.Bridge = .wvjb,
        progress: (@Sendable (JSON) -> Void)? = nil
    ) async throws -> JSON {
        try await connection.call(
            [
                "call": .string(name), "data": data, "bridge": .string(bridge.rawValue), "waits": true,
                "progress": .bool(progress != nil),
            ], progress)
    }

    /// Calls native without waiting for an answer; errors are not reported.
    public func send(_ name: String, _ data: JSON = .null, by bridge: Page.Bridge = .wvjb) {
        connection.tell(["call": .string(name), "data": data, "bridge": .string(bridge.rawValue)])
    }

    /// Sets the answer to calls from native with this name, replacing an earlier one.
    public func on(_ name: String, _ answer: @escaping Answer) {
        // The old closure is released outside the lock: its captures may call this page when they are deallocated.
        _ = connection.state.withLock { $0.answers.updateValue(answer, forKey: name) }
    }

    /// The calls from native to the page, in order, with or without an answer set by `on`.
    public var asked: [Message] { connection.state.withLock { $0.asked } }

    /// The events that native has sent, in order.
    public var events: [Message] { connection.state.withLock { $0.events } }

    /// Tells native that the page is leaving, and closes its channel.
    public func leave() {
        connection.say(["bye": true])
        connection.close()
    }
}

final class PlayedConnection: PageConnection {
    fileprivate struct Caller {
        let continuation: CheckedContinuation<JSON, any Error>
        let progress: (@Sendable (JSON) -> Void)?
    }

    fileprivate struct State {
        var isClosed = false
        /// The number of the last message, and the id of the last call.
        var number = 0
        var lastCall = 0
        /// Messages to send, in order; the first one is being sent.
        var unsent: [JSON.Object] = []
        var callers: [Int: Caller] = [:]
        var answers: [String: PlayedPage.Answer] = [:]
        var asked: [PlayedPage.Message] = []
        var events: [PlayedPage.Message] = []

        mutating func numbered(_ message: JSON.Object) -> JSON.Object {
            number += 1
            return ["up": [[.number(.init(number)), .object(message)]]]
        }
    }

    fileprivate let state = Mutex(State())
    private let reader: ChannelReader
    private let coming: AsyncStream<[UInt8]>.Continuation

    init(_ reader: ChannelReader) {
        self.reader = reader
        let (texts, coming) = AsyncStream.makeStream(of: [UInt8].self)
        self.coming = coming
        // `send` is called under the page's lock, so messages are processed in this task, outside of the lock.
        Task { [weak self] in
            for await text in texts { self?.hear(text) }
        }
    }

    func say(_ members: JSON.Object) { inTurn { _ in members } }

    func tell(_ message: JSON.Object) { inTurn { $0.numbered(message) } }

    /// Sends the messages of `make` in order, since the receiver drops a message that comes after a later number.
    ///
    /// It sends outside the lock: a handler that starts meanwhile may send to this page. Such messages are queued.
    ///
    /// - Returns: whether there was a message.
    @discardableResult private func inTurn(_ make: (inout State) -> JSON.Object?) -> Bool {
        let waiting = state.withLock { state in
            guard var members = make(&state) else { return 0 }
            members["life"] = 1
            state.unsent.append(members)
            return state.unsent.count
        }
        // The call that queues the first message also sends those that are queued meanwhile.
        var next = waiting == 1 ? state.withLock { $0.unsent.first } : nil
        while let members = next {
            reader.receive(JSON.object(members).bytes, on: self)
            next = state.withLock { state in
                state.unsent.removeFirst()
                return state.unsent.first
            }
        }
        return waiting > 0
    }

    func call(_ message: JSON.Object, _ progress: (@Sendable (JSON) -> Void)?) async throws -> JSON {
        let id = state.withLock { state in
            state.lastCall += 1
            return state.lastCall
        }
        var message = message
        message["id"] = .number(.init(id))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isSent = inTurn { state in
                    guard !state.isClosed, !Task.isCancelled else { return nil }
                    state.callers[id] = Caller(continuation: continuation, progress: progress)
                    return state.numbered(message)
                }
                if !isSent { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let caller = state.withLock { $0.callers.removeValue(forKey: id) }
            caller?.continuation.resume(throwing: CancellationError())
        }
    }

    private func hear(_ text: [UInt8]) {
        guard let frame = try? JSON(parsing: text) else { return }
        for numbered in frame["down"]?.arrayValue ?? [] {
            guard let number = numbered[0], let message = numbered[1] else { continue }
            say(["ack": number])
            hear(message)
        }
    }

    private func hear(_ message: JSON) {
        if let id = message["reply"]?.numberValue?.intValue {
            let isLast = message["more"] != true
            guard
                let caller = state.withLock({
                    isLast ? $0.callers.removeValue(forKey: id) : $0.callers[id]
                })
            else { return }
            let value = message["value"] ?? .null
            if !isLast { caller.progress?(value); return }
            guard let error = message["error"] else { return caller.continuation.resume(returning: value) }
            let code = error["code"]?.numberValue?.intValue ?? 500
            caller.continuation.resume(
                throwing: HTTPError(
                    (400...599).contains(code) ? .init(code: code) : .badRequest,
                    error["message"]?.stringValue ?? "\(error)", code: code, data: error["data"]))
        } else if let name = message["event"]?.stringValue {
            state.withLock { $0.events.append(.init(name, message["data"] ?? .null)) }
            if let id = message["id"] { tell(["result": id]) }
        } else if let name = message["call"]?.stringValue {
            let data = message["data"] ?? .null
            state.withLock { $0.asked.append(.init(name, data)) }
            Task { await answer(name, data, message["id"], isHeard: message["hears"] == true) }
        } else if let name = message["has"]?.stringValue, let id = message["id"] {
            tell(["result": id, "value": .bool(state.withLock { $0.answers[name] != nil })])
        } else if let id = message["id"] {
            tell(Self.failure(id, 501, "a PlayedPage cannot run scripts"))
        }
    }

    /// - Parameter isHeard: whether native waits only for the receipt of the call, and not for its answer.
    private func answer(_ name: String, _ data: JSON, _ id: JSON?, isHeard: Bool) async {
        guard let answer = state.withLock({ $0.answers[name] }) else {
            if let id { tell(Self.failure(id, 400, "the page has no handler for \(name)")) }
            return
        }
        if isHeard, let id { tell(["result": id]) }
        do {
            let value = try await answer(data)
            if let id { tell([isHeard ? "told" : "result": id, "value": value]) }
        } catch {
            if let id, !isHeard { tell(Self.failure(id, 500, "\(error)")) }
        }
    }

    private static func failure(_ id: JSON, _ code: Int, _ message: String) -> JSON.Object {
        ["result": id, "error": ["code": .number(.init(code)), "message": .string(message)]]
    }

    func send(_ text: [UInt8]) { coming.yield(text) }

    func close() {
        let callers = state.withLock { state in
            defer { state.callers = [:] }
            state.isClosed = true
            return Array(state.callers.values)
        }
        coming.finish()
        reader.ended(self)
        for caller in callers { caller.continuation.resume(throwing: CancellationError()) }
    }

    var tasks: HandlerTasks? { nil }

    func answered(_ request: Request, _ response: Response, bytes: Int?, took: Duration) {}
}
