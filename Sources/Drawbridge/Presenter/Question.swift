/// What a person is asked: to choose, or to fill in; with neither, a notice that is only shown.
public struct Question: Sendable, Hashable {
    /// The handler's name, by which a script answers: `alert`.
    public var name: String
    /// One line above the message.
    public var title: String
    /// The message.
    public var message: String
    /// What can be chosen; the first is the usual choice.
    public var choices: [String]
    /// The names of what is to be filled in, where nothing is to be chosen.
    public var fields: [String]

    /// Makes a question.
    public init(
        _ name: String, title: String = "", message: String = "", choices: [String] = [],
        fields: [String] = []
    ) {
        self.name = name
        self.title = title
        self.message = message
        self.choices = choices
        self.fields = fields
    }

    /// True for what is shown and not answered.
    public var isNotice: Bool { choices.isEmpty && fields.isEmpty }

    /// Makes an answer of what a person or a script gave, however short they put it.
    ///
    /// A choice is one of the choices. Fields are an object; where there is one field its value is enough. `cancel`
    /// and `null` cancel.
    ///
    /// - Returns: nil for a cancelled question.
    /// - Throws: an ``InvalidAnswer`` that says what can be answered.
    public func answer(from given: JSON) throws(InvalidAnswer) -> JSON? {
        if given == .null { return nil }
        if !choices.isEmpty {
            if let choice = given.stringValue, choices.contains(choice) { return given }
            if given == "cancel" { return nil }
            throw InvalidAnswer(
                "\(given) is none of the choices of \(name): \(choices.joined(separator: ", "))")
        }
        if given == "cancel" { return nil }
        if case .object = given { return given }
        if fields.count == 1 { return .object([fields[0]: given]) }
        let example = fields.map { "\"\($0)\":\"…\"" }.joined(separator: ",")
        throw InvalidAnswer("\(given) is no answer to \(name): give its fields as {\(example)}")
    }
}

/// An answer that does not fit its question.
public struct InvalidAnswer: Error, Hashable, CustomStringConvertible {
    /// What is wrong with it and what would fit.
    public let description: String

    /// Makes an error of its description.
    public init(_ description: String) { self.description = description }
}
