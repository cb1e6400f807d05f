import Drawbridge

/// Runs a list of exchanges with the page that is open in a browser.
struct ExchangeRun {
    let gateway: Gateway
    /// How long to wait for each expected exchange.
    let patience: Duration

    private var deadline = ContinuousClock.now
    /// How many calls and heard values of each name were matched with the list.
    private var called: [String: Int] = [:]
    private var heard: [String: Int] = [:]

    /// How long to wait after an uncaught error, behind which the page's script does not go on.
    private static let patienceAfterErrors = Duration.seconds(1)
    /// How long to wait at the end for calls that are not in the list.
    private static let quiet = Duration.milliseconds(300)

    init(_ gateway: Gateway, patience: Duration) {
        (self.gateway, self.patience) = (gateway, patience)
        deadline = .now + patience
    }

    /// Plays native's part of an exchange, waits for the page's part, and compares.
    mutating func misfits(of exchange: Exchange) async throws -> [Misfit] {
        var misfits: [Misfit] = []
        switch exchange.kind {
        case .pageCalls(let with):
            misfits = try await pageCalls(exchange.name, with)
            // Where the call was not made, its answer cannot be heard.
            if misfits.first?.verb == "called" { return misfits }
        case .nativeCalls(let with, let answer, let bridge):
            guard let page = try await page() else { return [Self.noPage] }
            let found = try await Self.outcome(of: page, exchange.name, with, bridge, patience)
            if let answer, !Self.fits(found, answer) {
                misfits.append(.init("answered", found, wanted: answer))
            }
        case .nativeTells(let with):
            guard let page = try await page() else { return [Self.noPage] }
            try page.emit(exchange.name, with)
        case .pageHears: break
        }
        if let wanted = exchange.hears, let misfit = try await hears(exchange.name, wanted) {
            misfits.append(misfit)
        }
        if misfits.isEmpty { deadline = .now + patience }
        return misfits
    }

    /// What the page has called and heard that is not in the list, each in a sentence.
    func others() async throws -> [String] {
        let (called, heard) = (called, heard)
        let rest = { @Sendable (all: [Conversation.Call], counts: [String: Int]) in
            var counts = counts
            return all.filter { call in
                counts[call.name, default: 0] -= 1
                return counts[call.name, default: 0] < 0
            }
        }
        let conversation = try await conversation(until: .now + Self.quiet) {
            !rest($0.calls, called).isEmpty || !rest($0.heard, heard).isEmpty
        }
        return rest(conversation.calls, called).map { "the page calls \($0.name) with \($0.value)" }
            + rest(conversation.heard, heard).map { "the page hears \($0.value) of \($0.name)" }
    }

    private mutating func pageCalls(_ name: String, _ with: JSON?) async throws -> [Misfit] {
        let count = called[name, default: 0]
        let conversation = try await patiently { $0.calls(of: name).count > count }
        let calls = conversation.calls(of: name)
        guard calls.count > count else {
            let others = Set(conversation.calls.map(\.name)).sorted().joined(separator: ", ")
            let found = count > 0 ? "\(count) times" : others.isEmpty ? "nothing" : "only \(others)"
            return [Misfit("called", found, wanted: count > 0 ? "\(name) once more" : name)]
        }
        called[name] = count + 1
        if let with, calls[count] != with { return [Misfit("sent", calls[count], wanted: with)] }
        return []
    }

    private mutating func hears(_ name: String, _ wanted: [JSON]) async throws -> Misfit? {
        let count = heard[name, default: 0]
        let part = { @Sendable (conversation: Conversation) in
            Array(conversation.heard(of: name).dropFirst(count).prefix(wanted.count))
        }
        let found = try await part(
            patiently { conversation in
                let found = part(conversation)
                return found.count == wanted.count || found != Array(wanted.prefix(found.count))
            })
        heard[name] = count + found.count
        return found == wanted ? nil : Misfit("heard", JSON.array(found), wanted: JSON.array(wanted))
    }

    /// The page, as soon as one of its bridges says that native can call it; nil where none does.
    ///
    /// A channel alone does not prove it: where a bridge's script is a file, as here, each page opens one at once, and
    /// reloads by it when the file is saved. Elsewhere, a page opens one only for a bridge that says so.
    private mutating func page() async throws -> Page? {
        let gateway = gateway
        let reached = { @Sendable in gateway.ranked(in: .usual).first { $0.isOpen && !$0.bridges.isEmpty } }
        _ = try await patiently { _ in reached() != nil }
        return reached()
    }

    private static let noPage = Misfit(
        "reached", "no page: its bridge says by native.listens(), or by a call, that native can call it",
        wanted: "the page")

    /// What the page answers: a value, or an error as `$error` has it.
    private static func outcome(
        of page: Page, _ name: String, _ with: JSON, _ bridge: Page.Bridge?, _ patience: Duration
    ) async throws -> JSON {
        do {
            return try await page.call(name, with, by: bridge, deadline: patience)
        } catch let error as PageError {
            var members: JSON.Object = ["message": .string(error.message)]
            if case .failed(let code) = error.reason { members["code"] = .number(.init(code)) }
            return ["$error": .object(members)]
        }
    }

    /// Whether an answer is the wanted one; of an error only the members that the list has are compared.
    private static func fits(_ found: JSON, _ wanted: JSON) -> Bool {
        guard let members = wanted["$error"]?.objectValue, let error = found["$error"] else {
            return found == wanted
        }
        return members.allSatisfy { error[$0.key] == $0.value }
    }

    /// Waits for something expected until the deadline, or shortly after an uncaught error of the page.
    private mutating func patiently(
        _ isDone: @escaping @Sendable (Conversation) -> Bool
    ) async throws -> Conversation {
        let conversation = try await conversation(until: deadline) { isDone($0) || $0.hasBrokenOff }
        if isDone(conversation) || !conversation.hasBrokenOff { return conversation }
        deadline = min(deadline, .now + Self.patienceAfterErrors)
        return try await self.conversation(until: deadline, isDone)
    }

    func conversation(
        until deadline: ContinuousClock.Instant, _ isDone: @escaping @Sendable (Conversation) -> Bool
    ) async throws -> Conversation {
        let entries = try await gateway.journal.entries(until: deadline) { isDone(Conversation($0)) }
        try Task.checkCancellation()
        return Conversation(entries)
    }
}
