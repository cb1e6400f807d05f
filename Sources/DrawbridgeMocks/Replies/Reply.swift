/// What a file, a flag or code answers for a name instead of a handler.
///
/// A reply is written as JSON: any value, which is sent unchanged, or an object whose keys begin with `$`. So `{"nick":
/// "Ann"}` and `{"$reply": {"nick": "Ann"}, "$delay": 300}` give the same answer, the second with a delay.
package struct Reply: Sendable {
    package indirect enum Outcome: Sendable {
        /// JSON text that is sent unchanged.
        case value([UInt8])
        case template(Template)
        case error(Failure)
        case silence
        /// Answered as if nothing had this name, like in an app without it.
        case missing
        /// Leaves the call to the next layer, and finally to the handler.
        case pass
        /// One reply for each call, in order; the last one for all further calls.
        case sequence([Reply], Place)
        /// The first case whose condition matches; if none does, the next layer is asked, and finally the handler.
        case cases([Case])
        case ask(Ask)
        case raw(RawReply)
        case forward(ForwardTarget)
    }

    /// `within` is the time in milliseconds after which the last choice is taken; nil to wait for an answer.
    package typealias Ask = (message: Template, within: Int?, choices: [(name: String, reply: Reply)])
    package typealias Failure = (code: Int, message: Template?, data: Template?)
    package typealias Case = (condition: Condition?, reply: Reply)

    /// Identifies a sequence by its mock's name and its text, so that a reload of the file keeps its position.
    package struct Place: Sendable, Hashable, Codable {
        let name: String
        let text: String
        /// Distinguishes sequences with the same text in one mock: the number of such sequences before this one.
        let number: Int
    }

    package let outcome: Outcome
    /// The delay before the answer in milliseconds: a random number in this range.
    package var delay: ClosedRange<Int>?
    /// Values that are sent before the answer, through bridges that support progress.
    package var progress: [Template] = []
    /// The time between two values of `progress`, in milliseconds.
    package var every = 0
    package var then: [ReplyStep] = []

    package var isMissing: Bool { if case .missing = outcome { true } else { false } }

    package var isPass: Bool { if case .pass = outcome { true } else { false } }

    package var isSilence: Bool { if case .silence = outcome { true } else { false } }

    /// Whether it can be answered at once, without a delay, a file, a question or another program.
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

/// An action after an answer or in an event: native calls the page, sends it an event, or switches a scenario.
package struct ReplyStep: Sendable {
    package enum Action: Sendable {
        case call(String, Template)
        case emit(String, Template)
        case scenario(String, on: Bool)
    }

    package let action: Action
    /// The delay before the step, in milliseconds.
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
