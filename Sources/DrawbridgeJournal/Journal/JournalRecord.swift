package import DrawbridgeJSON
package import DrawbridgeMessages
package import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// One thing that happened between a page and native, and what has become of it.
///
/// It keeps bytes and clock ticks, and becomes JSON when somebody reads it: most are read by nobody.
package struct JournalRecord: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A page or a program has called a name of native's, by whichever bridge.
        case call
        /// Native has called a function of a page's, sent it an event, or run a script in it.
        case push
        /// A page came, went, or reported an error.
        case page
        /// A request that was not for native, and was passed through.
        case request
        /// A message that is logged once, such as about a name that a page looked up in vain.
        case notice
    }

    package typealias State = CallState

    package enum Answerer: Sendable, Equatable {
        case reply(String)
        case handler(String)
        case nobody
        /// The gateway itself, which refused it for instance.
        case gateway

        package static let words = ["reply", "handler", "nobody", "gateway"]

        /// What it is, and which of them, where there are several.
        var shown: (word: String, title: String?) {
            switch self {
            case .reply(let title): ("reply", title)
            case .handler(let title): ("handler", title)
            case .nobody: ("nobody", nil)
            case .gateway: ("gateway", nil)
            }
        }
    }

    package enum Form: Sendable, Equatable {
        /// A value, which each bridge gives in its own way.
        case value
        /// An error, as an object with `code` and `message`.
        case failure(status: Int)
        case missing
        /// An HTTP response that is sent as it is.
        case raw(type: String)
        /// The same, whose bytes were not recorded.
        case stream
    }

    package struct Concerned: Sendable {
        package let id: String
        package let path: String
        let title: String
        let session: Session

        /// Shortens what a page says of itself, since every record of it has that.
        package init(id: String, path: String, title: String, session: Session) {
            self.id = id
            self.path = path.cut(to: 2000)
            self.title = title.cut(to: 300)
            self.session = session
        }

        var bytes: Int { path.utf8.count + title.utf8.count }
    }

    /// Where a call or a request comes from.
    ///
    /// By the channel of a page there is no method. `resentFrom` is the number of the call that this one repeats.
    package typealias Caller = (page: Concerned?, bridge: String, isOnChannel: Bool, resentFrom: Int?)

    /// A question that was asked before the answer; it is not decided as long as it waits, and where its caller has left.
    package typealias Asked = (question: String, decided: Decided?)

    /// What was chosen or filled in, nil where the question was cancelled; and by whom: `person`, `script`, `program`,
    /// `inspector` or `nobody`.
    package typealias Decided = (choice: JSON?, by: String)

    /// What was sent or answered, or the beginning of it.
    package struct Value: Sendable {
        package static let mostBytes = 64 << 10

        static let nothing = Value([], isWhole: true)
        /// A body that was not read yet, or that its handler streams.
        static let unread = Value([], isWhole: false)

        package let bytes: [UInt8]
        package let isWhole: Bool

        private init(_ bytes: [UInt8], isWhole: Bool) {
            self.bytes = bytes
            self.isWhole = isWhole
        }

        package init(_ bytes: [UInt8], room: Int = Value.mostBytes) {
            isWhole = bytes.count <= room
            self.bytes = isWhole ? bytes : Array(bytes.prefix(room))
        }
    }

    /// What is known of it when it begins: in an object, since records are copied when they are read.
    package final class Head: Sendable {
        let kind: Kind
        /// The id of its request, as in the log; empty where there is none.
        package let id: String
        let session: Session
        let page: Concerned?
        package let bridge: String
        package let method: HTTPRequest.Method?
        /// Path and query of a call or a request; the name of anything else.
        package let target: String
        package let contentType: String?
        package let at: Date
        package let resentFrom: Int?
        /// About how many bytes it takes; computed once, as each change of a record needs it.
        let bytes: Int

        private static let mostOfTarget = 8 << 10

        /// A call, or a request that is passed through.
        init(_ kind: Kind, _ request: Request, from caller: Caller, contentType: String?, since: Date = .now)
        {
            self.kind = kind
            id = request.id
            session = request.session
            page = caller.page
            bridge = caller.bridge
            method = caller.isOnChannel ? nil : request.method
            let target = request.target
            self.target = target.utf8.count > Self.mostOfTarget ? target.cut(to: Self.mostOfTarget) : target
            self.contentType = contentType
            resentFrom = caller.resentFrom
            at = since
            bytes = self.target.utf8.count + (contentType?.utf8.count ?? 0) + (page?.bytes ?? 0)
        }

        /// Anything else, which concerns a page, or none.
        init(_ kind: Kind, of page: Concerned?, _ name: String, at bridge: String = "") {
            self.kind = kind
            id = ""
            session = page?.session ?? .usual
            self.page = page
            self.bridge = bridge
            method = nil
            target = name.cut(to: 1000)
            contentType = Self.json
            resentFrom = nil
            at = .now
            bytes = target.utf8.count + Self.json.utf8.count + (page?.bytes ?? 0)
        }

        fileprivate var caller: Caller {
            (page, bridge, isOnChannel: method == nil, resentFrom)
        }

        static let json = "application/json"

        /// The type of a body, which shows itself where it is JSON.
        static func contentType(of request: Request, _ body: [UInt8]) -> String? {
            let first = body.first
            if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || request.bridgeInput != nil {
                return json
            }
            return first == nil ? nil : request.headers[.contentType]
        }
    }

    package let number: Int
    package private(set) var head: Head
    private let began: Moment
    /// The number of its last change, counted over all records; readers of the stream go on from there.
    package var change: Int

    package var input: Value
    package var output: Value
    /// Nil for what has no answer.
    package var state: State?
    package var by: Answerer?
    package var form = Form.value
    /// Why cases and handlers before the one that answered did not.
    package var why: [String] = []
    /// The name that was perhaps meant by one that nothing answers.
    package var near: String?
    package var asked: Asked?
    package var code: Int?
    package private(set) var took: Duration?

    init(_ number: Int, _ head: Head, _ state: State?, change: Int, input: Value, output: Value) {
        self.number = number
        self.head = head
        self.state = state
        self.change = change
        self.input = input
        self.output = output
        began = .now
    }

    package var kind: Kind { head.kind }
    package var session: Session { head.session }
    package var page: Concerned? { head.page }

    /// Sets the input once it is known, and with it the name where the body has that.
    mutating func sends(_ request: Request, _ bytes: [UInt8], room: Int) {
        head = Head(
            kind, request, from: head.caller, contentType: Head.contentType(of: request, bytes),
            since: head.at)
        input = Value(bytes, room: room)
    }

    mutating func ends(_ outcome: State, code: Int?) {
        state = outcome
        self.code = code
        took = began.elapsed
    }

    /// The record with only the beginning of its input and output.
    package func shortened(to room: Int) -> JournalRecord {
        var record = self
        if input.bytes.count > room { record.input = Value(input.bytes, room: room) }
        if output.bytes.count > room { record.output = Value(output.bytes, room: room) }
        return record
    }

    package var isUnanswered: Bool { by == .nobody || asked?.decided?.by == "nobody" }

    package var bytes: Int {
        let choice = asked?.decided?.choice.map { $0.isNull ? 0 : $0.bytes.count } ?? 0
        let said = (asked?.question.utf8.count ?? 0) + (near?.utf8.count ?? 0)
        let more = why.reduce(said + choice) { $0 + $1.utf8.count }
        return 500 + head.bytes + input.bytes.count + output.bytes.count + more
    }

    /// The name that was called, without its first slash; the path of a request that was passed through.
    package var name: String {
        guard kind == .call || kind == .request else { return head.target }
        let path = head.target.prefix { $0 != "?" }
        let plain = Percent.decode(path.utf8) ?? String(path)
        return kind == .call ? CallName.plain(plain) : plain
    }

    /// Whether it has this name, given without its first slash; mostly compared without decoding its own, since a
    /// reader asks this of all records.
    package func isNamed(_ other: String) -> Bool {
        guard kind == .call || kind == .request else { return CallName.plain(head.target) == other }
        let path = head.target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard !path.contains(UInt8(ascii: "%")) else { return CallName.plain(name) == other }
        let begins = path.first == UInt8(ascii: "/") ? path.dropFirst() : path
        return begins.elementsEqual(other.utf8)
    }

    /// What was sent, as replies and conditions see it; nil where it was cut, or cannot be read.
    package var readInput: ReplyInput? {
        guard input.isWhole else { return nil }
        guard kind == .call else { return ReplyInput(try? JSON(parsing: input.bytes)) }
        let headers = head.contentType.map { HTTPFields([HTTPField(name: .contentType, value: $0)]) } ?? [:]
        return try? Request(.post, head.target, headers: headers, body: .init(input.bytes)).replyInput()
    }
}

/// What has become of a call of native's, or of what native asked a page.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CallState: String, Sendable, CaseIterable {
    /// Nobody has answered yet.
    case waiting
    /// It has its answer.
    case answered
    /// It failed, or nobody has the name.
    case error
    /// Nobody ever answers.
    case silent
    /// Whoever called did not wait for the answer.
    case left
    /// The answer took longer than it may.
    case expired
}
