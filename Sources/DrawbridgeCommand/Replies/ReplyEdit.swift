import Drawbridge
import DrawbridgeServer

/// Puts a reply into the text of a file; everything else in it, comments too, stays unchanged.
struct ReplyEdit {
    /// The text afterwards.
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
        change(old.range, to: "", style.text(reply, indent: indent, after: indent.count + key.count + 4))
    }

    /// Adds new names, each as `{}`, with a comment above it that has the inputs of its calls.
    ///
    /// - Parameter names: in the order in which they are to stand.
    init(_ text: [UInt8], adding names: [UnansweredName]) throws(ReplyFault) {
        self.init(text)
        if try replies() == nil { add("replies", [:], to: try LocatedJSON(parsing: self.text)) }
        if let replies = try replies() { add(names, to: replies) }
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

    /// Adds names before those that an object has.
    private mutating func add(_ names: [UnansweredName], to object: LocatedJSON) {
        let (open, close) = (object.range.lowerBound + 1, object.range.upperBound - 1)
        let brace = indent(at: object.range.lowerBound)
        let first = object.members?.first?.value.nameOffset
        let lineEnd = first.flatMap { text[open..<$0].firstIndex(of: JSONStyle.newline) }
        let inner = lineEnd == nil ? brace + style.unit : indent(at: first ?? open)
        var lines = names.flatMap(Self.lines).map { Array(inner.utf8) + $0 }
        // The last of all members has no comma.
        if first == nil, !lines.isEmpty { lines[lines.count - 1].removeLast() }
        let block = lines.flatMap { $0 + Array(style.ending.utf8) }
        if let lineEnd {
            text.insert(contentsOf: block, at: lineEnd + 1)
        } else if first != nil {
            text.insert(contentsOf: Array(style.ending.utf8) + block + Array(inner.utf8), at: open)
        } else if text[open..<close].allSatisfy(JSONStyle.isSpace) {
            text.replaceSubrange(open..<close, with: Array(style.ending.utf8) + block + Array(brace.utf8))
        } else {
            // There are only comments: the last one ends with its line, so the brace has the next one.
            text.insert(contentsOf: block, at: lineStart(of: close))
        }
    }

    /// How many bytes of each input a comment shows.
    private static let shownInput = 300

    /// A name below a comment with its inputs; control characters of a page's are escaped, so they end no line.
    private static func lines(_ missed: UnansweredName) -> [[UInt8]] {
        var member: [UInt8] = []
        member.append(harmless: .string(ReplyNames.key(missed.name)))
        member += ": {},".utf8
        let inputs = missed.inputs.map { input in
            var bytes: [UInt8] = []
            bytes.append(harmless: input)
            return String(decoding: bytes, as: UTF8.self).cut(to: shownInput)
        }
        guard !inputs.isEmpty else { return [member] }
        return [Array("// called with \(inputs.joined(separator: ", "))".utf8), member]
    }

    /// Adds a member before those of an object: so no line of these changes, and each keeps the comment above it.
    ///
    /// - Parameter opening: whether the members of its value have lines of their own, however short they are.
    private mutating func add(
        _ name: String, _ value: JSON, to object: LocatedJSON, opening: Bool = false
    ) {
        let (open, close) = (object.range.lowerBound + 1, object.range.upperBound - 1)
        let brace = indent(at: object.range.lowerBound)
        if let first = object.members?.first?.value.nameOffset {
            guard let lineEnd = text[open..<first].firstIndex(of: JSONStyle.newline) else {
                let member = style.member(name, value, indent: brace, opening: false)
                return change(open..<open, to: "", member + ", ")
            }
            let indent = indent(at: first)
            let member = style.member(name, value, indent: indent, opening: opening)
            return change(lineEnd + 1..<lineEnd + 1, to: indent, member + ",\(style.ending)", opening)
        }
        let member = style.member(name, value, indent: brace + style.unit, opening: opening)
        if text[open..<close].allSatisfy(JSONStyle.isSpace) {
            change(
                open..<close, to: "\(style.ending)\(brace)\(style.unit)", member + style.ending + brace,
                opening)
        } else {
            // There are only comments: the last one ends with its line, so the brace has the next one.
            let start = lineStart(of: close)
            change(start..<start, to: brace + style.unit, member + style.ending, opening)
        }
    }

    /// - Parameters:
    ///   - before: what is inserted before the name of the reply.
    ///   - isWithin: whether the reply is one line below that place.
    private mutating func change(
        _ range: Range<Int>, to before: String, _ member: String, _ isWithin: Bool = false
    ) {
        text.replaceSubrange(range, with: (before + member).utf8)
        let place = range.lowerBound + before.utf8.count
        line = text[..<place].count { $0 == JSONStyle.newline } + (isWithin ? 2 : 1)
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
