#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One event between a page and native, and its outcome.
///
/// It stores raw bytes and clock ticks, and builds JSON only when it is read, since most records never are.
package struct JournalRecord: Sendable, Codable {
    package enum Kind: String, Sendable, CaseIterable, Codable {
        /// A page or a program has called native, through any bridge.
        case call
        /// Native has called a function of a page, sent it an event, or run a script in it.
        case push
        /// A page was loaded, went away, or reported an error.
        case page
        /// A request that was not a call to native, and was passed through to a file or a server.
        case request
        /// A message that is logged only once, for example that a page looked for a name that does not exist.
        case notice
    }

    package typealias State = CallState

    package enum Answerer: Sendable, Equatable, Codable {
        case reply(String)
        case handler(String)
        case nobody
        /// The gateway itself, for example because it refused the request.
        case gateway

        package enum Word: String, CaseIterable { case reply, handler, nobody, gateway }

        var shown: (word: String, title: String?) {
            switch self {
            case .reply(let title): ("reply", title)
            case .handler(let title): ("handler", title)
            case .nobody: ("nobody", nil)
            case .gateway: ("gateway", nil)
            }
        }
    }

    package enum Form: Sendable, Equatable, Codable {
        /// A value; each bridge has its own way to send it to the page.
        case value
        /// An error, recorded as an object with `code` and `message`.
        case failure(status: Int)
        /// An HTTP response without an envelope, whose body was recorded.
        case raw(type: String)
        /// An HTTP response whose body was streamed, and so was not recorded.
        case stream
    }

    package struct Concerned: Sendable, Codable {
        package let id: String
        package let path: String
        let title: String
        let session: Session

        /// Cuts the path and the title, which the page chooses and each of its records repeats.
        package init(id: String, path: String, title: String, session: Session) {
            self.id = id
            self.path = path.cut(to: 2000)
            self.title = title.cut(to: 300)
            self.session = session
        }

        var bytes: Int { path.utf8.count + title.utf8.count }
    }

    /// The origin of a call or a request.
    ///
    /// Calls on a page's channel have no HTTP method. `resentFrom` is the number of the call that this one repeats.
    package typealias Caller = (page: Concerned?, bridge: String, isOnChannel: Bool, resentFrom: Int?)

    /// A question that preceded the answer; `decided` is nil while it waits, and if its caller has gone.
    package struct Asked: Sendable, Codable {
        let question: String
        let decided: Decided?
    }

    /// The chosen or filled-in answer, nil if the question was cancelled; and its source: `person`, `script`,
    /// `program`, `inspector` or `nobody`.
    package struct Decided: Sendable, Codable {
        let choice: JSON?
        let by: String
    }

    /// An input or an output, cut to ``mostBytes``.
    package struct Value: Sendable {
        package static let mostBytes = 64 << 10

        static let nothing = Value([], isWhole: true)
        /// A body that was not read yet, or is streamed by its handler.
        static let unread = Value([], isWhole: false)

        package let bytes: [UInt8]
        package let isWhole: Bool

        init(_ bytes: [UInt8], isWhole: Bool) {
            self.bytes = bytes
            self.isWhole = isWhole
        }

        package init(_ bytes: [UInt8], room: Int = Value.mostBytes) {
            isWhole = bytes.count <= room
            self.bytes = isWhole ? bytes : Array(bytes.prefix(room))
        }
    }

    /// The constant part of a record; an object, so that copies of the record share it.
    package final class Head: Sendable, Codable {
        let kind: Kind
        /// The request's id, as in the log; empty without a request.
        package let id: String
        let session: Session
        let page: Concerned?
        package let bridge: String
        private let verb: String?
        /// The path and query of a call or a request; for other kinds the name.
        package let target: String
        package let contentType: String?
        package let at: Date
        package let resentFrom: Int?
        /// The approximate size in bytes; stored because each change of the record needs it.
        let bytes: Int

        private static let mostOfTarget = 8 << 10

        /// Makes the head of a call, or of a request that is passed through.
        init(_ kind: Kind, _ request: Request, from caller: Caller, contentType: String?, since: Date = .now)
        {
            self.kind = kind
            id = request.id
            session = request.session
            page = caller.page
            bridge = caller.bridge
            verb = caller.isOnChannel ? nil : request.method.rawValue
            let target = request.target
            self.target = target.utf8.count > Self.mostOfTarget ? target.cut(to: Self.mostOfTarget) : target
            self.contentType = contentType
            resentFrom = caller.resentFrom
            at = since
            bytes = self.target.utf8.count + (contentType?.utf8.count ?? 0) + (page?.bytes ?? 0)
        }

        /// Makes the head of any other kind; `page` is nil if it does not concern one.
        init(_ kind: Kind, of page: Concerned?, _ name: String, at bridge: String = "") {
            self.kind = kind
            id = ""
            session = page?.session ?? .usual
            self.page = page
            self.bridge = bridge
            verb = nil
            target = name.cut(to: 1000)
            contentType = Self.json
            resentFrom = nil
            at = .now
            bytes = target.utf8.count + Self.json.utf8.count + (page?.bytes ?? 0)
        }

        package var method: HTTPRequest.Method? { verb.flatMap { .init($0) } }

        static let json = "application/json"

        /// The media type of a body; JSON is recognised by its first byte, whatever the header field says.
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
    private var began = Moment.now
    /// The number of its last change, counted over all records; a stream reader resumes after such a number.
    package var change = 0

    package var input = Value.nothing
    package var output = Value.nothing
    /// Nil for an event that has no answer, such as a notice.
    package var state: State?
    package var by: Answerer?
    package var form = Form.value
    /// The reasons why cases and handlers that were tried first did not answer.
    package var why: [String] = []
    /// A hint for a name that nothing answers: a similar name, where it is answered, or what a page must load.
    package var near: String?
    /// The member of the file that gives pages what they lack, and whether they have it since.
    package var gives: (members: JSON, isGiven: Bool)?
    package var asked: Asked?
    package var code: Int?
    package private(set) var took: Duration?

    /// What is kept of it as JSON.
    private enum CodingKeys: CodingKey { case number, head, state, by, form, why, near, asked, code, took }

    init(_ number: Int, _ head: Head, _ state: State?, change: Int, input: Value, output: Value) {
        self.number = number
        self.head = head
        self.state = state
        self.change = change
        self.input = input
        self.output = output
    }

    package var kind: Kind { head.kind }
    package var session: Session { head.session }
    package var page: Concerned? { head.page }

    /// Sets the input when the body has been read, and the name too if the body contains it.
    mutating func sends(_ request: Request, _ bytes: [UInt8], room: Int) {
        head = Head(
            kind, request, from: (page, head.bridge, head.method == nil, head.resentFrom),
            contentType: Head.contentType(of: request, bytes), since: head.at)
        input = Value(bytes, room: room)
    }

    mutating func ends(_ outcome: State, code: Int?) {
        state = outcome
        self.code = code
        took = began.elapsed
    }

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
        return (gives == nil ? 500 : 800) + head.bytes + input.bytes.count + output.bytes.count + more
    }

    /// The called name without its first slash; for a request that was passed through, its path.
    package var name: String {
        guard kind == .call || kind == .request else { return head.target }
        let path = CallName.path(in: head.target)
        return kind == .call ? CallName.plain(path) : path
    }

    /// Whether the name is `other`, given without a first slash; fast, since readers test all records, and so the path
    /// is decoded only if it has a `%`.
    package func isNamed(_ other: String) -> Bool {
        guard kind == .call || kind == .request else { return CallName.plain(head.target) == other }
        let path = head.target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard !path.contains(UInt8(ascii: "%")) else { return CallName.plain(name) == other }
        let begins = path.first == UInt8(ascii: "/") ? path.dropFirst() : path
        return begins.elementsEqual(other.utf8)
    }

    /// The parsed input, as replies and conditions see it; nil if it was cut or is not valid.
    package var readInput: ReplyInput? {
        guard input.isWhole else { return nil }
        guard kind == .call else { return ReplyInput(try? JSON(parsing: input.bytes)) }
        let headers = head.contentType.map { HTTPFields([HTTPField(name: .contentType, value: $0)]) } ?? [:]
        return try? Request(.post, head.target, headers: headers, body: .init(input.bytes)).replyInput()
    }
}

/// The state of a call to native, or of a question to a page.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CallState: String, Sendable, CaseIterable, Codable {
    /// It has no answer yet.
    case waiting
    /// It was answered with a value.
    case answered
    /// It failed, or nothing has this name.
    case error
    /// A mock says that the app does not have it (`$missing`).
    case missing
    /// No answer will come, for example because of `$silence`.
    case silent
    /// The caller went away before the answer.
    case left
    /// There was no answer before the deadline.
    case expired
}
