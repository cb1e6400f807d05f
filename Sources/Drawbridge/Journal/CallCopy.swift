/// A call as text that makes it again: a line for a shell, or a test.
///
/// What pages said stands in it as literals of that language, so nothing of it runs.
struct CallCopy {
    /// What a copied test is written in.
    enum Language: String, CaseIterable {
        case playwright, pytest, curl
    }

    /// What copies of a gateway's calls have in common.
    struct Setting {
        /// How the gateway is reached, without a slash at the end.
        let base: String
        let mark: NativeMark
        let answers: AnswerForm
        /// What is left out of copies; nil for nothing.
        let redaction: Redaction?
        /// What is left out where nobody asks for secrets.
        let usual: Redaction
    }

    let method: String
    let url: String
    let contentType: String?
    let body: [UInt8]
    let record: JournalRecord
    let setting: Setting
    let input: JSON

    init(_ record: JournalRecord, _ setting: Setting) {
        (self.record, self.setting) = (record, setting)
        let redaction = setting.redaction
        input = record.shownInput(redaction)
        let target = redaction.removed(fromQuery: record.head.target)
        url = setting.base + (record.kind == .request ? target : setting.mark.target(target))
        method = record.head.method?.rawValue ?? "POST"
        contentType = record.input.bytes.isEmpty ? nil : record.head.contentType
        body = Self.body(of: record, redaction)
    }

    private static func body(of record: JournalRecord, _ redaction: Redaction?) -> [UInt8] {
        let bytes = record.input.bytes
        guard let redaction, !bytes.isEmpty else { return bytes }
        if let json = try? JSON(parsing: bytes) {
            let clean = redaction.removed(from: json)
            return clean == json ? bytes : clean.bytes
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // All that can be read and is no JSON is read as a form.
        let clean =
            record.readInput == nil
            ? redaction.removed(fromText: text) : String(redaction.removed(fromQuery: "?\(text)").dropFirst())
        return clean == text ? bytes : Array(clean.utf8)
    }

    // MARK: A shell

    /// A line that makes the call with curl, in any POSIX shell.
    var curl: String {
        var words = ["curl", "-sS", "--globoff", "--path-as-is"]
        // With -X curl would wait for the body of an answer that has none.
        let isHead = method == "HEAD"
        let body = isHead ? [] : body
        if isHead {
            words.append("--head")
        } else if method != (body.isEmpty ? "GET" : "POST") {
            words += ["-X", Self.quoted(method)]
        }
        words.append(Self.quoted(url))
        // Without a type of its own curl would call the body a form.
        let type = contentType.map { " \($0)" } ?? ""
        if !body.isEmpty { words += ["-H", Self.quoted("Content-Type:\(type)")] }
        if record.session != .usual {
            words += ["-H", Self.quoted("X-Drawbridge-Session: \(record.session.name)")]
        }
        guard !body.isEmpty else { return words.joined(separator: " ") + "\n" }
        if let text = Self.plainText(body) {
            // Not --data-binary, for which an @ at the beginning names a file.
            return (words + ["--data-raw", Self.quoted(text)]).joined(separator: " ") + "\n"
        }
        return "printf \(Self.printed(body)) | " + (words + ["--data-binary", "@-"]).joined(separator: " ")
            + "\n"
    }

    /// A word that every shell takes as it is.
    ///
    /// Scalar by scalar: to Swift, a quote with an accent on it is another character than a quote.
    static func quoted(_ text: String) -> String {
        var word = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { word += #"'\''"# } else { word.unicodeScalars.append(scalar) }
        }
        return word + "'"
    }

    /// What controls a terminal, ends a line, or lets a line read otherwise than it is.
    private static let hidden: Set<Unicode.GeneralCategory> = [
        .control, .format, .lineSeparator, .paragraphSeparator,
    ]

    /// The bytes as a text that may stand in a line; nil where that would not show what they are.
    private static func plainText(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: { hidden.contains($0.properties.generalCategory) })
        else { return nil }
        return text
    }

    /// The first argument of `printf` that writes these bytes.
    private static func printed(_ bytes: [UInt8]) -> String {
        var text = "'"
        for (place, byte) in bytes.enumerated() {
            switch byte {
            // At the beginning it would be that of an option.
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
