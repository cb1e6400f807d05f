import HTTPTypes

/// Reads the raw header block and refuses what libmicrohttpd 0.9.75 lets through.
///
/// That version parses in place: in its buffer stand the method, the target, the version and all header lines back to
/// back, with a NUL for the byte behind each token and two for each CRLF. Whatever does not look exactly so, a folded
/// line, a bare line feed, a NUL, was no clean head (RFC 9112, sections 2 to 5).
package struct HeadAudit {
    private var rest: Slice<UnsafeRawBufferPointer>

    /// Audits a block.
    ///
    /// - Parameters:
    ///   - target: the target as it was before the library cut its query off.
    ///   - scheme: how the connection came, `http` or `https`.
    /// - Throws: a ``Refusal``.
    package static func run(
        _ block: UnsafeRawBufferPointer, target: [UInt8], scheme: String, limits: Limits
    ) throws(Refusal) -> AuditedHead {
        try check(target, limits)
        guard block.count <= limits.head else {
            throw Refusal(
                .requestHeaderFieldsTooLarge,
                "the head has more than \(limits.head) bytes; send fewer or shorter headers")
        }
        var audit = HeadAudit(rest: block[...])
        let method = try audit.method()
        let targetText = try audit.target(target)
        let isOldVersion = try audit.versionIs10()
        let fields = try audit.fields(limits)
        return try head(method, targetText, scheme, isOldVersion: isOldVersion, fields)
    }

    /// Checks a head that the library has read, and read strictly: version 1.0, whose memory is not ours to know.
    static func check(
        method: String, target: [UInt8], scheme: String, version: String, fields: [HTTPField], limits: Limits
    ) throws(Refusal) -> AuditedHead {
        try check(target, limits)
        guard fields.count <= limits.fields else { throw tooManyFields(limits) }
        guard let method = HTTPRequest.Method(method) else { throw .malformed("the method is no token") }
        return try head(
            method, String(decoding: target, as: UTF8.self), scheme, isOldVersion: version == "HTTP/1.0",
            fields)
    }

    private static func check(_ target: [UInt8], _ limits: Limits) throws(Refusal) {
        guard target.count <= limits.target else {
            throw Refusal(
                .uriTooLong, "the target has more than \(limits.target) bytes; send long input in a body")
        }
    }

    private static func tooManyFields(_ limits: Limits) -> Refusal {
        Refusal(.requestHeaderFieldsTooLarge, "the head has more than \(limits.fields) header fields")
    }

    // MARK: The block

    /// The bytes up to the next NUL, which is skipped.
    private mutating func token() throws(Refusal) -> Slice<UnsafeRawBufferPointer> {
        guard let end = rest.firstIndex(of: 0) else {
            throw .malformed("the head is not made of whole lines")
        }
        let token = rest[rest.startIndex..<end]
        rest = rest[(end + 1)...]
        return token
    }

    private mutating func lineEnd() throws(Refusal) {
        guard rest.popFirst() == 0 else { throw .malformed("a line of the head does not end with CRLF") }
    }

    private mutating func method() throws(Refusal) -> HTTPRequest.Method {
        let bytes = try token()
        guard !bytes.isEmpty, bytes.allSatisfy(\.isTokenByte), let text = Self.ascii(bytes),
            let method = HTTPRequest.Method(text)
        else { throw .malformed("the method is no token") }
        guard bytes.count <= 16 else {
            throw Refusal(.notImplemented, "the method has more than 16 characters")
        }
        return method
    }

    private mutating func target(_ target: [UInt8]) throws(Refusal) -> String {
        guard rest.count > target.count, rest[rest.startIndex + target.count] == 0 else {
            throw .malformed("the request line is not METHOD, one space, target, one space, version")
        }
        // The library has put a NUL behind the question mark, or in place of it.
        for (sent, found) in zip(target, rest) where sent != found && found != 0 {
            throw .malformed("the request line is not METHOD, one space, target, one space, version")
        }
        rest = rest[(rest.startIndex + target.count + 1)...]
        guard !target.isEmpty, target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw .malformed("the target has a character that must be percent-encoded")
        }
        return String(decoding: target, as: UTF8.self)
    }

    private mutating func versionIs10() throws(Refusal) -> Bool {
        let version = try token()
        try lineEnd()
        if version.elementsEqual("HTTP/1.1".utf8) { return false }
        if version.elementsEqual("HTTP/1.0".utf8) { return true }
        throw Refusal(.httpVersionNotSupported, "the version is neither HTTP/1.1 nor HTTP/1.0")
    }

    private mutating func fields(_ limits: Limits) throws(Refusal) -> [HTTPField] {
        var fields: [HTTPField] = []
        while rest.count > 2 {
            guard fields.count < limits.fields else { throw Self.tooManyFields(limits) }
            let nameBytes = try token()
            guard !nameBytes.isEmpty, nameBytes.allSatisfy(\.isTokenByte), let text = Self.ascii(nameBytes),
                let name = HTTPField.Name(text)
            else { throw .malformed("the name of a header field is no token") }
            let value = try token()
            try lineEnd()
            guard value.allSatisfy(\.isFieldByte) else {
                throw .malformed("the header field \(text) has a control character")
            }
            fields.append(HTTPField(name: name, value: value))
        }
        guard rest.elementsEqual([0, 0]) else { throw .malformed("the head does not end with an empty line") }
        return fields
    }

    private static func ascii(_ bytes: Slice<UnsafeRawBufferPointer>) -> String? {
        String(validating: bytes, as: Unicode.ASCII.self)
    }

    // MARK: What the lines mean together

    private static func head(
        _ method: HTTPRequest.Method, _ target: String, _ scheme: String, isOldVersion: Bool,
        _ fields: [HTTPField]
    ) throws(Refusal) -> AuditedHead {
        var headers = HTTPFields()
        var host: String?
        var lengths: [String] = []
        var codings: [String] = []
        for field in fields {
            switch field.name {
            case .host:
                guard host == nil else { throw .malformed("there are two Host headers; send one") }
                host = field.value
            case .contentLength: lengths.append(field.value)
            case .transferEncoding: codings.append(field.value)
            default: headers.append(field)
            }
        }
        guard host != nil || isOldVersion else {
            throw .malformed("there is no Host header; HTTP/1.1 needs one (RFC 9112, section 3.2)")
        }
        if let host, !host.isEmpty, !isAuthority(host) {
            throw .malformed("the Host header \(host) is no host")
        }

        var head = try form(method, target, scheme, host: host)
        head.request.headerFields = headers
        head.framing = try framing(lengths, codings, isOldVersion: isOldVersion)
        if let expectation = headers[.expect] {
            guard expectation.lowercased() == "100-continue" else {
                throw Refusal(.expectationFailed, "the only expectation that is met here is 100-continue")
            }
            head.expectsContinue = true
        }
        return head
    }

    /// Origin, absolute and asterisk form (RFC 9112, section 3.2).
    private static func form(
        _ method: HTTPRequest.Method, _ target: String, _ scheme: String, host: String?
    ) throws(Refusal) -> AuditedHead {
        guard method != .trace, method != .connect else {
            throw Refusal(.methodNotAllowed, "\(method) is not taken here")
        }
        if target.hasPrefix("/") || (target == "*" && method == .options) {
            return AuditedHead(
                request: HTTPRequest(method: method, scheme: scheme, authority: host, path: target))
        }
        guard let mark = target.firstRange(of: "://") else {
            throw .malformed("the target \(target.prefix(40)) is neither a path nor a URL")
        }
        let scheme = target[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" || scheme == "ws" || scheme == "wss" else {
            throw .malformed("the scheme of the target is none that is served here")
        }
        let authorityAndPath = target[mark.upperBound...]
        let slash = authorityAndPath.firstIndex { $0 == "/" || $0 == "?" } ?? authorityAndPath.endIndex
        let authority = String(authorityAndPath[..<slash])
        guard isAuthority(authority) else { throw .malformed("the host of the target is none") }
        var path = String(authorityAndPath[slash...])
        if !path.hasPrefix("/") { path = "/" + path }
        return AuditedHead(
            request: HTTPRequest(method: method, scheme: scheme, authority: authority, path: path),
            isAbsoluteForm: true)
    }

    private static func framing(
        _ lengths: [String], _ codings: [String], isOldVersion: Bool
    ) throws(Refusal) -> AuditedHead.Framing {
        guard lengths.count + codings.count <= 1 else {
            throw .malformed(
                "the body's end is given more than once; send one Content-Length or one Transfer-Encoding")
        }
        if let coding = codings.first {
            guard !isOldVersion else { throw .malformed("HTTP/1.0 has no Transfer-Encoding") }
            guard coding.lowercased() == "chunked" else {
                throw Refusal(.notImplemented, "the only transfer coding that is taken here is chunked")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .malformed("the Content-Length is no number")
        }
        guard let count = Int(length) else {
            throw Refusal(.contentTooLarge, "the Content-Length is too large")
        }
        return count == 0 ? .none : .length(count)
    }

    /// Host and port, with no user name, no list and no space (RFC 3986, section 3.2).
    private static func isAuthority(_ text: String) -> Bool {
        var host = text[...]
        if host.first == "[" {
            guard let close = host.firstIndex(of: "]") else { return false }
            let address = host[host.index(after: host.startIndex)..<close]
            guard !address.isEmpty, address.utf8.allSatisfy({ $0.isHexDigit || ":.".utf8.contains($0) })
            else { return false }
            host = host[host.index(after: close)...]
            guard !host.isEmpty else { return true }
            guard host.first == ":" else { return false }
        }
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return false }
        if parts.count == 2, !parts[1].isEmpty {
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), UInt16(parts[1]) != nil else {
                return false
            }
        }
        if text.first == "[" { return parts[0].isEmpty }
        return !parts[0].isEmpty && parts[0].utf8.allSatisfy { $0.isHostByte }
    }
}
