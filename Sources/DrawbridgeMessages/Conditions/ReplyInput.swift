/// What a call sends, as conditions and templates see it.
package struct ReplyInput: Sendable {
    package let value: JSON?
    /// The members that came from a query or a form, where every value is text.
    let texts: Set<String>
    /// Whether it is so large that it must be processed off the loop.
    package var isLarge = false
    /// Whether something was sent that is neither JSON nor a form.
    package var isUnreadable = false
    package var userAgent: String

    package init(_ value: JSON?, texts: Set<String> = [], userAgent: String = "") {
        (self.value, self.texts, self.userAgent) = (value, texts, userAgent)
    }
}

extension JSON {
    /// The object or array in a string of JSON, as pages send it to bridges that take only strings; else the value.
    package var read: JSON {
        guard case .string(let text) = self, let first = text.utf8.first(where: { $0 > 0x20 }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return self }
        return (try? JSON(parsing: Array(text.utf8))) ?? self
    }

    /// Whether it is a string that contains a JSON object or array.
    package var isWritten: Bool { stringValue != nil && read.stringValue == nil }
}

extension Request {
    /// The input for conditions and templates, made from a body that was collected.
    ///
    /// - Throws: a 400 or a 415 where it can be read neither as JSON nor as a form.
    package func replyInput() throws -> ReplyInput {
        let tape = try tape(of: body.bytes ?? [])
        let texts = tape[0].kind == .object ? tape.values(in: 0).filter { tape[$0].isText } : []
        var input = ReplyInput(
            tape[0].kind == .null ? nil : JSON(tape), texts: Set(texts.map { tape.string(tape[$0 - 1]) }))
        input.isLarge = hasLargeInput || tape[0].to > 64 << 10
        return input
    }
}
