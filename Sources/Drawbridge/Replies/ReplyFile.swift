/// A text of replies: `{"replies": {"getUser": {"nick": "Ann"}}}`.
package struct ReplyFile: Sendable {
    /// What is answered for which name.
    package private(set) var replies: ReplyNames
    /// What is answered while a scenario is on, before all else.
    package private(set) var scenarios: [String: ReplyNames]
    /// The scenarios that are on at first.
    package let scenario: [String]

    /// The keys that it reads.
    package static let keys: Set<String> = ["$schema", "replies", "scenario", "scenarios"]

    /// - Parameters:
    ///   - isAlone: there is nothing else in the text; other keys in it are mistakes.
    ///   - isFound: nobody has named the file, so its replies may say less.
    /// - Throws: what is wrong, and where.
    package init(
        _ value: LocatedJSON, isAlone: Bool = false, isFound: Bool = false
    ) throws(ReplyFault) {
        guard let members = value.members else {
            throw ReplyFault(
                "a file of replies is an object: {\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", at: value
            )
        }
        if isAlone { try Self.check(members, of: value) }
        func member(_ name: String) -> LocatedJSON? { members.first { $0.name == name }?.value }
        replies =
            try member("replies").map { value throws(ReplyFault) in try ReplyNames(value, isFound: isFound) }
            ?? ReplyNames()
        scenarios =
            try member("scenarios").map { value throws(ReplyFault) in
                try Self.scenarios(value, isFound: isFound)
            } ?? [:]
        scenario = try member("scenario").map(Self.names) ?? []
        for name in scenario where scenarios[name] == nil {
            let near = Nearest.of(name, among: scenarios.keys.sorted()).map { "did you mean \($0)?" }
            throw ReplyFault(
                "there is no scenario \(name); \(near ?? "write it below \"scenarios\"")",
                at: member("scenario") ?? value)
        }
    }

    /// Says where its replies come from.
    package mutating func name(by source: String) {
        replies.source = source
        for name in scenarios.keys { scenarios[name]?.source = "\(source), scenario \(name)" }
    }

    private static func check(
        _ members: [(name: String, value: LocatedJSON)], of value: LocatedJSON
    ) throws(ReplyFault) {
        for (name, value) in members where !keys.contains(name) {
            let isOurs = ["reply", "mock", "mocks"].contains(name)
            let near = isOurs ? "replies" : Nearest.of(name, among: keys.sorted())
            throw ReplyFault(
                "\(name) is no part of a file of replies; \(near.map { "did you mean \($0)?" } ?? "names stand below: {\"replies\": {\"\(name)\": …}}")",
                at: value)
        }
        guard members.contains(where: { $0.name == "replies" }) else {
            guard !members.contains(where: { $0.name == "scenarios" }) else { return }
            throw ReplyFault(
                "there are no replies in it: {\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", at: value)
        }
    }

    private static func scenarios(
        _ value: LocatedJSON, isFound: Bool
    ) throws(ReplyFault) -> [String: ReplyNames] {
        guard let members = value.members else {
            throw ReplyFault(
                "scenarios are an object: {\"offline\": {\"*\": {\"$silence\": true}}}", at: value)
        }
        var scenarios: [String: ReplyNames] = [:]
        for (name, value) in members {
            guard !name.isEmpty, !name.hasSuffix("/"), !name.hasPrefix("/") else {
                throw ReplyFault(
                    "a scenario has a name, and perhaps a group before a slash: user/signed-in", at: value)
            }
            scenarios[name] = try ReplyNames(value, isFound: isFound)
        }
        return scenarios
    }

    private static func names(_ value: LocatedJSON) throws(ReplyFault) -> [String] {
        if let name = value.json.stringValue { return [name] }
        guard let names = value.elements?.map(\.json.stringValue), !names.contains(nil) else {
            throw ReplyFault("scenario is a name, or an array of names, that are on at first", at: value)
        }
        return names.compactMap(\.self)
    }
}
