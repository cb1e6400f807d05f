/// Parses a JSON text in one pass, without recursion, into the entries of a ``JSONTape``.
struct JSONParser: ~Copyable {
    typealias Entry = JSONTape.Entry

    private let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private let allowsRepetition: Bool
    private var position = 0
    private var depth = 0
    private var container = Entry.none
    /// Of the array or object that is open: whether it is an object, and the number of its values so far.
    private var isInObject = false
    private var values: UInt32 = 0
    private(set) var own: JSONTape.Found
    /// Halves of surrogate pairs that were replaced, up to 16: so often may they have made two names the same.
    private var halves = 0

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, allowsRepetition: Bool = false,
        into own: consuming JSONTape.Found = JSONTape.Found()
    ) {
        self.bytes = bytes
        self.own = own
        self.maximumDepth = maximumDepth
        self.allowsRepetition = allowsRepetition
    }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func document() throws(JSON.ParseError) {
        guard bytes.count < Int32.max else { throw fault("the text has more than 2 GB") }
        try checkEncoding()
        if current == 0xEF, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        own.clear()
        own.characters.append(bytes)
        repeat {
            while try !beginValue() {}
        } while try !endValue()
        skipWhitespace()
        guard isAtEnd else { throw fault("expected nothing after the value, found \(found)") }
    }

    private func checkEncoding() throws(JSON.ParseError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            let offset = error.byteOffsets.lowerBound
            let byte = String(bytes[offset], radix: 16, uppercase: true)
            throw fault("the text is not UTF-8: byte \(byte) does not belong here", at: offset)
        }
    }

    /// Parses a scalar or an empty container; `false` after `{` or `[`, whose first value comes next.
    @inline(__always)
    private mutating func beginValue() throws(JSON.ParseError) -> Bool {
        skipWhitespace()
        let start = position
        switch current {
        case UInt8(ascii: "\""):
            append(.string, try string(), from: start)
        case _ where current.isDigit || current == UInt8(ascii: "-"):
            if let problem = scanNumber() { throw fault(problem) }
            append(.number, start..<position, from: start)
        case UInt8(ascii: "{"): return try open(.object)
        case UInt8(ascii: "["): return try open(.array)
        case UInt8(ascii: "t") where skip("true"): append(.yes, start..<position, from: start)
        case UInt8(ascii: "f") where skip("false"): append(.no, start..<position, from: start)
        case UInt8(ascii: "n") where skip("null"): append(.null, start..<position, from: start)
        default: throw missingValue()
        }
        return true
    }

    @inline(__always)
    private mutating func append(_ kind: Entry.Kind, _ range: Range<Int>, from start: Int) {
        own.entries.append(
            Entry(
                kind: kind, position: values, parent: container,
                start: UInt32(truncatingIfNeeded: range.lowerBound),
                end: UInt32(truncatingIfNeeded: range.upperBound),
                from: UInt32(truncatingIfNeeded: start), to: UInt32(truncatingIfNeeded: position)))
    }

    /// Opens an array or object; `true` if it is empty, and so closed again.
    private mutating func open(_ kind: Entry.Kind) throws(JSON.ParseError) -> Bool {
        guard depth < maximumDepth else {
            throw fault("arrays and objects are nested deeper than \(maximumDepth)")
        }
        let place = own.entries.count
        append(kind, 0..<place + 1, from: position)
        position += 1
        skipWhitespace()
        if skip(kind == .object ? "}" : "]") {
            own.entries[place].to = UInt32(truncatingIfNeeded: position)
            return true
        }
        if container != Entry.none { own.entries[Int(container)].start = values }
        container = UInt32(truncatingIfNeeded: place)
        (isInObject, values) = (kind == .object, 0)
        depth += 1
        if isInObject { try name() }
        return false
    }

    /// Counts the value in its container, and closes containers that end after it; `true` after the outermost value.
    @inline(__always)
    private mutating func endValue() throws(JSON.ParseError) -> Bool {
        while container != Entry.none {
            values += 1
            skipWhitespace()
            if skip(",") {
                skipWhitespace()
                if isInObject { try name() }
                return false
            }
            guard skip(isInObject ? "}" : "]") else {
                throw fault("expected ',' or '\(isInObject ? "}" : "]")', found \(found)")
            }
            let place = Int(container)
            own.entries[place].start = values
            own.entries[place].end = UInt32(truncatingIfNeeded: own.entries.count)
            own.entries[place].to = UInt32(truncatingIfNeeded: position)
            depth -= 1
            if isInObject, !allowsRepetition { try tellNamesApart(in: place) }
            container = own.entries[place].parent
            guard container != Entry.none else { break }
            isInObject = own.entries[Int(container)].kind == .object
            values = own.entries[Int(container)].start
        }
        return true
    }

    @inline(__always)
    private mutating func name() throws(JSON.ParseError) {
        guard current == UInt8(ascii: "\"") else {
            let remedy = current == UInt8(ascii: "}") ? "; take out the comma before it" : ""
            throw fault("expected the name of a member in double quotes, found \(found)\(remedy)")
        }
        let start = position
        append(.name, try string(), from: start)
        skipWhitespace()
        guard skip(":") else { throw fault("expected ':' after the name of a member, found \(found)") }
    }

    /// Refuses an object with a repeated name; where replaced halves of characters may be why, the name gets one more.
    private mutating func tellNamesApart(in object: Int) throws(JSON.ParseError) {
        while let place = repeatedName(in: object) {
            let name = own.string(own.entries[place])
            guard halves > 0, name.unicodeScalars.contains("\u{FFFD}") else {
                let message = "the object has two members with the name \(JSON.string(name).excerpt)"
                throw fault(message, at: Int(own.entries[place].from))
            }
            halves -= 1
            own.entries[place].start = UInt32(truncatingIfNeeded: own.characters.count)
            own.characters.append(text: "\(name)\u{FFFD}")
            own.entries[place].end = UInt32(truncatingIfNeeded: own.characters.count)
        }
    }

    /// The place of the first repeated name of an object; a few are compared in pairs, more of them with a set.
    private func repeatedName(in object: Int) -> Int? {
        let isSmall = own.entries[object].count <= JSONTape.searchLimit
        var known = Set<JSON.Bytewise>(minimumCapacity: isSmall ? 0 : own.entries[object].count)
        var place = object + 1
        while place < own.entries.count {
            let name = own.entries[place]
            if isSmall {
                var earlier = object + 1
                while earlier < place {
                    if own.has(own.bytes(of: name), at: earlier) { return place }
                    earlier = own.next(after: earlier + 1)
                }
            } else if !known.insert(JSON.Bytewise(own.string(name))).inserted {
                return place
            }
            place = own.next(after: place + 1)
        }
        return nil
    }

    /// Skips a number; if it is malformed, stops at the error and returns a message.
    mutating func scanNumber() -> String? {
        _ = skip("-")
        if skip("0") {
            if current.isDigit { return "a number does not begin with a zero before other digits" }
        } else if !skipDigits() {
            return "expected a digit, found \(found)"
        }
        if skip("."), !skipDigits() { return "expected a digit after '.', found \(found)" }
        if skip("e") || skip("E") {
            _ = skip("+") || skip("-")
            if !skipDigits() { return "expected a digit in the exponent, found \(found)" }
        }
        return nil
    }

    /// Skips a string and returns the range of its characters: in the text, or after it if they had escapes.
    @inline(__always)
    private mutating func string() throws(JSON.ParseError) -> Range<Int> {
        let opening = position
        position += 1
        var start = position
        let unescaped = own.characters.count
        while true {
            position = bytes.firstSpecial(from: position)
            let part = start..<position
            switch current {
            case UInt8(ascii: "\""):
                position += 1
                if start == opening + 1 { return part }
                own.characters.append(UnsafeBufferPointer(rebasing: bytes[part]))
                return unescaped..<own.characters.count
            case UInt8(ascii: "\\"):
                own.characters.append(UnsafeBufferPointer(rebasing: bytes[part]))
                try unescape()
                start = position
            default:
                if isAtEnd { throw fault("the string that begins here does not end", at: opening) }
                throw fault("a string cannot hold \(found) as it is; write it with a backslash")
            }
        }
    }

    @inline(never)
    private mutating func unescape() throws(JSON.ParseError) {
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): own.characters.append(current)
        case UInt8(ascii: "b"): own.characters.append(0x08)
        case UInt8(ascii: "f"): own.characters.append(0x0C)
        case UInt8(ascii: "n"): own.characters.append(0x0A)
        case UInt8(ascii: "r"): own.characters.append(0x0D)
        case UInt8(ascii: "t"): own.characters.append(0x09)
        case UInt8(ascii: "u"): return own.characters.append(text: String(try escapedScalar()))
        default: throw fault("expected one of \"\\/bfnrtu after the backslash, found \(found)")
        }
        position += 1
    }

    /// Parses `uXXXX`, or `uXXXX\uXXXX` for a surrogate pair; half of one becomes U+FFFD, as when browsers encode a text.
    private mutating func escapedScalar() throws(JSON.ParseError) -> Unicode.Scalar {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let after = position
        if first < 0xDC00, skip("\\"), current == UInt8(ascii: "u") {
            let second = try hexadecimal()
            if 0xDC00...0xDFFF ~= second,
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return scalar
            }
        }
        position = after
        halves = min(halves + 1, 16)
        return "\u{FFFD}"
    }

    private mutating func hexadecimal() throws(JSON.ParseError) -> UInt32 {
        position += 1
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(current)).hexDigitValue else {
                throw fault("expected four hexadecimal digits after \\u, found \(found)")
            }
            code = code << 4 + UInt32(digit)
            position += 1
        }
        return code
    }

    /// The next byte; 0 at the end, which is unambiguous since a zero byte is never valid in JSON.
    @inline(__always)
    private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private mutating func skipDigits() -> Bool {
        let start = position
        while current.isDigit { position += 1 }
        return position > start
    }

    private mutating func skipWhitespace() {
        while current == 0x20 || current == 0x0A || current == 0x0D || current == 0x09 { position += 1 }
    }

    @inline(__always)
    private mutating func skip(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for offset in 0..<count where bytes[position + offset] != word.utf8Start[offset] { return false }
        position += count
        return true
    }

    @inline(never)
    private func fault(_ message: String, at offset: Int? = nil) -> JSON.ParseError {
        JSON.ParseError(message, at: offset ?? position, in: bytes)
    }

    private var found: String {
        guard !isAtEnd else { return "the end of the text" }
        let rest = String(decoding: bytes[position..<min(position + 32, bytes.count)], as: UTF8.self)
        let word = rest.prefix { $0.isASCII && $0.isLetter }
        guard word.isEmpty else { return "'\(word)'" }
        guard let first = rest.unicodeScalars.first, first.value >= 0x20, first.value != 0x7F else {
            return "the control character \\u\(JSON.hexadecimal(current))"
        }
        return "'\(first)'"
    }

    private func missingValue() -> JSON.ParseError {
        let before = bytes[..<position].last { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        let isAfterComma = before == UInt8(ascii: ",")
        switch current {
        case _ where bytes.isEmpty: return fault("the text is empty; expected a JSON value")
        case UInt8(ascii: "]") where isAfterComma: return fault("expected a value after ',', found ']'")
        case UInt8(ascii: "'"): return fault("a string begins with a double quote, not with '")
        case UInt8(ascii: "+"): return fault("a number does not begin with '+'")
        case UInt8(ascii: "."): return fault("a number has a digit before '.'")
        case UInt8(ascii: "/"): return fault("expected a value, found '/'; JSON has no comments")
        default: return fault("expected a value, found \(found)")
        }
    }
}
