extension JSON {
    /// Reads a JSON text: UTF-8, one value, nothing but white space around it (RFC 8259).
    ///
    /// A name that an object repeats is refused, since readers disagree about which value counts.
    /// - Parameters:
    ///   - bytes: The text.
    ///   - maximumDepth: How many arrays and objects may stand inside each other. Reading takes no stack, but
    ///     comparing, writing and releasing the value does; keep the limit where threads have little.
    /// - Throws: ``ParseError``, which tells what is wrong and where.
    public init(parsing bytes: [UInt8], maximumDepth: Int = 512) throws(ParseError) {
        self = try bytes.withUnsafeBufferPointer { bytes throws(ParseError) in
            var parser = JSONParser(bytes, maximumDepth: maximumDepth)
            return try parser.document()
        }
    }

    /// The lines, counted from 1, on which the members of a JSON text that is an object begin.
    package static func lines(ofMembersIn bytes: [UInt8]) throws(ParseError) -> [String: Int] {
        try bytes.withUnsafeBufferPointer { bytes throws(ParseError) in
            var parser = JSONParser(bytes, maximumDepth: 512)
            _ = try parser.document()
            let lines = parser.outermostNames.map { name in
                (name.text, bytes.prefix(name.offset).count { $0 == UInt8(ascii: "\n") } + 1)
            }
            return Dictionary(lines) { $1 }
        }
    }
}

/// Reads one JSON text in one pass, without recursion.
///
/// Values wait in one list until the array or object around them closes and takes its share off the end.
struct JSONParser {
    private struct Container {
        let isObject: Bool
        let firstValue: Int
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private var position = 0
    private var containers: [Container] = []
    private var values: [JSON] = []
    private var names: [(text: String, offset: Int)] = []
    /// Those of the object that is the whole text.
    private(set) var outermostNames: [(text: String, offset: Int)] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func document() throws(JSON.ParseError) -> JSON {
        try checkEncoding()
        var whole: JSON?
        while whole == nil {
            if let value = try beginValue() { whole = try hand(value) }
        }
        skipWhitespace()
        guard isAtEnd, let whole else { throw fault("expected nothing after the value, found \(found)") }
        return whole
    }

    private func checkEncoding() throws(JSON.ParseError) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw fault("the text begins with a byte order mark (EF BB BF); send it without")
        }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            let offset = error.byteOffsets.lowerBound
            let byte = String(bytes[offset], radix: 16, uppercase: true)
            throw fault("the text is not UTF-8: byte \(byte) does not belong here", at: offset)
        }
    }

    // MARK: - Structure

    /// Reads a whole value, or the opening of an array or object: then `nil`, and its first value comes next.
    private mutating func beginValue() throws(JSON.ParseError) -> JSON? {
        skipWhitespace()
        switch current {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "{"): return try open(isObject: true) ? nil : .object(JSON.Object())
        case UInt8(ascii: "["): return try open(isObject: false) ? nil : .array([])
        case UInt8(ascii: "t") where skip("true"): return .bool(true)
        case UInt8(ascii: "f") where skip("false"): return .bool(false)
        case UInt8(ascii: "n") where skip("null"): return .null
        default: throw missingValue()
        }
    }

    /// Opens an array or object, or gives `false` when it closes at once.
    private mutating func open(isObject: Bool) throws(JSON.ParseError) -> Bool {
        guard containers.count < maximumDepth else {
            throw fault("arrays and objects are nested deeper than \(maximumDepth)")
        }
        position += 1
        skipWhitespace()
        if skip(isObject ? "}" : "]") { return false }
        containers.append(Container(isObject: isObject, firstValue: values.count))
        if isObject { try name() }
        return true
    }

    /// Hands a value to the container around it, closing what closes here; gives the outermost value, at last.
    private mutating func hand(_ value: JSON) throws(JSON.ParseError) -> JSON? {
        var value = value
        while let container = containers.last {
            values.append(value)
            skipWhitespace()
            if skip(",") {
                skipWhitespace()
                if container.isObject { try name() }
                return nil
            }
            guard skip(container.isObject ? "}" : "]") else {
                throw fault("expected ',' or '\(container.isObject ? "}" : "]")', found \(found)")
            }
            value = try close(container)
        }
        return value
    }

    private mutating func close(_ container: Container) throws(JSON.ParseError) -> JSON {
        containers.removeLast()
        let count = values.count - container.firstValue
        defer { values.removeLast(count) }
        guard container.isObject else { return .array(Array(values.suffix(count))) }
        let firstName = names.count - count
        defer { names.removeLast(count) }
        if containers.isEmpty { outermostNames = names }
        do throws(JSON.Object.Repetition) {
            let members = (0..<count).map {
                (key: names[firstName + $0].text, value: values[container.firstValue + $0])
            }
            return .object(try JSON.Object(unique: members))
        } catch {
            let name = names[firstName + error.position]
            let text = JSON.string(name.text).excerpt
            throw fault("the object has two members with the name \(text)", at: name.offset)
        }
    }

    /// Reads the name of a member and the colon after it.
    private mutating func name() throws(JSON.ParseError) {
        guard current == UInt8(ascii: "\"") else {
            throw fault("expected the name of a member in double quotes, found \(found)")
        }
        let offset = position
        names.append((try string(), offset))
        skipWhitespace()
        guard skip(":") else { throw fault("expected ':' after the name of a member, found \(found)") }
    }

    // MARK: - Numbers and strings

    private mutating func number() throws(JSON.ParseError) -> JSON.Number {
        let start = position
        if let problem = scanNumber() { throw fault(problem) }
        return JSON.Number(verified: text(from: start))
    }

    /// Passes over a number, or stops where it goes wrong and tells why.
    mutating func scanNumber() -> String? {
        _ = skip("-")
        if skip("0") {
            if isDigit { return "a number does not begin with a zero before other digits" }
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

    private mutating func string() throws(JSON.ParseError) -> String {
        let opening = position
        position += 1
        var start = position
        var unescaped: [UInt8] = []
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                if unescaped.isEmpty { return text(from: start) }
                unescaped.append(contentsOf: bytes[start..<position])
                return String(decoding: unescaped, as: UTF8.self)
            case UInt8(ascii: "\\"):
                unescaped.append(contentsOf: bytes[start..<position])
                try unescape(into: &unescaped)
                start = position
            case 0..<0x20:
                throw fault("a string cannot hold \(found) as it is; write it with a backslash")
            default:
                position += 1
            }
        }
        throw fault("the string that begins here does not end", at: opening)
    }

    private mutating func unescape(into output: inout [UInt8]) throws(JSON.ParseError) {
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): output.append(current)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"): return output.append(contentsOf: UTF8.encode(try escapedScalar()) ?? .init())
        default: throw fault("expected one of \"\\/bfnrtu after the backslash, found \(found)")
        }
        position += 1
    }

    /// Reads `uXXXX`, or `uXXXX\uXXXX` where two halves of a surrogate pair make one scalar.
    private mutating func escapedScalar() throws(JSON.ParseError) -> Unicode.Scalar {
        let start = position - 1
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        if first < 0xDC00, skip("\\"), current == UInt8(ascii: "u") {
            let second = try hexadecimal()
            if 0xDC00...0xDFFF ~= second,
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return scalar
            }
        }
        let code = text(from: start + 2, to: start + 6)
        throw fault("\\u\(code) is half of a surrogate pair and stands alone", at: start)
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

    // MARK: - Bytes

    /// The byte to be read, or 0 at the end: a zero is nowhere allowed, so nobody mistakes it.
    private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    private var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= current }

    private mutating func skipDigits() -> Bool {
        let start = position
        while isDigit { position += 1 }
        return position > start
    }

    private mutating func skipWhitespace() {
        while current == 0x20 || current == 0x0A || current == 0x0D || current == 0x09 { position += 1 }
    }

    /// Passes over `word` if it stands here.
    @inline(__always)
    private mutating func skip(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for offset in 0..<count where bytes[position + offset] != word.utf8Start[offset] { return false }
        position += count
        return true
    }

    private func text(from start: Int, to end: Int? = nil) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<(end ?? position)]), as: UTF8.self)
    }

    // MARK: - Faults

    private func fault(_ message: String, at offset: Int? = nil) -> JSON.ParseError {
        JSON.ParseError(message, at: offset ?? position, in: bytes)
    }

    /// What stands here, for a message.
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
