package import DrawbridgeMessages

/// What is answered for a name in place of a handler.
///
/// A reply is written as JSON: any value, which is sent unchanged, or an object whose keys begin with `$`. So
/// `{"nick": "Ann"}` and `{"$reply": {"nick": "Ann"}, "$delay": 300}` answer the same, the second one later.
package struct Reply: Sendable {
    package indirect enum Outcome: Sendable {
        /// JSON text that is sent unchanged.
        case value([UInt8])
        case template(Template)
        case error(Failure)
        case silence
        /// As if nothing answered the name, as in an app that does not have it.
        case missing
        /// The next layer is asked, and at last the handler.
        case pass
        /// One reply for each call, in order; the last one for all further calls.
        case sequence([Reply], Place)
        /// The first that fits; where none does, the next layer is asked, and at last the handler.
        case cases([Case])
        case ask(Ask)
        case raw(RawReply)
        case forward(ForwardTarget)
    }

    /// A question; the milliseconds after which the last choice is taken, nil where it waits; the choices.
    package typealias Ask = (message: Template, within: Int?, choices: [(name: String, reply: Reply)])
    package typealias Failure = (code: Int, message: Template?, data: Template?)
    package typealias Case = (condition: Condition?, reply: Reply)

    /// Identifies a sequence across reloads of its file: by the name that it is for, and its text.
    package struct Place: Sendable, Hashable {
        let name: String
        let text: [UInt8]
        /// Tells sequences with the same text apart: how many come before it in the mock.
        let number: Int
    }

    package let outcome: Outcome
    /// Milliseconds before the answer: a random number in this range.
    package var delay: ClosedRange<Int>?
    /// What is reported before the answer, to bridges that take progress.
    package var progress: [Template] = []
    /// Milliseconds between two reports of progress.
    package var every = 0
    package var then: [ReplyStep] = []

    package var isMissing: Bool { if case .missing = outcome { true } else { false } }

    package var isPass: Bool { if case .pass = outcome { true } else { false } }

    package var isSilence: Bool { if case .silence = outcome { true } else { false } }

    /// Whether it answers at once: it waits for no time, no file and no other program.
    package var isInstant: Bool {
        guard delay == nil, progress.isEmpty else { return false }
        return switch outcome {
        case .value, .template, .error: true
        default: false
        }
    }

    var looksAtInput: Bool {
        if progress.contains(where: \.looksAtInput) || then.contains(where: \.looksAtInput) { return true }
        return switch outcome {
        case .value, .silence, .missing, .pass: false
        case .template(let template): template.looksAtInput
        case .error(let failure): failure.message?.looksAtInput == true || failure.data?.looksAtInput == true
        case .sequence(let replies, _): replies.contains(where: \.looksAtInput)
        case .cases(let cases): cases.contains { $0.condition != nil || $0.reply.looksAtInput }
        case .ask(let ask): ask.message.looksAtInput || ask.choices.contains(where: \.reply.looksAtInput)
        case .raw(let raw): raw.looksAtInput
        case .forward: true
        }
    }
}

/// A step after an answer or of an event: native calls the page, sends it an event, or switches a scenario.
package struct ReplyStep: Sendable {
    package enum Action: Sendable {
        case call(String, Template)
        case emit(String, Template)
        case scenario(String, on: Bool)
    }

    package let action: Action
    /// Milliseconds before it.
    package let after: Int

    /// What the page gets; nil for a step that concerns none.
    package var data: Template? {
        switch action {
        case .call(_, let data), .emit(_, let data): data
        case .scenario: nil
        }
    }

    var looksAtInput: Bool { data?.looksAtInput == true }

    var scenario: String? { if case .scenario(let name, _) = action { name } else { nil } }
}
