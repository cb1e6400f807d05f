/// A call as text that makes it again: a line for a shell, or a test.
///
/// Values from pages are literals of that language in it, so nothing of them runs.
struct CallCopy {
    enum Language: String, CaseIterable {
        case playwright, pytest, curl
    }

    /// What is the same for all copies that a request asks for.
    struct Setting {
        /// The gateway's URL, without a slash at the end.
        let base: String
        let mark: NativeMark
        let answers: AnswerForm
        /// Removes secrets from copies; nil where they are shown.
        let redaction: Redaction?
        /// Removes secrets where nobody asks for them.
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
        // An input that can be read and is no JSON is a form.
        let clean =
            record.readInput == nil
            ? redaction.removed(fromText: text) : String(redaction.removed(fromQuery: "?\(text)").dropFirst())
        return clean == text ? bytes : Array(clean.utf8)
    }

    // MARK: A shell

    /// A line that makes the call with curl, in any POSIX shell.
    var curl: String {
        var words = ["curl", "-sS", "--globoff", "--path-as-is"]
        // With `-X HEAD` curl would wait for a body that does not come.
        let isHead = method == "HEAD"
        let body = isHead ? [] : body
        if isHead {
            words.append("--head")
        } else if method != (body.isEmpty ? "GET" : "POST") {
            words += ["-X", Self.quoted(method)]
        }
        words.append(Self.quoted(url))
        // Without this header curl would declare the body as a form.
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

    /// Characters that control a terminal, end a line, or make it look like another one.
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
            // A dash at the beginning would begin an option.
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
