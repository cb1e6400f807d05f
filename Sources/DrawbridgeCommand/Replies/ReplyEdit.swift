import Drawbridge
import DrawbridgeServer

/// Puts a reply into the text of a file; everything else in it, comments too, stays unchanged.
struct ReplyEdit {
    private(set) var text: [UInt8]
    /// The line of the reply, from 1.
    private(set) var line = 1

    private let style: JSONStyle

    /// - Parameters:
    ///   - text: a configuration file, or one of replies; may be empty.
    ///   - name: which call is answered, as pages call it.
    /// - Throws: why the text cannot be changed so.
    init(_ text: [UInt8], setting name: String, to reply: JSON) throws(ReplyFault) {
        self.init(text)
        let key = ReplyNames.key(name)
        guard let replies = try replies() else {
            let file = try LocatedJSON(parsing: self.text)
            add("replies", .object(JSON.Object([(key, reply)])), to: file, opening: true)
            return
        }
        guard let old = replies.members?.last(where: { ReplyNames.key($0.name) == key })?.value else {
            add(key, reply, to: replies)
            return
        }
        let indent = indent(at: old.range.lowerBound)
        put(style.text(reply, indent: indent, after: indent.count + key.count + 4), old.range)
    }

    /// Adds new names, each as `{}`, with a comment above it that has the inputs of its calls.
    ///
    /// - Parameter names: in the order in which they are to stand.
    init(_ text: [UInt8], adding names: [UnansweredName]) throws(ReplyFault) {
        self.init(text)
        if try replies() == nil { add("replies", [:], to: try LocatedJSON(parsing: self.text)) }
        guard let replies = try replies() else { return }
        let edit = self
        add(to: replies) { indent in names.map { edit.member($0, indent: indent) } }
    }

    /// Begins with a text to change, which is an empty object where there is none yet.
    private init(_ text: [UInt8]) {
        style = JSONStyle(of: text)
        self.text = text.contains { !JSONStyle.isSpace($0) } ? text : Array("{}\(style.ending)".utf8)
    }

    /// The object of all replies; nil where there is none yet.
    private func replies() throws(ReplyFault) -> LocatedJSON? {
        let file = try LocatedJSON(parsing: text)
        guard let members = file.members else {
            throw ReplyFault(
                "a file of replies is an object: {\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", at: file)
        }
        guard let replies = members.last(where: { $0.name == "replies" })?.value else { return nil }
        guard replies.members != nil else {
            throw ReplyFault("replies are an object: {\"getUser\": {\"nick\": \"Ann\"}}", at: replies)
        }
        return replies
    }

    /// How many bytes of each input a comment shows.
    private static let shownInput = 300

    /// A name below a comment with its inputs; control characters of a page's are escaped, so they end no line.
    private func member(_ missed: UnansweredName, indent: String) -> String {
        func harmless(_ value: JSON) -> String {
            var bytes: [UInt8] = []
            bytes.append(harmless: value)
            return String(decoding: bytes, as: UTF8.self)
        }
        let member = "\(harmless(.string(ReplyNames.key(missed.name)))): {}"
        guard !missed.inputs.isEmpty else { return member }
        let inputs = missed.inputs.map { harmless($0).cut(to: Self.shownInput) }
        return "// called with \(inputs.joined(separator: ", "))\(style.ending)\(indent)\(member)"
    }

    /// Adds a member to an object: in its first line, where others are there.
    ///
    /// - Parameter opening: whether the members of its value have lines of their own, however short they are.
    private mutating func add(
        _ name: String, _ value: JSON, to object: LocatedJSON, opening: Bool = false
    ) {
        let open = object.range.lowerBound + 1
        if let first = object.members?.first?.value.nameOffset,
            !text[open..<first].contains(JSONStyle.newline)
        {
            let indent = indent(at: open - 1)
            return put("\(style.member(name, value, indent: indent, opening: false)), ", open..<open)
        }
        add(to: object, opening: opening) { [style] in
            [style.member(name, value, indent: $0, opening: opening)]
        }
    }

    /// Adds members before those of an object, in lines of their own: so each of these keeps the comment above it.
    ///
    /// - Parameter members: their texts, by the indentation of their lines.
    private mutating func add(
        to object: LocatedJSON, opening: Bool = false, _ members: (_ indent: String) -> [String]
    ) {
        let (open, close) = (object.range.lowerBound + 1, object.range.upperBound - 1)
        let brace = indent(at: object.range.lowerBound)
        let first = object.members?.first?.value.nameOffset
        let lineEnd = first.flatMap { text[open..<$0].firstIndex(of: JSONStyle.newline) }
        let inner = first.flatMap { lineEnd == nil ? nil : indent(at: $0) } ?? brace + style.unit
        let lines = members(inner).joined(separator: ",\(style.ending)\(inner)")
        // The last of all members has no comma.
        let block = "\(inner)\(lines)\(first == nil ? "" : ",")\(style.ending)"
        if let lineEnd {
            put(block, lineEnd + 1..<lineEnd + 1, opening)
        } else if first != nil {
            put(style.ending + block + inner, open..<open, opening)
        } else if text[open..<close].allSatisfy(JSONStyle.isSpace) {
            put(style.ending + block + brace, open..<close, opening)
        } else {
            // There are only comments: the last one ends with its line, so the brace has the next one.
            let start = lineStart(of: close)
            put(block, start..<start, opening)
        }
    }

    /// Puts a text that has the reply in its first line that is not empty, or in the next one where its object opens there.
    private mutating func put(_ new: String, _ range: Range<Int>, _ opening: Bool = false) {
        text.replaceSubrange(range, with: new.utf8)
        let lines = text[..<range.lowerBound].count { $0 == JSONStyle.newline }
        line = lines + (new.hasPrefix(style.ending) ? 2 : 1) + (opening ? 1 : 0)
    }

    /// The indentation of the line that a place is in.
    private func indent(at place: Int) -> String {
        let line = text[lineStart(of: place)...]
        return String(
            decoding: line.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }, as: UTF8.self)
    }

    private func lineStart(of place: Int) -> Int {
        text[..<place].lastIndex(of: JSONStyle.newline).map { $0 + 1 } ?? 0
    }
}
