import HTTPGrammar

// Elements whose content is text up to their end tag: scripts, styles, titles (HTML, sections 13.2.5.2 to 13.2.5.4 and
// 13.2.5.9 to 13.2.5.31).
extension HTMLScanner {
    /// The script data escape: within `<!-- <script>`, a `</script>` does not end the script.
    enum Escape {
        case none, escaped, doubleEscaped
    }

    /// Called after each start tag: switches to raw text if the element contains only text.
    mutating func beginRawText() {
        guard Self.rawNames.contains(where: isNamed) else {
            if isNamed("plaintext") { state = .plaintext }
            return
        }
        rawName = name
        escape = .none
        dashes = 0
        state = .rawText
    }

    /// Elements that contain text and no tags; `noscript` is one of them if scripting is enabled.
    private static let rawNames: [StaticString] = [
        "script", "style", "title", "noscript", "textarea", "xmp", "iframe", "noembed", "noframes",
    ]

    mutating func rawText(_ byte: UInt8) -> Token? {
        switch state {
        case .rawTagOpen: return rawTagOpen(byte)
        case .rawEndTagName: return rawEndTagName(byte)
        case .escapeStart, .escapeStartDash: return escapeStart(byte)
        case .doubleEscape: return doubleEscape(byte)
        default: break
        }
        switch byte {
        case UInt8(ascii: "<"):
            state = .rawTagOpen
            dashes = 0
        case UInt8(ascii: "-") where escape != .none:
            dashes = min(dashes + 1, 2)
        case UInt8(ascii: ">") where dashes == 2:
            escape = .none
            dashes = 0
        default:
            dashes = 0
        }
        return nil
    }

    private mutating func rawTagOpen(_ byte: UInt8) -> Token? {
        name = []
        switch byte {
        case UInt8(ascii: "/"):
            state = escape == .doubleEscaped ? .doubleEscape : .rawEndTagName
        case UInt8(ascii: "!") where escape == .none && rawName.elementsEqual("script".utf8):
            state = .escapeStart
        case _ where byte.isLetter && escape == .escaped:
            state = .doubleEscape
            return step(byte)
        default:
            return noTag(byte)
        }
        return nil
    }

    private mutating func rawEndTagName(_ byte: UInt8) -> Token? {
        guard name != rawName else {
            isEndTag = true
            state = .tagName
            if byte.isHTMLSpace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
                return step(byte)
            }
            return noTag(byte)
        }
        guard byte.lowercased == rawName[name.count] else { return noTag(byte) }
        name.append(byte.lowercased)
        return nil
    }

    /// `<!--` in a script begins the escape; its dashes also count for the `-->` that ends it.
    private mutating func escapeStart(_ byte: UInt8) -> Token? {
        guard byte == UInt8(ascii: "-") else { return noTag(byte) }
        if state == .escapeStart {
            state = .escapeStartDash
        } else {
            escape = .escaped
            dashes = 2
            state = .rawText
        }
        return nil
    }

    /// Within the escape, `<script` begins the double escape, and `</script` ends it.
    private mutating func doubleEscape(_ byte: UInt8) -> Token? {
        if byte.isLetter {
            name.append(byte.lowercased)
            return nil
        }
        guard byte.isHTMLSpace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") else {
            return noTag(byte)
        }
        if isNamed("script") { escape = escape == .escaped ? .doubleEscaped : .escaped }
        state = .rawText
        return nil
    }

    /// Treats the byte as text, since the `<` before did not begin a tag.
    private mutating func noTag(_ byte: UInt8) -> Token? {
        state = .rawText
        return step(byte)
    }
}
