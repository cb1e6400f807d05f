/// What is answered for a name in place of a handler.
///
/// A reply is written as JSON: any value, which is answered as it stands, or an object whose keys begin with `$`. So
/// `{"nick": "Ann"}` and `{"$reply": {"nick": "Ann"}, "$delay": 300}` answer the same, the second one later.
package struct Reply: Sendable {
    /// What comes of a call; each reply has one of these.
    package indirect enum Outcome: Sendable {
        /// JSON text that is answered as it stands.
        case value([UInt8])
        /// The same with templates to be filled in.
        case template(Template)
        /// The bridge fails.
        case error(Failure)
        /// Nobody ever answers.
        case silence
        /// Nobody has the name.
        case missing
        /// What lies beneath is asked.
        case pass
        /// One after the other, and from then on the last.
        case sequence([Reply], Place)
        /// The first that fits; where none does, what lies beneath is asked.
        case cases([Case])
        /// What a person chooses.
        case ask(Ask)
        /// An answer of HTTP's, as it stands.
        case raw(RawReply)
        /// What a program says.
        case forward(ForwardTarget)
    }

    /// A question for a person.
    package struct Ask: Sendable {
        package let message: Template
        /// Milliseconds after which the last choice counts; nil: the question waits.
        package let within: Int?
        package let choices: [(name: String, reply: Reply)]
    }

    /// What a failing bridge says.
    package struct Failure: Sendable {
        package let code: Int
        package let message: Template?
        package let data: Template?
    }

    /// A reply for some inputs.
    package struct Case: Sendable {
        package let condition: Condition?
        package let reply: Reply
    }

    /// By what a sequence is known again after a save: the name that it is for, and what it says.
    package struct Place: Sendable, Hashable {
        let name: String
        let text: [UInt8]
        /// How many of the same text stand before it in the reply for that name.
        let number: Int
    }

    package let outcome: Outcome
    /// Milliseconds before the answer: any number of these.
    package var delay: ClosedRange<Int>?
    /// What is told before the answer, where the bridge hears it.
    package var progress: [Template] = []
    /// Milliseconds between what is told.
    package var every = 0
    /// What is done after the answer.
    package var then: [ReplyStep] = []

    /// Whether nobody has the name.
    package var isMissing: Bool { if case .missing = outcome { true } else { false } }

    /// Whether what lies beneath is asked.
    package var isPass: Bool { if case .pass = outcome { true } else { false } }

    /// Whether nobody ever answers.
    package var isSilence: Bool { if case .silence = outcome { true } else { false } }

    /// Whether what is answered depends on what was sent.
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
