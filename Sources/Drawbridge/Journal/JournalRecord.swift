import HTTPGrammar
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One thing that happened between a page and native, and what has become of it.
///
/// It keeps bytes and clock ticks, and becomes JSON when somebody reads it: most are read by nobody.
struct JournalRecord: Sendable {
    enum Kind: String, Sendable, CaseIterable {
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

    typealias State = CallState

    /// Who answered.
    enum Answerer: Sendable, Equatable {
        case reply(String)
        case handler(String)
        /// There was no handler of the name.
        case nobody
        /// The gateway itself, which refused it for instance.
        case gateway

        /// The words of all cases.
        static let words = ["reply", "handler", "nobody", "gateway"]

        var word: String {
            switch self {
            case .reply: "reply"
            case .handler: "handler"
            case .nobody: "nobody"
            case .gateway: "gateway"
            }
        }
    }

    /// What kind of answer it got.
    enum Form: Sendable, Equatable {
        /// A value, which each bridge gives in its own way.
        case value
        /// An error, as an object with `code` and `message`.
        case failure(status: Int)
        /// A `$missing` reply.
        case missing
        /// An HTTP response that is sent as it is.
        case raw(type: String)
        /// The same, whose bytes were not recorded.
        case stream
    }

    /// The page that it concerns.
    struct Concerned: Sendable {
        let id: String
        let path: String
        let title: String
        let session: Session

        /// Shortens what a page says of itself, since every record of it has that.
        init(id: String, path: String, title: String, session: Session) {
            self.id = id
            self.path = path.cut(to: 2000)
            self.title = title.cut(to: 300)
            self.session = session
        }

        /// About how many bytes it takes.
        var bytes: Int { path.utf8.count + title.utf8.count }
    }

    /// A question that was asked before the answer.
    struct Asked: Sendable {
        let question: String
        /// Nil as long as it waits, and where its caller has left before anybody decided.
        let decided: Decided?

        fileprivate var bytes: Int {
            question.utf8.count + (decided?.choice.map { $0.isNull ? 0 : $0.bytes.count } ?? 0)
        }
    }

    /// What was decided, and by whom.
    struct Decided: Sendable {
        /// What was chosen or filled in; nil where the question was cancelled.
        let choice: JSON?
        /// `person`, `script`, `program`, `inspector` or `nobody`.
        let by: String
    }

    /// What was sent or answered, or the beginning of it.
    struct Value: Sendable {
        /// The most bytes that are kept of each.
        static let mostBytes = 64 << 10

        static let nothing = Value([], isWhole: true)
        /// A body that was not read yet, or that its handler streams.
        static let unread = Value([], isWhole: false)

        let bytes: [UInt8]
        let isWhole: Bool

        private init(_ bytes: [UInt8], isWhole: Bool) {
            self.bytes = bytes
            self.isWhole = isWhole
        }

        /// - Parameter room: how many bytes may be kept.
        init(_ bytes: [UInt8], room: Int = Value.mostBytes) {
            self =
                bytes.count <= room
                ? Value(bytes, isWhole: true) : Value(Array(bytes.prefix(room)), isWhole: false)
        }
    }

    /// What is known of it when it begins: in an object, since records are copied when they are read.
    final class Head: Sendable {
        let kind: Kind
        /// The id of its request, as in the log; empty where there is none.
        let id: String
        let session: Session
        let page: Concerned?
        let bridge: String
        let method: HTTPRequest.Method?
        /// Path and query of a call or a request; the name of anything else.
        let target: String
        /// The type of its body.
        let contentType: String?
        let at: Date
        /// The number of the call that this one repeats.
        let resentFrom: Int?
        /// About how many bytes it takes; computed once, as each change of a record needs it.
        let bytes: Int

        private static let mostOfTarget = 8 << 10

        /// A call, or a request that is passed through.
        init(_ kind: Kind, _ request: Request, at bridge: String, contentType: String?, since: Date = .now) {
            self.kind = kind
            id = request.id
            session = request.session
            page = request.concernedPage
            self.bridge = bridge
            method = request.callingPage == nil ? request.method : nil
            let target = request.target
            self.target = target.utf8.count > Self.mostOfTarget ? target.cut(to: Self.mostOfTarget) : target
            self.contentType = contentType
            resentFrom = request.resentFrom
            at = since
            bytes = self.target.utf8.count + (contentType?.utf8.count ?? 0) + (page?.bytes ?? 0)
        }

        /// Something that concerns a page.
        convenience init(_ kind: Kind, of page: Concerned, _ name: String, at bridge: String) {
            self.init(kind, page, in: page.session, name, at: bridge)
        }

        /// A notice, which concerns no single page.
        convenience init(notice name: String) { self.init(.notice, nil, in: .usual, name, at: "") }

        private init(
            _ kind: Kind, _ page: Concerned?, in session: Session, _ name: String, at bridge: String
        ) {
            self.kind = kind
            id = ""
            self.session = session
            self.page = page
            self.bridge = bridge
            method = nil
            target = name.cut(to: 1000)
            contentType = Self.json
            resentFrom = nil
            at = .now
            bytes = target.utf8.count + Self.json.utf8.count + (page?.bytes ?? 0)
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

    let number: Int
    private(set) var head: Head
    private let began: Moment
    /// The number of its last change, counted over all records; readers of the stream go on from there.
    var change: Int

    var input: Value
    var output: Value
    /// Nil for what has no answer.
    var state: State?
    var by: Answerer?
    var form = Form.value
    /// Why cases and handlers before the one that answered did not.
    var why: [String] = []
    /// The name that was perhaps meant by one that nothing answers.
    var near: String?
    var asked: Asked?
    var code: Int?
    /// From its beginning to its answer.
    private(set) var took: Duration?

    init(_ number: Int, _ head: Head, _ state: State?, change: Int, input: Value, output: Value) {
        self.number = number
        self.head = head
        self.state = state
        self.change = change
        self.input = input
        self.output = output
        began = .now
    }

    var kind: Kind { head.kind }
    var session: Session { head.session }
    var page: Concerned? { head.page }

    /// Sets the input once it is known, and with it the name where the body has that.
    mutating func sends(_ request: Request, _ bytes: [UInt8], room: Int) {
        head = Head(
            kind, request, at: head.bridge, contentType: Head.contentType(of: request, bytes),
            since: head.at)
        input = Value(bytes, room: room)
    }

    mutating func ends(_ outcome: State, code: Int?) {
        state = outcome
        self.code = code
        took = began.elapsed
    }

    /// Whether nobody answered it, or a question that it asked.
    var isUnanswered: Bool { by == .nobody || asked?.decided?.by == "nobody" }

    /// About how many bytes it takes.
    var bytes: Int {
        let more = why.reduce(0) { $0 + $1.utf8.count } + (asked?.bytes ?? 0)
        return 500 + head.bytes + input.bytes.count + output.bytes.count + more
    }

    /// The name that was called, without its first slash; the path of a request that was passed through.
    var name: String {
        guard kind == .call || kind == .request else { return head.target }
        let path = head.target.prefix { $0 != "?" }
        let plain = Percent.decode(path.utf8) ?? String(path)
        return kind == .call ? CallName.plain(plain) : plain
    }

    /// Whether it has this name, given without its first slash; mostly compared without decoding its own, since a
    /// reader asks this of all records.
    func isNamed(_ other: String) -> Bool {
        guard kind == .call || kind == .request else { return CallName.plain(head.target) == other }
        let path = head.target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard !path.contains(UInt8(ascii: "%")) else { return CallName.plain(name) == other }
        let begins = path.first == UInt8(ascii: "/") ? path.dropFirst() : path
        return begins.elementsEqual(other.utf8)
    }

    /// What was sent, as replies and conditions see it; nil where it was cut, or cannot be read.
    var readInput: ReplyInput? {
        guard input.isWhole else { return nil }
        guard kind == .call else { return ReplyInput(try? JSON(parsing: input.bytes)) }
        let headers = head.contentType.map { HTTPFields([HTTPField(name: .contentType, value: $0)]) } ?? [:]
        return try? Request(.post, head.target, headers: headers, body: .init(input.bytes)).replyInput()
    }
}

/// The name of a call as the journal has it: with slashes between its parts, and none before them.
enum CallName {
    static func plain(_ name: String) -> String { name.hasPrefix("/") ? String(name.dropFirst()) : name }

    /// Whether a file takes it as the name of a reply: `user/:id` and `*` stand for other names there, `$when` for none.
    static func canHaveReply(_ name: String) -> Bool {
        RoutePattern(checking: name)?.names.isEmpty == true && !name.hasPrefix("$")
            && name.contains { !$0.isWhitespace }
    }

    /// Whether a person may paste it into a shell as it is: a page may call any name.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0.isWord || "./-".utf8.contains($0) }
    }
}
