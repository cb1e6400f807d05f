/// A question to the person who uses the app, or a notice.
public struct Question: Sendable, Hashable {
    /// The kinds of answer that a question can have.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// No answer: the message is only shown.
        case notice
        /// One of these choices, of which the first is the usual one.
        case choice([String])
        /// Texts for these fields.
        case form([Field])
    }

    /// A text field of a form.
    public struct Field: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The key of this field in the answer's JSON object.
        public var name: String
        /// The label that is shown next to the field.
        public var label: String

        /// Makes a field; the label is the name by default.
        public init(_ name: String, label: String? = nil) {
            self.name = name
            self.label = label ?? name
        }

        /// Makes a field whose label is its name.
        public init(stringLiteral name: String) { self.init(name) }
    }

    /// The name under which a script or `--choose` has the answer, usually the handler's: `alert`.
    public var name: String
    /// A single line, shown above the message.
    public var title: String
    /// The text of the question; may have several lines.
    public var message: String
    /// Which kind of answer is expected.
    public var kind: Kind
    /// Whether it may be shown over the page whose call asks, where the page's scripts can read and answer it: only for
    /// what has no effect outside of the page.
    public var overPage: Bool

    /// How long it waits for an answer.
    package var within: Duration?
    /// The choice that is taken when nobody answers.
    package var otherwise: String?

    /// Where questions are shown over the page that asks, if they may be.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Asking: String, Sendable, CaseIterable {
        /// Over pages that a person has opened on this machine.
        case auto
        /// Over every page: in driven browsers, in the sessions of tests, and on other devices, too.
        case page
        /// Over none.
        case off
    }

    /// Makes a question that is answered with one of these choices.
    public init(
        _ name: String, title: String = "", message: String = "", choices: [String], overPage: Bool = false
    ) {
        self.init(name, title: title, message: message, kind: .choice(choices), overPage: overPage)
    }

    /// Makes a question that is answered with a text for each of these fields.
    public init(
        _ name: String, title: String = "", message: String = "", fields: [Field], overPage: Bool = false
    ) {
        self.init(name, title: title, message: message, kind: .form(fields), overPage: overPage)
    }

    /// Makes a question of any kind; by default a notice, which is only shown.
    public init(
        _ name: String, title: String = "", message: String = "", kind: Kind = .notice, overPage: Bool = false
    ) {
        self.name = name
        self.title = title
        self.message = message
        self.kind = kind
        self.overPage = overPage
    }

    /// Checks an answer that a person or a script gave, and completes it.
    ///
    /// A choice may come as a string or as a number. A form needs an object with exactly its fields; if it has only
    /// one, the field's value is enough. `cancel` and `null` cancel.
    ///
    /// - Returns: nil for a cancelled question, and for a notice.
    /// - Throws: an ``AnswerError`` that says which answers are possible.
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
                    // Numbers become text, since a person could fill in nothing but text.
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

/// Thrown for an answer that the question does not allow.
public struct AnswerError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with the answer, and which answers are allowed.
    public let description: String

    /// Makes an error with this description.
    public init(_ description: String) { self.description = description }
}

extension Question {
    private static let longest = 1000
    package static let unasked = "nobody could be asked: there is no terminal, and no inspector is open"

    /// Its members for programs and pages.
    package var described: JSON.Object {
        var members: JSON.Object = [
            "name": .string(name), "title": .string(title), "message": .string(message),
        ]
        switch kind {
        case .notice: break
        case .choice(let choices): members["choices"] = .array(choices.map(JSON.string))
        case .form(let fields):
            members["fields"] = .array(fields.map { .string($0.name) })
            members["labels"] = .array(fields.map { .string($0.label) })
        }
        return members
    }

    package var line: String {
        [name, title, message].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    /// Name, title and message on one line: all white space becomes single spaces.
    package var oneLine: String {
        var plain = self
        plain.title = title.collapsed(to: Self.longest)
        plain.message = message.collapsed(to: Self.longest)
        return plain.line
    }

    /// The possible answers, as a prompt shows them: `[ok/cancel]`, `[user, or cancel]`.
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
    /// Replaces each run of white space by one space, and cuts the text to a number of characters.
    fileprivate func collapsed(to limit: Int) -> String {
        let start = String(String.UnicodeScalarView(unicodeScalars.prefix(limit)))
        let words = start.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return unicodeScalars.count > limit ? words + "…" : words
    }
}
