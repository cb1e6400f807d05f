public import DrawbridgeJSON

/// What a person is asked, or shown.
public struct Question: Sendable, Hashable {
    /// What the person can do about it.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// Nothing: it is only shown.
        case notice
        /// To choose one; the first is the usual choice.
        case choice([String])
        /// To fill in.
        case form([Field])
    }

    /// Something to fill in.
    public struct Field: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The key of this field in the answer's JSON object.
        public var name: String
        /// What a person reads next to it.
        public var label: String

        /// Makes a field; its label is its name unless there is a better one.
        public init(_ name: String, label: String? = nil) {
            self.name = name
            self.label = label ?? name
        }

        /// Makes a field of its name.
        public init(stringLiteral name: String) { self.init(name) }
    }

    /// The handler's name, by which a script answers: `alert`.
    public var name: String
    /// One line above the message.
    public var title: String
    /// The message.
    public var message: String
    /// What the person can do about it.
    public var kind: Kind

    /// Makes a question with choices.
    public init(_ name: String, title: String = "", message: String = "", choices: [String]) {
        self.init(name, title: title, message: message, kind: .choice(choices))
    }

    /// Makes a question with fields to fill in.
    public init(_ name: String, title: String = "", message: String = "", fields: [Field]) {
        self.init(name, title: title, message: message, kind: .form(fields))
    }

    /// Makes a notice, or a question of any kind.
    public init(_ name: String, title: String = "", message: String = "", kind: Kind = .notice) {
        self.name = name
        self.title = title
        self.message = message
        self.kind = kind
    }

    /// Makes an answer of what a person or a script gave, however short they put it.
    ///
    /// A choice is one of the choices, whether it came as a string or as a number. Fields are an object with these
    /// fields and no others; where there is one field its value is enough. `cancel` and `null` cancel.
    ///
    /// - Returns: nil for a cancelled question, and for a notice.
    /// - Throws: an ``AnswerError`` that says what can be answered.
    public func answer(from given: JSON) throws(AnswerError) -> JSON? {
        if given.isNull { return nil }
        let text = given.stringValue ?? "\(given)"
        switch kind {
        case .notice: return nil
        case .choice(let choices):
            if choices.contains(text) { return .string(text) }
            if text == "cancel" { return nil }
            throw AnswerError(
                "\(given) is not one of the choices of \(name): \(choices.joined(separator: ", "))")
        case .form(let fields):
            if text == "cancel" { return nil }
            if let members = given.objectValue {
                if Set(members.map(\.key)) == Set(fields.map(\.name)) {
                    // A person fills in text, so what a script gives as a number becomes text too.
                    return .object(
                        .init(members.map { ($0.key, .string($0.value.stringValue ?? "\($0.value)")) }))
                }
            } else if fields.count == 1, given.arrayValue == nil {
                return .object([fields[0].name: .string(text)])
            }
            throw AnswerError("\(given) is not an answer to \(name): give \(example)")
        }
    }
}

/// An answer that does not fit its question.
public struct AnswerError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with it and what would fit.
    public let description: String

    /// Makes an error of its description.
    public init(_ description: String) { self.description = description }
}

extension Question {
    private static let longest = 1000
    package static let unasked = "nobody could be asked: there is no terminal, and no inspector is open"

    package var line: String {
        [name, title, message].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// Name, title and message, with each run of white space, line breaks too, as one space.
    package var oneLine: String {
        var plain = self
        plain.title = title.collapsed(to: Self.longest)
        plain.message = message.collapsed(to: Self.longest)
        return plain.line
    }

    /// What can be chosen or filled in: `[ok/cancel]`, `[user]`.
    package var options: String {
        switch kind {
        case .notice: ""
        case .choice(let choices): "[\(choices.joined(separator: "/"))]"
        case .form(let fields): "[\(fields.map(\.label).joined(separator: ", ")), or cancel]"
        }
    }

    package var example: String {
        switch kind {
        case .notice: ""
        case .choice(let choices): choices.first ?? "cancel"
        case .form(let fields): "{\(fields.map { "\"\($0.name)\":\"…\"" }.joined(separator: ","))}"
        }
    }
}

extension String {
    /// Each run of white space as one space, and not more than a number of characters.
    fileprivate func collapsed(to limit: Int) -> String {
        let start = String(String.UnicodeScalarView(unicodeScalars.prefix(limit)))
        let words = start.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return unicodeScalars.count > limit ? words + "…" : words
    }
}
