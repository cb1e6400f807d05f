/// A parsed file of mocks: `{"replies": {"getUser": {"nick": "Ann"}}}`.
package struct ReplyFile: Sendable {
    package private(set) var replies: ReplyNames
    /// Replies by the scenario that they belong to; they take precedence while it is on.
    package private(set) var scenarios: [String: ReplyNames]
    /// The scenarios that are on when the gateway starts.
    package let scenario: [String]

    package typealias PageMap = (pattern: Glob, settings: PageSettings, replies: ReplyNames)

    package private(set) var pages: [PageMap]
    package let events: [String: [ReplyStep]]

    package let settings: PageSettings

    package static let keys = Set(Grammar.file.names)

    /// - Parameter isAlone: whether the file holds mocks only, so that any other key is an error.
    package init(
        _ value: LocatedJSON, isAlone: Bool = false, trust: ReplyTrust = .written
    ) throws(ReplyFault) {
        guard let members = value.members else {
            throw ReplyFault(
                "a file of replies is an object: {\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", at: value
            )
        }
        if isAlone { try Self.check(members, of: value) }
        let parts = try Grammar.file.read(members, of: value, isOpen: true)
        replies = try ReplyNames(in: parts, trust)
        scenarios = try Self.scenarios(parts["scenarios"]?.members ?? [], trust)
        pages = try Self.pages(parts["pages"]?.members ?? [], trust)
        settings = try PageSettings(parts)
        events = try Self.events(parts["events"]?.members ?? [])
        let first = parts["scenario"]
        scenario = (first?.elements ?? first.map { [$0] } ?? []).compactMap(\.json.stringValue)
        for name in scenario where scenarios[name] == nil {
            throw ReplyFault("\(NoScenario(name: name, names: scenarios.keys.sorted()))", at: first ?? value)
        }
    }

    /// Limits the replies to pages at one path, except for one name; those of scenarios still apply to all pages.
    package mutating func restrict(toPagesAt path: String, except name: String, source: String) {
        pages.append((Glob(path), PageSettings(), replies))
        pages[pages.count - 1].replies.label = path
        for other in replies.names where other != name { replies.remove(other) }
        replies.source = source
    }

    /// Whether there is any reply, also in scenarios or for some pages.
    package var hasReplies: Bool { all.contains { !$0.isEmpty } }

    /// Whether a reply for a path may leave it to a handler (`$pass`).
    package func passes(_ path: String) -> Bool { all.contains { $0.passes(path) } }

    private var all: [ReplyNames] { [replies] + scenarios.values + pages.map(\.replies) }

    package mutating func name(by source: String) {
        replies.source = source
        replies.file = source
        for name in scenarios.keys {
            scenarios[name]?.source = "\(source), scenario \(name)"
            scenarios[name]?.file = source
            scenarios[name]?.label = name
        }
        for index in pages.indices {
            let pattern = pages[index].pattern.text
            pages[index].replies.source = "\(source), pages at \(pattern)"
            pages[index].replies.file = source
            pages[index].replies.label = pattern
        }
    }

    /// Warnings about valid values that are probably mistakes.
    package var doubts: [ReplyFault] {
        replies.doubts + pages.flatMap(\.replies.doubts)
            + scenarios.sorted { $0.key < $1.key }.flatMap(\.value.doubts)
    }

    private static func check(
        _ members: [(name: String, value: LocatedJSON)], of value: LocatedJSON
    ) throws(ReplyFault) {
        for (name, value) in members where !keys.contains(name) {
            let near = Nearest.of(name == "reply" ? "replies" : name, among: keys.sorted())
            throw ReplyFault(
                "\(name) does not belong in a file of replies; \(near.map { "did you mean \($0)?" } ?? "put mocks into replies: {\"replies\": {\"\(name)\": …}}")",
                at: value)
        }
        guard members.contains(where: { $0.name != "$schema" && $0.name != "scenario" }) else {
            throw ReplyFault(
                "the file has no replies: {\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", at: value)
        }
    }

    private static func scenarios(
        _ members: [(name: String, value: LocatedJSON)], _ trust: ReplyTrust
    ) throws(ReplyFault) -> [String: ReplyNames] {
        var scenarios: [String: ReplyNames] = [:]
        for (name, value) in members {
            guard !name.isEmpty, !name.hasSuffix("/"), !name.hasPrefix("/") else {
                throw ReplyFault(Grammar.scenarioNames.otherwise, at: value)
            }
            scenarios[name] = try ReplyNames(value, trust: trust)
        }
        return scenarios
    }

    private static func pages(
        _ members: [(name: String, value: LocatedJSON)], _ trust: ReplyTrust
    ) throws(ReplyFault) -> [PageMap] {
        try members.map { pattern, value throws(ReplyFault) in
            guard pattern.hasPrefix("/") || pattern.hasPrefix("*") else {
                throw ReplyFault(Grammar.pageNames.otherwise, at: value)
            }
            let parts = try Grammar.page.read(value.members ?? [], of: value)
            return (Glob(pattern), try PageSettings(parts), try ReplyNames(in: parts, trust))
        }
    }

    private static func events(
        _ members: [(name: String, value: LocatedJSON)]
    ) throws(ReplyFault) -> [String: [ReplyStep]] {
        var events: [String: [ReplyStep]] = [:]
        for (name, value) in members {
            guard !name.isEmpty, !name.hasPrefix("$") || name == atArrival else {
                throw ReplyFault(Grammar.eventNames.otherwise, at: value)
            }
            events[name] = try ReplyReader.steps(value)
        }
        return events
    }

    /// The event that is triggered when a page is loaded.
    package static let atArrival = "$load"
}

package struct NoScenario: Error, CustomStringConvertible {
    let name: String
    let names: [String]

    package init(name: String, names: [String]) { (self.name, self.names) = (name, names) }

    package var description: String {
        let otherwise = names.isEmpty ? "write it below \"scenarios\"" : nil
        return "there is no scenario \(name); \(Nearest.hint(for: name, among: names, otherwise: otherwise))"
    }
}
