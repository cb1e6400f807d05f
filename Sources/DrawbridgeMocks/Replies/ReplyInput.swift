/// What a call sends, as conditions and templates see it.
package struct ReplyInput: Sendable {
    /// Its value; nil where nothing was sent.
    package let value: JSON?
    /// The members that came from a query or a form, where every value is text.
    let texts: Set<String>
    /// Whether it has so much that nobody should look at it on a loop.
    package var isLarge = false
    /// Whether something was sent that is neither JSON nor a form.
    package var isUnreadable = false
    /// What the browser calls itself.
    package var userAgent: String

    package init(_ value: JSON?, texts: Set<String> = [], userAgent: String = "") {
        self.value = value
        self.texts = texts
        self.userAgent = userAgent
    }
}

extension JSON {
    /// The object or the array that a text says in JSON, as pages send it to bridges that take texts alone; any other value
    /// is itself.
    var read: JSON {
        guard case .string(let text) = self, let first = text.utf8.first(where: { $0 > 0x20 }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        else { return self }
        return (try? JSON(parsing: Array(text.utf8))) ?? self
    }

    /// Whether it is a text that says an object or an array.
    package var isWritten: Bool { stringValue != nil && read.stringValue == nil }
}

extension Request {
    /// The input as replies look at it, by a body that is there.
    ///
    /// - Throws: a 400 or a 415 where it can be read neither as JSON nor as a form.
    package func replyInput() throws -> ReplyInput {
        let tape = try tape(of: body.bytes ?? [])
        let texts = tape[0].kind == .object ? tape.values(in: 0).filter { tape[$0].isText } : []
        var input = ReplyInput(
            tape[0].kind == .null ? nil : JSON(tape), texts: Set(texts.map { tape.string(tape[$0 - 1]) }))
        input.isLarge = hasLargeInput || tape.bytes.count > 64 << 10
        return input
    }
}
