/// The layers of replies of a gateway, and its scenarios, which take precedence over the layers while they are on.
package struct ReplyLayers: Sendable {
    package var replies: [ReplyNames]
    /// The scenarios of each file by name; those of the first file take precedence.
    package var scenarios: [[String: ReplyNames]]
    /// The scenarios that are on at the start; the last one takes precedence.
    package var scenario: [String]
    /// Replies for some pages, which are asked after scenarios and before the other layers.
    package var pages: [ReplyFile.PageMap] = []
    package var events: [String: [ReplyStep]] = [:]
    package var settings = PageSettings()

    package var file: String?

    package init(
        _ replies: [ReplyNames], scenarios: [[String: ReplyNames]] = [], scenario: [String] = []
    ) {
        self.replies = replies.filter { !$0.isEmpty }
        self.scenarios = scenarios
        self.scenario = scenario
    }

    /// Makes layers of files, in their order, after a first layer of replies that are in no file.
    ///
    /// - Parameter scenario: further scenarios that are on at the start, in addition to those that the files name.
    package init(_ given: ReplyNames, files: [ReplyFile], scenario: [String]) {
        self.init(
            [given] + files.map(\.replies), scenarios: files.map(\.scenarios),
            scenario: files.reversed().flatMap(\.scenario) + scenario)
        pages = files.flatMap(\.pages)
        for file in files {
            events.merge(file.events) { first, _ in first }
            settings = settings.merged(before: file.settings)
        }
    }

    package var scenarioNames: [String] { Set(scenarios.flatMap(\.keys)).sorted() }

    /// The scenarios that steps switch but no file defines.
    package var faults: [NoScenario] {
        let known = Set(scenarioNames)
        let switched = events.values.joined().compactMap(\.scenario) + all.flatMap(\.switched)
        return Set(switched).subtracting(known).sorted().map { NoScenario(name: $0, names: scenarioNames) }
    }

    package var forwards: [ForwardTarget] { all.flatMap(\.forwards) }

    package var questions: [String] { all.flatMap(\.questions) }

    var all: [ReplyNames] { scenarios.flatMap(\.values) + pages.map(\.replies) + replies }

    package var bridgesOfPages: [String] {
        pages.reduce(into: Set<String>()) { $0.formUnion($1.settings.bridges ?? []) }.sorted()
    }

    /// The settings of the page at a path; those for some pages take precedence over those for all.
    func settings(ofPageAt path: String) -> PageSettings {
        pages.filter { $0.pattern.matches(path) }.reduce(PageSettings()) { $0.merged(before: $1.settings) }
            .merged(before: settings)
    }

    /// The replies of these scenarios, those of the last scenario first.
    func scenarios(_ names: [String]) -> [ReplyNames] {
        names.reversed().flatMap { name in scenarios.compactMap { $0[name] } }
    }
}

/// The scenarios that are on, in the order in which they were switched on.
///
/// The part of a name before its first slash is its group. At most one scenario of a group is on.
struct Scenarios: Sendable, Equatable {
    private(set) var on: [String]

    init(_ names: [String]) {
        on = []
        for name in names { turn(name, on: true) }
    }

    /// What is on after a reload; a scenario that no longer exists is replaced by the one of its group in `usual`.
    func kept(of known: Set<String>, besides usual: [String]) -> Scenarios {
        var kept = Scenarios(on.filter(known.contains))
        for lost in on where !known.contains(lost) {
            guard let group = Self.group(of: lost), !kept.on.contains(where: { Self.group(of: $0) == group })
            else { continue }
            for name in usual where Self.group(of: name) == group { kept.turn(name, on: true) }
        }
        return kept
    }

    mutating func turn(_ name: String, on isOn: Bool) {
        let group = Self.group(of: name)
        on.removeAll { $0 == name || isOn && group != nil && Self.group(of: $0) == group }
        if isOn { on.append(name) }
    }

    private static func group(of name: String) -> Substring? {
        name.firstIndex(of: "/").map { name[..<$0] }
    }
}
