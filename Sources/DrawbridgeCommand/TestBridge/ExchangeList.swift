import Drawbridge

/// The file that lists the exchanges that are expected between a page and native.
struct ExchangeList {
    let exchanges: [Exchange]
    /// What the bridge finds as `native.options`.
    let options: JSON
    /// The user agent that the page sees, as for ``PageRuntime/userAgent``.
    let userAgent: String?
    /// The mocks by which native answers: an object of replies.
    let replies: JSON

    /// - Throws: a ``Failure`` that names the file, and line and column in it.
    init(file path: String) throws {
        let text = try FileText(path)
        do throws(ReplyFault) {
            try self.init(LocatedJSON(parsing: text.bytes))
        } catch {
            throw Failure("\(path), \(error)")
        }
    }

    init(_ value: LocatedJSON) throws(ReplyFault) {
        let example =
            #"{"exchanges": [{"pageCalls": "pay", "answer": {"paid": true}, "hears": [{"paid": true}]}]}"#
        let members = try Self.members(of: value, ["exchanges", "options", "userAgent"], example)
        guard let list = members["exchanges"]?.elements, !list.isEmpty else {
            throw ReplyFault("exchanges are a list: \(example)", at: members["exchanges"] ?? value)
        }
        var exchanges: [Exchange] = []
        var answers: [String: [JSON?]] = [:]
        for value in list {
            let (exchange, answer) = try Self.exchange(value)
            exchanges.append(exchange)
            if case .pageCalls = exchange.kind { answers[exchange.name, default: []].append(answer) }
        }
        self.exchanges = exchanges
        replies = Self.replies(answers)
        options = members["options"]?.json ?? [:]
        if let options = members["options"], options.members == nil {
            throw ReplyFault("options are an object, which the bridge finds as native.options", at: options)
        }
        userAgent = members["userAgent"]?.json.stringValue
        if let said = members["userAgent"], userAgent.map(PageRuntime.isUserAgent) != true {
            throw ReplyFault(
                "userAgent is a text in ASCII, in which {{userAgent}} stands for the browser's own name",
                at: said)
        }
    }

    private static func exchange(
        _ value: LocatedJSON
    ) throws(ReplyFault) -> (Exchange, answer: JSON?) {
        let kinds = ["pageCalls", "nativeCalls", "nativeTells", "pageHears"]
        let example =
            #"{"pageCalls": "pay", "with": {"n": 17}, "answer": {"paid": true}, "hears": [{"paid": true}]}"#
        let members = try members(of: value, kinds + ["with", "answer", "hears", "bridge"], example)
        let said = kinds.filter { members[$0] != nil }
        guard said.count == 1, let kind = said.first, let named = members[kind] else {
            throw ReplyFault("an exchange has one of \(kinds.joined(separator: ", ")): \(example)", at: value)
        }
        guard let text = named.json.stringValue, !text.isEmpty else {
            throw ReplyFault("\(kind) is a name, as in \(example)", at: named)
        }
        let name = text.hasPrefix("/") ? String(text.dropFirst()) : text
        guard name != HeardScript.name else {
            throw ReplyFault("\(name) is how the page says what it has heard; choose another name", at: named)
        }
        let hears = members["hears"]?.elements
        if let value = members["hears"], hears == nil {
            throw ReplyFault(
                "hears is the list of all that the page hears: [\(value.json)]; [] for nothing", at: value)
        }
        let (with, answer) = (members["with"]?.json, members["answer"])
        func made(_ kind: Exchange.Kind) -> Exchange {
            Exchange(kind: kind, name: name, hears: hears?.map(\.json))
        }
        if kind != "nativeCalls", let value = members["bridge"] {
            throw ReplyFault(
                "bridge says by which one native calls; it has no place beside \(kind)", at: value)
        }
        switch kind {
        case "pageCalls":
            // Checks the mock, so that an error in it names its place in this file.
            var names = ReplyNames()
            if let answer { try names.set(answer, for: name) }
            return (made(.pageCalls(with: with)), answer?.json)
        case "nativeCalls":
            let bridge = try members["bridge"].map(Self.bridge)
            return (made(.nativeCalls(with: with ?? .null, answer: answer?.json, bridge: bridge)), nil)
        case "pageHears":
            if hears != nil, with == nil, answer == nil { return (made(.pageHears), nil) }
            throw ReplyFault(
                #"beside pageHears stands hears alone: {"pageHears": "theme", "hears": ["dark"]}"#, at: value)
        default:
            if let answer {
                throw ReplyFault("nobody answers an event; hears says what comes of it", at: answer)
            }
            return (made(.nativeTells(with: with ?? .null)), nil)
        }
    }

    private static func bridge(_ value: LocatedJSON) throws(ReplyFault) -> Page.Bridge {
        if let bridge = value.json.stringValue.flatMap(Page.Bridge.init(rawValue:)) { return bridge }
        throw ReplyFault("bridge is the name of one, such as that of its file", at: value)
    }

    /// One reply for each name; a `$sequence` where the name is called several times.
    private static func replies(_ answers: [String: [JSON?]]) -> JSON {
        var replies: JSON.Object = [:]
        for (name, each) in answers where each.contains(where: { $0 != nil }) {
            let all = each.map { $0 ?? ["$missing": true] }
            replies[name] = all.count == 1 ? all[0] : ["$sequence": .array(all)]
        }
        return .object(replies)
    }

    /// The members of an object, in which other names than these are refused.
    private static func members(
        of value: LocatedJSON, _ words: [String], _ example: String
    ) throws(ReplyFault) -> [String: LocatedJSON] {
        guard let members = value.members else {
            throw ReplyFault("this is no object: \(example)", at: value)
        }
        for (name, value) in members where !words.contains(name) {
            let near = Nearest.of(name, among: words).map { "did you mean \($0)?" }
            throw ReplyFault(
                "unknown key \(name); \(near ?? "there are \(words.joined(separator: ", "))")", at: value)
        }
        return Dictionary(uniqueKeysWithValues: members)
    }
}
