/// Writes mocks into the text of a file, and undoes that; all other text stays unchanged, comments too.
struct ReplyEdit {
    private(set) var text: [UInt8]
    private(set) var line = 1

    private let style: JSONStyle
    private(set) var undone: [String] = []

    /// - Parameters:
    ///   - text: a configuration file or a file of mocks; may be empty.
    ///   - name: the name of the call, as pages use it.
    ///   - isCase: whether to add a case before the mock's other cases.
    ///   - place: the offset of a mock's name, to write into the same object; nil for the mocks of all pages.
    /// - Throws: why the text cannot be changed.
    init(_ text: [UInt8], setting name: String, to reply: JSON, isCase: Bool = false, at place: Int? = nil)
        throws(ReplyFault)
    {
        self.init(text)
        let key = ReplyNames.key(name)
        let value = isCase ? ["$cases": [reply]] : reply
        let (sibling, all) = (try mocks().first { $0.value.nameOffset == place }, try replies())
        guard let replies = sibling?.object ?? all else {
            let file = try LocatedJSON(parsing: self.text)
            add("replies", .object(JSON.Object([(key, value)])), to: file, opening: true)
            return
        }
        let old = replies.members?.last { ReplyNames.key($0.name) == key }?.value
        switch old {
        case nil:
            add(behindOthersOf: replies, inLine: true) { [style] indent in
                [style.member(key, value, indent: indent, opening: false)]
            }
        case let old? where isCase: add(reply, before: old)
        case let old?:
            let indent = indent(at: old.range.lowerBound)
            put(style.text(reply, indent: indent, after: indent.count + key.count + 4), old.range)
        }
    }

    /// Adds a case before the others of a mock, which stay as they are written.
    private mutating func add(_ reply: JSON, before old: LocatedJSON) {
        guard let cases = old.members?.first(where: { $0.name == "$cases" })?.value,
            let first = cases.elements?.first
        else {
            let outer = "\(style.ending)\(indent(at: old.range.lowerBound))"
            let inner = outer + style.unit + style.unit
            let new = style.text(reply, indent: String(inner.dropFirst()), after: inner.count)
            let lines = text[old.range].split(separator: JSONStyle.newline, omittingEmptySubsequences: false)
            let moved = lines.joined(separator: "\n\(style.unit)\(style.unit)".utf8)
            let begin = "{\(outer)\(style.unit)\"$cases\": [\(inner)\(new),\(inner)"
            return put(Array(begin.utf8) + moved + Array("\(outer)\(style.unit)]\(outer)}".utf8), old.range)
        }
        let indent = indent(at: first.range.lowerBound)
        let new = style.text(reply, indent: indent, after: indent.count)
        // Replace the first case if it is a simple one for the same input.
        if first.members?.map(\.name) == ["$when", "$reply"], first.json["$when"] == reply["$when"] {
            put(new, first.range)
        } else {
            add(to: cases, before: first.range.lowerBound) { _ in [new] }
        }
    }

    /// Adds names with `{}` as value, each below a comment with the inputs of its calls.
    ///
    /// - Parameter names: in the order in which they are written.
    init(_ text: [UInt8], adding names: [UnansweredName]) throws(ReplyFault) {
        self.init(text)
        if try replies() == nil { add("replies", [:], to: try LocatedJSON(parsing: self.text)) }
        guard let replies = try replies() else { return }
        let edit = self
        add(behindOthersOf: replies) { indent in names.map { edit.member($0, indent: indent) } }
    }

    /// Adds elements to lists of settings.
    ///
    /// - Parameter usual: the elements that a list has before the new ones where the file has none.
    init(_ text: [UInt8], giving members: [(key: String, value: JSON)], with usual: [String: [JSON]])
        throws(ReplyFault)
    {
        self.init(text)
        for (key, value) in members {
            let file = try LocatedJSON(parsing: self.text)
            let new = JSON.array(usual[key, default: []] + [value])
            switch file.members?.last(where: { $0.name == key })?.value {
            case nil: add(key, new, to: file)
            case let old? where old.json.isNull || old.json == []: put(JSONStyle.line(new), old.range)
            case let old? where old.elements != nil:
                add(behindOthersOf: old, inLine: true) { _ in [JSONStyle.line(value)] }
            case let old?: put(JSONStyle.line([old.json, value]), old.range)
            }
        }
    }

    /// Begins with a text to edit; an empty text becomes an empty object.
    private init(_ text: [UInt8]) {
        style = JSONStyle(of: text)
        self.text = text.contains { !JSONStyle.isSpace($0) } ? text : Array("{}\(style.ending)".utf8)
    }

    /// All mocks, and the elements of lists that pages are given, in the order of the text, with their path and what they
    /// are in.
    private func mocks() throws(ReplyFault) -> [(path: [String], object: LocatedJSON, value: LocatedJSON)] {
        func members(_ object: LocatedJSON, _ name: String) -> [(name: String, value: LocatedJSON)] {
            object.members?.last { $0.name == name }?.value.members ?? []
        }
        let file = try LocatedJSON(parsing: text)
        var objects = (file.members ?? []).filter { Self.areMocks($0.name) }.map { ([$0.name], $0.value) }
        objects += members(file, "scenarios").map { (["scenarios", $0.name], $0.value) }
        for (page, value) in members(file, "pages") {
            objects += (value.members ?? []).filter { Self.areMocks($0.name) }.map {
                (["pages", page], $0.value)
            }
        }
        var all: [(path: [String], object: LocatedJSON, value: LocatedJSON)] = []
        for key in ["bridge", "inject", "message-handler", "scheme"] {
            let list = file.members?.last { $0.name == key }?.value
            for value in list?.elements ?? [] {
                all.append(([key, value.json.stringValue ?? "\(value.json)"], list ?? file, value))
            }
        }
        for (path, object) in objects {
            for (name, value) in object.members ?? [] { all.append((path + [name], object, value)) }
        }
        return all.map { ($0, $0.value.range.lowerBound) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    private static func areMocks(_ name: String) -> Bool { name == "replies" || name == "mocks" }

    private func replies() throws(ReplyFault) -> LocatedJSON? {
        let file = try LocatedJSON(parsing: text)
        let replies = file.members?.last { Self.areMocks($0.name) }?.value
        guard file.members != nil, replies.map({ $0.members != nil }) != false else {
            throw ReplyFault(
                "mocks are objects: {\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", at: replies ?? file)
        }
        return replies
    }

    private static let inputs = "// called with "
    /// The maximum number of bytes of each input in a comment.
    private static let shownInput = 300

    /// A name below a comment with its inputs; control characters are escaped, so that an input cannot end the comment.
    private func member(_ missed: UnansweredName, indent: String) -> String {
        func harmless(_ value: JSON) -> String {
            var bytes: [UInt8] = []
            bytes.append(harmless: value)
            return String(decoding: bytes, as: UTF8.self)
        }
        let member = "\(harmless(.string(ReplyNames.key(missed.name)))): {}"
        guard !missed.inputs.isEmpty else { return member }
        let inputs = missed.inputs.map { harmless($0).cut(to: Self.shownInput) }
        return "\(Self.inputs)\(inputs.joined(separator: ", "))\(style.ending)\(indent)\(member)"
    }

    /// Adds a member to an object, before the others; in their line, if that is the first.
    ///
    /// - Parameter opening: whether to split its value into lines even if it fits one.
    private mutating func add(
        _ name: String, _ value: JSON, to object: LocatedJSON, opening: Bool = false
    ) {
        let first = object.members?.first?.value.nameOffset
        let hasLine = first.map { text[object.range.lowerBound..<$0].contains(JSONStyle.newline) } ?? true
        let opens = opening && hasLine
        add(to: object, before: first, opening: opens) { [style] in
            [style.member(name, value, indent: $0, opening: opens)]
        }
    }

    /// Adds members or elements behind the last one, on lines of their own, so that it keeps the comment in its line.
    ///
    /// - Parameters:
    ///   - inLine: whether to put them on the last one's line, if that does not begin with it.
    ///   - members: makes their texts for an indentation.
    private mutating func add(
        behindOthersOf object: LocatedJSON, inLine: Bool = false, _ members: (_ indent: String) -> [String]
    ) {
        guard let last = object.members?.last?.value ?? object.elements?.last else {
            return add(to: object, before: nil, members)
        }
        let (open, end) = (object.range.lowerBound, last.range.upperBound)
        let start = object.elements == nil ? last.nameOffset : last.range.lowerBound
        if inLine, !text[lineStart(of: start)..<start].allSatisfy(JSONStyle.isSpace) {
            return put(", \(members(indent(at: open)).joined(separator: ", "))", end..<end)
        }
        let isOpening = !text[open..<start].contains(JSONStyle.newline)
        let inner = isOpening ? indent(at: open) + style.unit : indent(at: start)
        let block = style.ending + inner + members(inner).joined(separator: ",\(style.ending)\(inner)")
        let rest = JSON.blankingComments(in: text)[end..<object.range.upperBound - 1]
        let comment = rest.prefix { $0 != JSONStyle.newline }
        guard comment.endIndex < rest.endIndex, comment.allSatisfy(JSONStyle.isSpace) else {
            return put(",\(block)\(style.ending)\(indent(at: open))", end..<end, true)
        }
        text.insert(UInt8(ascii: ","), at: end)
        let place = comment.endIndex + (text[comment.endIndex] == UInt8(ascii: "\r") ? 0 : 1)
        put(block, place..<place, false)
    }

    /// Adds members or elements before the first one, on lines of their own, so that it keeps its comment; in its line, if
    /// that is the bracket's.
    private mutating func add(
        to object: LocatedJSON, before first: Int?, opening: Bool = false,
        _ members: (_ indent: String) -> [String]
    ) {
        let (open, close) = (object.range.lowerBound + 1, object.range.upperBound - 1)
        let brace = indent(at: object.range.lowerBound)
        let lineEnd = first.flatMap { text[open..<$0].firstIndex(of: JSONStyle.newline) }
        if first != nil, lineEnd == nil {
            return put("\(members(brace).joined(separator: ", ")), ", open..<open)
        }
        let inner = first.map { indent(at: $0) } ?? brace + style.unit
        let lines = members(inner).joined(separator: ",\(style.ending)\(inner)")
        // After the last member there is no comma.
        let block = "\(inner)\(lines)\(first == nil ? "" : ",")\(style.ending)"
        if let lineEnd {
            put(block, lineEnd + 1..<lineEnd + 1, opening)
        } else if text[open..<close].allSatisfy(JSONStyle.isSpace) {
            put(style.ending + block + brace, open..<close, opening)
        } else {
            // The object has only comments. The last one may end with its line, so the bracket gets a new line.
            let start = lineStart(of: close)
            put(block, start..<start, opening)
        }
    }

    /// Inserts a text whose first non-empty line has the mock; with `opening`, the line after that.
    private mutating func put(_ new: String, _ range: Range<Int>, _ opening: Bool = false) {
        put(Array(new.utf8), range)
        line += (new.hasPrefix(style.ending) ? 1 : 0) + (opening ? 1 : 0)
    }

    private mutating func put(_ new: [UInt8], _ range: Range<Int>) {
        text.replaceSubrange(range, with: new)
        line = text[..<range.lowerBound].count { $0 == JSONStyle.newline } + 1
    }

    private func indent(at place: Int) -> String {
        let line = text[lineStart(of: place)...]
        return String(
            decoding: line.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }, as: UTF8.self)
    }

    private func lineStart(of place: Int) -> Int {
        text[..<place].lastIndex(of: JSONStyle.newline).map { $0 + 1 } ?? 0
    }
}

// Undoing a save.
extension ReplyEdit {
    /// What an edit has written, so that it can be undone.
    struct Written: Sendable {
        fileprivate let before: [UInt8]
        fileprivate let after: [UInt8]
        /// The changed mocks: path, new text, and old text (nil if the mock was added).
        let mocks: [(name: String, path: [String], text: [UInt8], old: [UInt8]?)]

        init(_ edit: ReplyEdit, over before: [UInt8]) {
            func texts(_ edit: ReplyEdit) -> [([String], [UInt8])] {
                ((try? edit.mocks()) ?? []).map { ($0.path, Array(edit.text[$0.value.range])) }
            }
            let old = Dictionary(texts(ReplyEdit(before)), uniquingKeysWith: { $1 })
            // For a file of more than 1 MB only the mocks are kept.
            (self.before, after) = edit.text.count > 1 << 20 ? ([], []) : (before, edit.text)
            mocks = texts(edit).filter { old[$0] != $1 }.map { path, text in
                (path.last ?? "", path, text, old[path])
            }
        }
    }

    /// Undoes an edit: restores each mock that still has the bytes that the edit wrote, wherever it is now.
    ///
    /// - Throws: if there is no such mock.
    init(_ text: [UInt8], undoing written: Written) throws(ReplyFault) {
        self.init(text)
        // The last first, so that the places of the others stay.
        for (path, object, value) in try mocks().reversed() {
            let now = Array(self.text[value.range])
            guard let mine = written.mocks.first(where: { $0.path == path && $0.text == now }) else {
                continue
            }
            undone.insert(mine.name, at: 0)
            let start = object.elements == nil ? value.nameOffset : value.range.lowerBound
            if let old = mine.old { put(old, value.range) } else { remove(value, from: start) }
        }
        // What the edit has made for its mocks goes with the last of them, unless somebody has written a comment in it.
        let before = try? LocatedJSON(parsing: written.before).members?.map(\.name)
        for name in Set(written.mocks.map(\.path[0])) where before?.contains(name) == false {
            let left = try LocatedJSON(parsing: self.text).members?.last { $0.name == name }?.value
            let isEmpty = left.map { self.text[$0.range].count { !JSONStyle.isSpace($0) } == 2 }
            if let left, isEmpty == true { remove(left, from: left.nameOffset) }
        }
        // If nothing has changed since, the whole text is restored, including white space.
        if text == written.after { self.text = written.before }
        guard undone.isEmpty else { return }
        let names = written.mocks.map(\.name).joined(separator: ", ")
        throw ReplyFault(
            "\(names): not undone, because changed since this save", at: try LocatedJSON(parsing: text))
    }

    /// Removes a member with its comma, or, if it has a line of its own, that line and the comment with inputs above.
    private mutating func remove(_ value: LocatedJSON, from start: Int) {
        let plain = JSON.blankingComments(in: text)
        var (start, end) = (start, value.range.upperBound)
        let after = plain[end...].firstIndex { !JSONStyle.isSpace($0) }
        let before = plain[..<start].lastIndex { !JSONStyle.isSpace($0) }
        if let after, plain[after] == UInt8(ascii: ",") {
            end = after + 1
        } else if let before, plain[before] == UInt8(ascii: ",") {
            text.remove(at: before)
            (start, end) = (start - 1, end - 1)
        }
        let line = lineStart(of: start)
        guard let next = text[end...].firstIndex(of: JSONStyle.newline),
            (text[line..<start] + text[end..<next]).allSatisfy(JSONStyle.isSpace)
        else { return text.removeSubrange(start..<end) }
        let above = line == 0 ? 0 : lineStart(of: line - 1)
        let isOurs = text[above..<line].drop(while: JSONStyle.isSpace).starts(with: Self.inputs.utf8)
        text.removeSubrange((isOurs ? above : line)...next)
    }
}
