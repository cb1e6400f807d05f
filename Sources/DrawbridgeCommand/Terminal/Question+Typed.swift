// Parsing what a tester types at the terminal as the answer to a question.
extension Question {
    /// An example of an answer: `ok`; for a form `street=… town=…`, or `…` if it has one field.
    var typedExample: String {
        guard case .form(let fields) = kind else { return example }
        return fields.count == 1 ? "…" : fields.map { "\($0.name)=…" }.joined(separator: " ")
    }

    /// Parses a typed answer: a unique prefix of a choice, `user=ann town=Bern`, the value of the only field, or
    /// `cancel`.
    ///
    /// Returns nil for a cancelled question. The error says what can be typed.
    func answer(typed text: String) throws(AnswerError) -> JSON? {
        switch kind {
        case .notice: return nil
        case .choice(let choices): return try answer(from: .string(choice(text, of: choices)))
        case .form(let fields):
            if text == "cancel" { return nil }
            if let object = object(text, fields) { return try answer(from: object) }
            if fields.count == 1, !text.isEmpty { return try answer(from: .string(text)) }
            throw AnswerError(
                "type \(fields.count == 1 ? "the \(fields[0].label)" : typedExample), or cancel")
        }
    }

    private func choice(_ text: String, of choices: [String]) throws(AnswerError) -> String {
        if choices.contains(text) { return text }
        let known = choices.contains("cancel") ? choices : choices + ["cancel"]
        let typed = text.lowercased()
        if let same = known.first(where: { $0.lowercased() == typed }) { return same }
        let fitting = text.isEmpty ? [] : known.filter { $0.lowercased().hasPrefix(typed) }
        if fitting.count == 1 { return fitting[0] }
        throw AnswerError("type \((fitting.isEmpty ? known : fitting).joined(separator: " or "))")
    }

    /// Parses `street=Elm Street town=Bern`: a value ends at the next field's name.
    private func object(_ text: String, _ fields: [Field]) -> JSON? {
        var values: [(name: String, words: [Substring])] = []
        for word in text.split(separator: " ") {
            if let name = fields.map(\.name).first(where: { word.hasPrefix("\($0)=") }) {
                values.append((name, [word.dropFirst(name.count + 1)]))
            } else if values.isEmpty {
                return nil
            } else {
                values[values.count - 1].words.append(word)
            }
        }
        guard !values.isEmpty else { return nil }
        var object = JSON.Object()
        for (name, words) in values { object[name] = .string(words.joined(separator: " ")) }
        return .object(object)
    }
}
