/// What is done after an answer, or when an event is played: native calls the page, tells it something, or changes the
/// scenario.
package struct ReplyStep: Sendable {
    package enum Deed: Sendable {
        case call(String, Template)
        case emit(String, Template)
        case scenario(String, on: Bool)
    }

    package let deed: Deed
    /// Milliseconds before it.
    package let after: Int

    var looksAtInput: Bool {
        switch deed {
        case .call(_, let data), .emit(_, let data): data.looksAtInput
        case .scenario: false
        }
    }

    /// The scenario that it switches, if it switches one.
    var scenario: String? { if case .scenario(let name, _) = deed { name } else { nil } }

    /// Whether there has to be a page that hears it.
    package var needsPage: Bool { if case .scenario = deed { false } else { true } }
}
