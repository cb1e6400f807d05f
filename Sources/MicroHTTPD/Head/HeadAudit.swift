import Glibc
import HTTPGrammar

/// Parses the raw head of a request, and refuses malformed ones that libmicrohttpd accepts (RFC 9112, sections 2 to 5).
///
/// The buffer is the library's, after its own parsing: method, target, version and all header lines, with a NUL in
/// place of the byte after each token, and line ends as ``HeadLayout`` says. A folded line, a bare LF or a NUL in the
/// request leaves other bytes, and is refused.
package struct HeadAudit {
    /// The header fields, with `Host` and the framing fields stored separately.
    struct Fields {
        var headers: [HTTPField] = []
        var host: String?
        /// The values of Content-Length, Transfer-Encoding and Expect, with the bytes that the library interprets.
        ///
        /// The library skips leading white space. Trailing white space is a part of the value in 0.9, but not in 1.0.
        var lengths: [String] = []
        var codings: [String] = []
        var expectations: [String] = []
    }

    private let block: UnsafeRawBufferPointer
    private let layout: HeadLayout
    private var position = 0

    /// Parses a head.
    ///
    /// - Parameters:
    ///   - lines: the number of header fields that the library found. If the block has more, the client sent NULs, to
    ///     hide header lines from the library.
    ///   - target: the request target before the library cut off its query.
    ///   - scheme: `http` or `https`, by the connection.
    package static func run(
        _ block: UnsafeRawBufferPointer, _ layout: HeadLayout, lines: Int, target: [UInt8], scheme: String,
        limits: Limits
    ) throws(Refusal) -> AuditedHead {
        guard target.count <= limits.target else {
            let advice =
                "send a body instead, or raise the limit with --memory-per-connection (Limits.target)"
            throw Refusal(.uriTooLong, "the target has more than \(limits.target) bytes; \(advice)")
        }
        var audit = HeadAudit(block: block, layout: layout)
        let method = try audit.method()
        let targetText = try audit.target(target)
        let isOldVersion = try isOld(String(decoding: audit.token(), as: UTF8.self))
        let fields = try audit.fields(lines, limits)
        let head = try head(method, targetText, scheme, isOldVersion: isOldVersion, fields)
        // A short head leaves enough memory for the head of the response, so that is not computed.
        guard block.count <= 1024 || head.room(in: limits.pool) >= 512 else { throw .tooLong(limits.pool) }
        return head
    }

    /// The bytes before the next NUL; moves behind that NUL.
    private mutating func token() throws(Refusal) -> UnsafeRawBufferPointer {
        let rest = UnsafeRawBufferPointer(rebasing: block[position...])
        guard let start = rest.baseAddress, let found = memchr(start, 0, rest.count) else {
            throw .malformed("the head has an incomplete line")
        }
        let end = position + (UnsafeRawPointer(found) - start)
        defer { position = end + 1 }
        return UnsafeRawBufferPointer(rebasing: block[position..<end])
    }

    /// Skips the end of a line, after the NUL with which the library has replaced what followed the last token.
    private mutating func lineEnd() throws(Refusal) {
        let last: UInt8 = layout == .nothing ? 0 : UInt8(ascii: "\n")
        // White space after the value: its first byte is now the NUL, and the CR is still there.
        if layout == .lineFeeds, position < block.count, block[position] != last {
            while position < block.count, block[position].isBlank { position += 1 }
            try skip(UInt8(ascii: "\r"))
        }
        try skip(last)
    }

    private mutating func skip(_ byte: UInt8) throws(Refusal) {
        guard position < block.count, block[position] == byte else {
            throw .malformed("a line of the head does not end with CRLF")
        }
        position += 1
    }

    /// Checks the end of the head: the last line end and the empty line.
    ///
    /// In libmicrohttpd 1.0 the body may follow in the same buffer, so the end is not known here. The library refuses
    /// anything but white space and line ends there; ``HeadProbe`` has tested that at the start.
    private func end() throws(Refusal) {
        let rest = block[position...]
        guard layout == .nothing ? rest.count == 3 && rest.allSatisfy({ $0 == 0 }) : rest.count >= 3 else {
            throw .malformed("the head does not end with an empty line")
        }
    }

    private mutating func method() throws(Refusal) -> HTTPRequest.Method {
        let bytes = try token()
        if bytes.isText("GET") { return .get }
        if bytes.isText("POST") { return .post }
        return try Self.method(String(decoding: bytes, as: UTF8.self))
    }

    private static func method(_ text: String) throws(Refusal) -> HTTPRequest.Method {
        guard !text.isEmpty, text.utf8.allSatisfy(ASCIISet.token.contains),
            let method = HTTPRequest.Method(text)
        else { throw .malformed("the method is not a token") }
        guard text.utf8.count <= 16 else {
            throw Refusal(.notImplemented, "the method has more than 16 characters")
        }
        return method
    }

    private mutating func target(_ target: [UInt8]) throws(Refusal) -> String {
        let end = position + target.count
        guard end < block.count, block[end] == 0 else { throw Self.noRequestLine }
        for place in target.indices {
            // The library has put a NUL after the question mark, or in its place.
            let found = block[position + place]
            guard found == target[place] || found == 0 else { throw Self.noRequestLine }
        }
        position = end + 1
        var isPlain = !target.isEmpty
        for byte in target where !byte.isTargetByte { isPlain = false }
        guard isPlain else {
            throw .malformed("the target has a character that must be percent-encoded")
        }
        return String(decoding: target, as: UTF8.self)
    }

    private static let noRequestLine = Refusal.malformed(
        "the request line is not METHOD, one space, target, one space, version")

    private static func isOld(_ version: String) throws(Refusal) -> Bool {
        if version == "HTTP/1.1" { return false }
        if version == "HTTP/1.0" { return true }
        throw Refusal(.httpVersionNotSupported, "the version is neither HTTP/1.1 nor HTTP/1.0")
    }

    private mutating func fields(_ lines: Int, _ limits: Limits) throws(Refusal) -> Fields {
        guard lines <= limits.fields else {
            throw Refusal(
                .requestHeaderFieldsTooLarge, "the head has more than \(limits.fields) header fields")
        }
        var fields = Fields()
        let token = ASCIISet.token
        for _ in 0..<lines {
            try lineEnd()
            let name = try self.token()
            guard !name.isEmpty, name.allSatisfy(token.contains) else {
                throw .malformed("the name of a header field is not a token")
            }
            let value = try self.token()
            guard value.allSatisfy(\.isFieldByte) else {
                let text = String(decoding: name, as: UTF8.self)
                throw .malformed("the header field \(text) has a control character")
            }
            try fields.add(name, value)
        }
        try end()
        return fields
    }

    private static func head(
        _ method: HTTPRequest.Method, _ target: String, _ scheme: String, isOldVersion: Bool,
        _ fields: Fields
    ) throws(Refusal) -> AuditedHead {
        guard fields.host != nil || isOldVersion else {
            throw .malformed("there is no Host header; HTTP/1.1 needs one (RFC 9112, section 3.2)")
        }
        if let host = fields.host, !host.isEmpty, !isAuthority(host) {
            throw .malformed("the Host header \(host) is invalid")
        }

        let form = try form(method, target, scheme, fields.host)
        let expectsContinue = try expectsContinue(fields.expectations, isOldVersion: isOldVersion)
        return AuditedHead(
            method: method, scheme: form.scheme, authority: form.authority, target: form.target,
            headers: HTTPFields(fields.headers),
            isAbsoluteForm: form.isAbsolute, isOldVersion: isOldVersion,
            framing: try framing(fields.lengths, fields.codings, isOldVersion: isOldVersion),
            expectsContinue: expectsContinue)
    }

    /// Whether the client waits for a 100 before it sends the body (RFC 9110, section 10.1.1).
    ///
    /// The library sends a 100 only for exactly `100-continue`. With any other value the client would wait in vain, so
    /// it gets an error. HTTP/1.0 has no 100, so the field is ignored there.
    private static func expectsContinue(
        _ expectations: [String], isOldVersion: Bool
    ) throws(Refusal) -> Bool {
        guard !isOldVersion, let first = expectations.first else { return false }
        guard expectations.count == 1, isEqual(first, "100-continue") else {
            throw Refusal(
                .expectationFailed,
                "the only supported Expect is 100-continue, with nothing after it")
        }
        return true
    }

    /// Compares ignoring ASCII case; `word` has only lower-case letters, digits and hyphens.
    ///
    /// Bytes, not characters: in Unicode the Kelvin sign is equal to k without case.
    private static func isEqual(_ text: String, _ word: String) -> Bool {
        text.utf8.elementsEqual(word.utf8) { byte, expected in
            byte == expected || (ASCIISet.letters.contains(byte) && byte | 0x20 == expected)
        }
    }

    /// Parses a target in origin, absolute or asterisk form (RFC 9112, section 3.2).
    private static func form(
        _ method: HTTPRequest.Method, _ target: String, _ scheme: String, _ host: String?
    ) throws(Refusal) -> (scheme: String, authority: String?, target: String, isAbsolute: Bool) {
        // CONNECT needs a 200, and the library hands a connection over only after a 101.
        guard method != .connect else { throw .notAllowed("CONNECT", ": this server is not a proxy") }
        guard method != .trace else { throw .notAllowed("TRACE") }
        if target.utf8.first == UInt8(ascii: "/") || (target == "*" && method == .options) {
            return (scheme, host, target, false)
        }
        guard let mark = target.firstRange(of: "://") else {
            throw .malformed("the target \(target.prefix(40)) is neither a path nor a URL")
        }
        let scheme = target[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss" else {
            throw .malformed("the target's scheme is not http, https, ws or wss")
        }
        let authorityAndPath = target[mark.upperBound...]
        let slash = authorityAndPath.firstIndex { $0 == "/" || $0 == "?" } ?? authorityAndPath.endIndex
        let authority = String(authorityAndPath[..<slash])
        guard isAuthority(authority) else { throw .malformed("the target has an invalid host") }
        var path = String(authorityAndPath[slash...])
        if !path.hasPrefix("/") { path = "/" + path }
        return (scheme, authority, path, true)
    }

    private static func framing(
        _ lengths: [String], _ codings: [String], isOldVersion: Bool
    ) throws(Refusal) -> AuditedHead.Framing {
        guard lengths.count + codings.count <= 1 else {
            throw .malformed(
                "the body's length is given more than once; send one Content-Length or one Transfer-Encoding")
        }
        if let coding = codings.first {
            guard !isOldVersion else { throw .malformed("HTTP/1.0 has no Transfer-Encoding") }
            // With trailing white space libmicrohttpd 0.9 does not recognize `chunked`, and reads until the end.
            guard isEqual(coding, "chunked") else {
                throw Refusal(
                    .notImplemented,
                    "the only supported Transfer-Encoding is chunked, with nothing after it")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard !length.isEmpty, length.utf8.allSatisfy(\.isDigit) else {
            throw .malformed("the Content-Length is not a number")
        }
        if let count = Int(length) { return count == 0 ? .none : .length(count) }
        throw Refusal(.contentTooLarge, "the Content-Length is too large")
    }

    private static func isAuthority(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { HostAndPort($0) != nil }
    }
}

// Adds a field to the headers, or to the framing fields.
extension HeadAudit.Fields {
    mutating func add(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(Refusal) {
        // Compared first, because most requests have these two.
        if name.isText("Host") { return try add(host: value) }
        if name.isText("Content-Length") {
            return lengths.append(Self.asJudged(value))
        }
        guard let name = FieldNames.name(name) else {
            throw .malformed("the name of a header field is not a token")
        }
        switch name {
        case .host: return try add(host: value)
        case .contentLength: lengths.append(Self.asJudged(value))
        case .transferEncoding: codings.append(Self.asJudged(value))
        case .expect:
            expectations.append(Self.asJudged(value))
            headers.append(HTTPField(name, value))
        default: headers.append(HTTPField(name, value))
        }
    }

    /// The value as the library interprets it: without leading white space.
    private static func asJudged(_ value: UnsafeRawBufferPointer) -> String {
        String(decoding: value.drop { $0.isBlank }, as: UTF8.self)
    }

    /// Trims the value; that is safe, because the library does not interpret `Host`.
    private mutating func add(host value: UnsafeRawBufferPointer) throws(Refusal) {
        guard host == nil else { throw .malformed("there are two Host headers; send one") }
        host = String(decoding: value.trimmed, as: UTF8.self)
    }
}
