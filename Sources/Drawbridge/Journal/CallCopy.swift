/// A shell command that repeats a call.
///
/// Values from pages are quoted in it, so that the shell executes no part of them.
enum CallCopy {

    private static func body(of record: JournalRecord, _ redaction: Redaction?) -> [UInt8] {
        let bytes = record.input.bytes
        let text = String(decoding: bytes, as: UTF8.self)
        let clean = redaction.removed(fromText: text)
        return clean == text ? bytes : Array(clean.utf8)
    }

    /// A curl command that makes the call, for any POSIX shell.
    ///
    /// - Parameters:
    ///   - base: the gateway's URL, without a slash at the end.
    ///   - redaction: removes secrets; nil shows them.
    static func curl(
        _ record: JournalRecord, base: String, _ mark: NativeMark, _ redaction: Redaction?
    ) -> String {
        let method = record.head.method?.rawValue ?? "POST"
        var words = ["curl", "-sS", "--globoff", "--path-as-is"]
        // With `-X HEAD` curl would wait for a body that does not come.
        let isHead = method == "HEAD"
        let body = isHead ? [] : body(of: record, redaction)
        if isHead {
            words.append("--head")
        } else if method != (body.isEmpty ? "GET" : "POST") {
            words += ["-X", method.quotedForShell]
        }
        words.append((base + mark.target(redaction.removed(fromText: record.head.target))).quotedForShell)
        // Without this header curl would declare the body as a form.
        let type = record.head.contentType.map { " \($0)" } ?? ""
        if !body.isEmpty { words += ["-H", "Content-Type:\(type)".quotedForShell] }
        if record.session != .usual {
            words += ["-H", "X-Drawbridge-Session: \(record.session.name)".quotedForShell]
        }
        guard !body.isEmpty else { return words.joined(separator: " ") + "\n" }
        // As text only where that shows the bytes exactly.
        if let text = String(validating: body, as: UTF8.self),
            !text.unicodeScalars.contains(where: { hidden.contains($0.properties.generalCategory) })
        {
            // Not --data-binary, for which an @ at the beginning names a file.
            return (words + ["--data-raw", text.quotedForShell]).joined(separator: " ") + "\n"
        }
        return "printf \(printed(body)) | " + (words + ["--data-binary", "@-"]).joined(separator: " ")
            + "\n"
    }

    /// Characters that control a terminal, end a line, or make it look like another one.
    private static let hidden: Set<Unicode.GeneralCategory> = [
        .control, .format, .lineSeparator, .paragraphSeparator,
    ]

    private static func printed(_ bytes: [UInt8]) -> String {
        var text = "'"
        for (place, byte) in bytes.enumerated() {
            switch byte {
            // A dash at the beginning would be read as an option of `printf`.
            case UInt8(ascii: "-") where place == 0: text += #"\055"#
            case UInt8(ascii: "%"): text += "%%"
            case UInt8(ascii: "\\"): text += #"\\"#
            case 0x20...0x7E where byte != UInt8(ascii: "'"): text.unicodeScalars.append(.init(byte))
            default:
                let digits = String(byte, radix: 8)
                text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return text + "'"
    }
}

extension String {
    /// The text in single quotes, which every POSIX shell takes literally.
    ///
    /// It is built of Unicode scalars: for Swift, a quote with a combining accent is not the character of a quote.
    package var quotedForShell: String {
        let parts = unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'\(parts.map { String($0) }.joined(separator: #"'\''"#))'"
    }
}
