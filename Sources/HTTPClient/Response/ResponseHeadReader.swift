import Glibc
import HTTPGrammar
import HTTPTypes

/// Parses a response head line by line; it is strict: ambiguous heads are refused.
///
/// It continues after an informational (1xx) head. The limits apply to all heads together.
struct ResponseHeadReader {
    private static let sizeLimit = 64 << 10
    private static let fieldLimit = 1000

    private var size = 0
    private var fieldCount = 0
    private var start: (status: HTTPResponse.Status, isOldVersion: Bool)?
    private var text = FieldText()
    private var contentLength: Int?
    private var isChunked = false

    /// Parses one line, given without its CRLF.
    ///
    /// - Returns: the head, at the empty line that ends it; nil for other lines.
    /// - Throws: what is wrong. The rest of the response must not be trusted then.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) -> ResponseHead? {
        size += line.count + 2
        guard size <= Self.sizeLimit else { throw MalformedResponse("the head has more than 64 KB") }
        guard let start else {
            start = try Self.statusLine(line)
            return nil
        }
        guard line.isEmpty else {
            try readField(line)
            return nil
        }
        guard !isChunked || contentLength == nil else {
            throw MalformedResponse(
                "there are a Content-Length and a Transfer-Encoding, of which one is wrong")
        }
        guard !isChunked || !start.isOldVersion else {
            throw MalformedResponse("HTTP/1.0 has no Transfer-Encoding")
        }
        defer {
            self.start = nil
            text = FieldText()
            contentLength = nil
            isChunked = false
        }
        return ResponseHead(
            status: start.status, isOldVersion: start.isOldVersion, text: text, contentLength: contentLength,
            isChunked: isChunked)
    }

    /// `HTTP/1.1 200 OK`; many servers omit the reason phrase and the space before it.
    private static func statusLine(
        _ line: UnsafeRawBufferPointer
    ) throws(MalformedResponse) -> (status: HTTPResponse.Status, isOldVersion: Bool) {
        let version = "HTTP/1.".utf8.count
        guard line.count >= version + 5, line.starts(with: "HTTP/1.".utf8),
            line[version] == UInt8(ascii: "0") || line[version] == UInt8(ascii: "1"),
            line[version + 1] == UInt8(ascii: " "),
            // With a sign it would have two digits, and be below 100.
            let code = Int(String(decoding: line[(version + 2)..<(version + 5)], as: UTF8.self)), code >= 100,
            line.count == version + 5 || line[version + 5] == UInt8(ascii: " ")
        else { throw MalformedResponse("the status line is not HTTP/1.1, a code and a reason", line) }
        let reason = UnsafeRawBufferPointer(rebasing: line[(version + 5)...].dropFirst())
        guard reason.allSatisfy(\.isFieldByte) else {
            throw MalformedResponse("the status line has a control character", line)
        }
        let status = HTTPResponse.Status(code: code, reasonPhrase: String(decoding: reason, as: UTF8.self))
        return (status, line[version] == UInt8(ascii: "0"))
    }

    private mutating func readField(_ line: UnsafeRawBufferPointer) throws(MalformedResponse) {
        fieldCount += 1
        guard fieldCount <= Self.fieldLimit else {
            throw MalformedResponse("the head has more than 1,000 header fields")
        }
        // A line that begins with white space continues the previous field in old messages, but some parsers read it as
        // a field of its own (RFC 9112, section 5.2). It is refused, so that gateway and client cannot disagree.
        guard let first = line.baseAddress, line[0] != UInt8(ascii: " "), line[0] != UInt8(ascii: "\t") else {
            throw MalformedResponse("a header field is folded into a second line", line)
        }
        guard let colon = memchr(first, Int32(UInt8(ascii: ":")), line.count) else {
            throw MalformedResponse("a line of the head has no colon", line)
        }
        let end = UnsafeRawPointer(colon) - first
        let name = UnsafeRawBufferPointer(rebasing: line[..<end])
        let token = ASCIISet.token
        guard end > 0, name.allSatisfy(token.contains) else {
            throw MalformedResponse("the name of a header field is not a token", line)
        }
        let value = UnsafeRawBufferPointer(rebasing: line[(end + 1)...].trimmed)
        guard value.allSatisfy(\.isFieldByte) else {
            let name = String(decoding: name, as: UTF8.self)
            throw MalformedResponse("the header field \(name) has a control character")
        }
        let known = KnownName(name)
        text.append(name, value, as: known)
        switch known {
        case .contentLength: try readLength(value)
        case .transferEncoding: try readCoding(value)
        default: break
        }
    }

    /// Parses a Content-Length; a repeated field with the same value is accepted, a list of values is not.
    private mutating func readLength(_ value: UnsafeRawBufferPointer) throws(MalformedResponse) {
        guard !value.isEmpty, value.allSatisfy(\.isDigit) else {
            throw MalformedResponse("the Content-Length is not a number", value)
        }
        guard let length = Int(String(decoding: value, as: UTF8.self)) else {
            throw MalformedResponse("the Content-Length is too large", value)
        }
        guard contentLength == nil || contentLength == length else {
            throw MalformedResponse("there are two values of Content-Length, of which one is wrong")
        }
        contentLength = length
    }

    private mutating func readCoding(_ value: UnsafeRawBufferPointer) throws(MalformedResponse) {
        guard !isChunked else { throw MalformedResponse("the Transfer-Encoding is given twice") }
        // Bytes, not characters: in Unicode the Kelvin sign is equal to k without case.
        guard value.elementsEqual("chunked".utf8, by: { $0 | 0x20 == $1 }) else {
            throw MalformedResponse("the Transfer-Encoding is not chunked", value)
        }
        isChunked = true
    }
}

package struct MalformedResponse: Error, Equatable, CustomStringConvertible {
    /// What is wrong, without control characters, so that it can be logged.
    package let description: String

    /// - Parameter bytes: the malformed part of the response; at most 60 bytes of it are quoted.
    package init(_ problem: String, _ bytes: UnsafeRawBufferPointer? = nil) {
        let shown = bytes.map { String(decoding: $0.prefix(60), as: UTF8.self).unicodeScalars }
        let harmless = shown.map { String(String.UnicodeScalarView($0.map { $0.isHarmless ? $0 : "?" })) }
        description = harmless.map { "\(problem): \($0)" } ?? problem
    }
}
