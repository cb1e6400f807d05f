// What is known of answers by the replies that give them.
extension Reply {
    /// Whether it answers any input, so that neither the next layers nor the handler are asked.
    var alwaysAnswers: Bool {
        switch outcome {
        case .value, .template, .error, .silence, .missing, .raw, .forward: true
        case .pass: false
        case .sequence(let replies, _): replies.allSatisfy(\.alwaysAnswers)
        case .cases(let cases):
            // After a case that fits and passes, the further cases are not tried.
            cases.allSatisfy(\.reply.alwaysAnswers) && cases.contains { $0.condition == nil }
        case .ask(let ask): ask.choices.allSatisfy(\.reply.alwaysAnswers)
        }
    }

    /// The shape of the values that it answers, as far as it is known.
    var shape: ValueShape {
        switch outcome {
        case .value(let bytes): (try? JSON(parsing: bytes)).map { ValueShape(of: [$0]) } ?? ValueShape()
        case .template(let template): template.shape
        case .error, .silence, .missing, .pass, .raw: ValueShape()
        // Another program decides.
        case .forward: ValueShape()
        case .sequence(let replies, _): Self.merged(replies)
        case .cases(let cases): Self.merged(cases.map(\.reply))
        case .ask(let ask): Self.merged(ask.choices.map(\.reply))
        }
    }

    private static func merged(_ replies: [Reply]) -> ValueShape {
        replies.reduce(into: ValueShape()) { $0.merge($1.shape) }
    }
}
