import HTTPGrammar

// Markup that begins with `<!`: comments and doctypes (HTML, sections 13.2.5.42 to 13.2.5.53).
extension HTMLScanner {
    mutating func markup(_ byte: UInt8) -> Token? {
        switch (state, byte) {
        case (.markup, UInt8(ascii: "-")):
            state = .markupDash
        case (.markupDash, UInt8(ascii: "-")):
            state = .commentStart
        case (.markup, _) where byte.lowercased == UInt8(ascii: "d"),
            (.markupDoctype, _) where isDoctype(byte):
            name.append(byte.lowercased)
            state = isNamed("doctype") ? .doctype : .markupDoctype
        case (.doctype, UInt8(ascii: ">")):
            // A `>` ends a doctype even within quotes.
            state = .data
            return .doctype
        case (.bogusComment, UInt8(ascii: ">")):
            state = .data
            return .comment
        case (.markup, _), (.markupDash, _), (.markupDoctype, _):
            state = .bogusComment
            return step(byte)
        default:
            break
        }
        return nil
    }

    private func isDoctype(_ byte: UInt8) -> Bool {
        let word: StaticString = "doctype"
        return name.count < word.utf8CodeUnitCount && word.utf8Start[name.count] == byte.lowercased
    }

    /// `-->` and `--!>` end a comment; the dashes of `<!--` count for that too: `<!-->` is a comment.
    mutating func comment(_ byte: UInt8) -> Token? {
        let isDash = byte == UInt8(ascii: "-")
        switch (state, byte) {
        case (.commentStart, UInt8(ascii: ">")), (.commentStartDash, UInt8(ascii: ">")),
            (.commentEnd, UInt8(ascii: ">")), (.commentBang, UInt8(ascii: ">")):
            state = .data
            return .comment
        case (.commentEnd, UInt8(ascii: "!")):
            state = .commentBang
        case (.commentStart, _) where isDash:
            state = .commentStartDash
        case (.commentStartDash, _) where isDash, (.commentDash, _) where isDash,
            (.commentEnd, _) where isDash:
            state = .commentEnd
        default:
            state = isDash ? .commentDash : .comment
        }
        return nil
    }
}
