import HTTPGrammar

/// Finds the tags of a document byte by byte: the tokenizer of the HTML standard (section 13.2.5), as far as it affects
/// where a tag, a comment or a text ends.
///
/// Bytes are not decoded. In every encoding of pages other than UTF-16, the characters that matter here are single
/// ASCII bytes, and no second byte of a GBK or Shift_JIS character is one of `<>"'=/!-` or a space.
struct HTMLScanner {
    enum Token {
        /// A byte outside of tags that is not white space.
        case text
        case comment
        case doctype
        /// ``name`` is the tag's name; ``attributes`` are collected only for `<meta>` and `<base>`.
        case startTag
        case endTag
    }

    struct Attribute {
        var name: [UInt8] = []
        /// The range of the value without its quotes; nil for an attribute without a value.
        var value: Range<Int>?
        var quote: UInt8?
    }

    /// The states of section 13.2.5, with shorter names; states that differ only in their parse errors are merged.
    enum State {
        case data, plaintext
        case tagOpen, endTagOpen, tagName, selfClosing
        case beforeAttributeName, attributeName, afterAttributeName
        case beforeValue, quotedValue, unquotedValue, afterQuotedValue
        case markup, markupDash, markupDoctype, doctype, bogusComment
        case commentStart, commentStartDash, comment, commentDash, commentEnd, commentBang
        case rawText, rawTagOpen, rawEndTagName, escapeStart, escapeStartDash, doubleEscape
    }

    /// The number of bytes that were read or skipped.
    private(set) var position = 0
    /// The name, in lower case, of the tag that is being read or was read last.
    var name: [UInt8] = []
    /// The attributes of the current `<meta>` or `<base>` tag, in order.
    private(set) var attributes: [Attribute] = []

    var state = State.data
    var isEndTag = false
    private var tagStart = 0
    private var quote: UInt8 = 0

    // The state within raw text such as `<script>`; see HTMLScanner+RawText.swift.
    var rawName: [UInt8] = []
    var escape = Escape.none
    var dashes = 0

    /// The offset of an incomplete tag that is, or may become, `<meta>` or `<base>`; nil if there is none.
    var openMeta: Int? {
        switch state {
        case .tagOpen: tagStart
        case .tagName where !isEndTag: Self.looked.contains { $0.starts(with: name) } ? tagStart : nil
        case .selfClosing, .beforeAttributeName, .attributeName, .afterAttributeName, .beforeValue,
            .quotedValue, .unquotedValue, .afterQuotedValue:
            isLookedAt ? tagStart : nil
        default: nil
        }
    }

    mutating func skip(_ count: Int) { position += count }

    mutating func take(_ byte: UInt8) -> Token? {
        defer { position += 1 }
        return step(byte)
    }

    /// Processes the byte without advancing; also used when a state passes it on to the next one ("reconsume").
    mutating func step(_ byte: UInt8) -> Token? {
        switch state {
        case .data: return data(byte)
        case .plaintext: return nil
        case .tagOpen, .endTagOpen, .tagName, .selfClosing: return tag(byte)
        case .beforeAttributeName, .attributeName, .afterAttributeName: return attributeName(byte)
        case .beforeValue, .quotedValue, .unquotedValue, .afterQuotedValue: return attributeValue(byte)
        case .markup, .markupDash, .markupDoctype, .doctype, .bogusComment: return markup(byte)
        case .commentStart, .commentStartDash, .comment, .commentDash, .commentEnd, .commentBang:
            return comment(byte)
        case .rawText, .rawTagOpen, .rawEndTagName, .escapeStart, .escapeStartDash, .doubleEscape:
            return rawText(byte)
        }
    }

    private mutating func data(_ byte: UInt8) -> Token? {
        if byte == UInt8(ascii: "<") {
            tagStart = position
            state = .tagOpen
            return nil
        }
        return byte.isHTMLSpace ? nil : .text
    }

    private mutating func tag(_ byte: UInt8) -> Token? {
        switch (state, byte) {
        case (.tagOpen, UInt8(ascii: "!")):
            state = .markup
            name = []
        case (.tagOpen, UInt8(ascii: "/")):
            state = .endTagOpen
        case (.tagOpen, UInt8(ascii: "?")):
            state = .bogusComment
        case (.endTagOpen, UInt8(ascii: ">")):
            state = .data
        case (.tagOpen, _) where byte.isLetter, (.endTagOpen, _) where byte.isLetter:
            isEndTag = state == .endTagOpen
            name = [byte.lowercased]
            attributes = []
            state = .tagName
        case (.endTagOpen, _):
            state = .bogusComment
        case (.tagOpen, _):
            // The `<` was text; this byte is processed again, since it may begin a tag itself.
            state = .data
            _ = step(byte)
            return .text
        case (_, UInt8(ascii: ">")):
            return endOfTag()
        case (.tagName, UInt8(ascii: "/")):
            state = .selfClosing
        case (.tagName, _) where byte.isHTMLSpace:
            state = .beforeAttributeName
        case (.tagName, _):
            name.append(byte.lowercased)
        default:
            state = .beforeAttributeName
            return step(byte)
        }
        return nil
    }

    /// The first attribute of this name; browsers ignore repeated ones.
    func attribute(_ name: String) -> Attribute? {
        attributes.first { $0.name.elementsEqual(name.utf8) }
    }

    func isNamed(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { name.elementsEqual($0) }
    }

    private static let looked = ["meta", "base"].map { Array($0.utf8) }
    private var isLookedAt: Bool { !isEndTag && Self.looked.contains(name) }

    private mutating func endOfTag() -> Token {
        state = .data
        if isEndTag { return .endTag }
        beginRawText()
        return .startTag
    }

    private mutating func attributeName(_ byte: UInt8) -> Token? {
        switch (state, byte) {
        case (_, UInt8(ascii: ">")):
            return endOfTag()
        case (_, UInt8(ascii: "/")):
            state = .selfClosing
        case (.attributeName, UInt8(ascii: "=")), (.afterAttributeName, UInt8(ascii: "=")):
            state = .beforeValue
        case (.attributeName, _) where byte.isHTMLSpace:
            state = .afterAttributeName
        case (_, _) where byte.isHTMLSpace:
            break
        case (.attributeName, _):
            if isLookedAt { attributes[attributes.count - 1].name.append(byte.lowercased) }
        default:
            // An `=` before a name is the first character of the name.
            if isLookedAt { attributes.append(Attribute(name: [byte.lowercased])) }
            state = .attributeName
        }
        return nil
    }

    private mutating func attributeValue(_ byte: UInt8) -> Token? {
        switch (state, byte) {
        case (.quotedValue, quote):
            endOfValue()
            state = .afterQuotedValue
        case (.quotedValue, _):
            break
        case (.beforeValue, UInt8(ascii: "\"")), (.beforeValue, UInt8(ascii: "'")):
            quote = byte
            startOfValue(at: position + 1, quote: byte)
            state = .quotedValue
        case (.beforeValue, UInt8(ascii: ">")), (.afterQuotedValue, UInt8(ascii: ">")):
            return endOfTag()
        case (.unquotedValue, UInt8(ascii: ">")):
            endOfValue()
            return endOfTag()
        case (.unquotedValue, _) where byte.isHTMLSpace:
            endOfValue()
            state = .beforeAttributeName
        case (.beforeValue, _) where !byte.isHTMLSpace:
            startOfValue(at: position, quote: nil)
            state = .unquotedValue
        case (.afterQuotedValue, _):
            state = .beforeAttributeName
            return step(byte)
        default:
            break
        }
        return nil
    }

    private mutating func startOfValue(at start: Int, quote: UInt8?) {
        guard isLookedAt else { return }
        attributes[attributes.count - 1].value = start..<start
        attributes[attributes.count - 1].quote = quote
    }

    private mutating func endOfValue() {
        guard isLookedAt, let start = attributes[attributes.count - 1].value?.lowerBound else { return }
        attributes[attributes.count - 1].value = start..<position
    }
}

extension UInt8 {
    /// HTML's white space: tab, line feed, form feed, carriage return, space.
    var isHTMLSpace: Bool {
        switch self {
        case 0x20, 0x09, 0x0A, 0x0C, 0x0D: true
        default: false
        }
    }
}
