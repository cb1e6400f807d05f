/// A step after an answer or of an event: native calls the page, sends it an event, or switches a scenario.
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

    var scenario: String? { if case .scenario(let name, _) = deed { name } else { nil } }

    package var needsPage: Bool { if case .scenario = deed { false } else { true } }
}
