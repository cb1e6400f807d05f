import DrawbridgeDocuments

/// An answer: a head and a body.
///
/// Choose between an **output**, which every bridge hands to its page in its own way (the envelope for flagged and
/// `__jsbridge__` requests, the bare value elsewhere), and **text, bytes, a file or a stream**, which go out exactly
/// as they are.
public struct Response: Sendable {
    /// The HTTP status.
    public var status: HTTPResponse.Status

    /// The header fields, with those that the gateway adds.
    public var headers: HTTPFields {
        get { seal.isEmpty ? ownHeaders : seal.added(to: ownHeaders) }
        set {
            ownHeaders = newValue
            seal = Seal()
        }
    }

    /// The header fields without those that the gateway adds.
    package var ownHeaders: HTTPFields {
        get {
            switch own {
            case .type(let type): type.headers
            case .fields(let fields): fields
            case .relayed(let relayed): relayed.text.fields
            }
        }
        set {
            if relayed != nil { change { $0.isRelayed = true } }
            own = .fields(newValue)
        }
    }

    /// The header fields of an upstream's answer, if nobody has changed them; else nil.
    package var relayed: RelayedFields? { if case .relayed(let relayed) = own { relayed } else { nil } }

    /// The header fields that are not in ``fixedText``.
    package var headersForEngine: HTTPFields { relayed == nil ? ownHeaders : HTTPFields() }

    package var typeText: String? { contentType?.text ?? relayed?.type ?? headers.value(.contentType) }

    /// The shared object for the `Content-Type`, if that is a usual one and the answer's only field; else nil.
    package var contentType: ContentType? { if case .type(let type) = own { type } else { nil } }

    private var own: Own
    var seal = Seal()

    /// The body: bytes, an output, a file or a stream.
    public var body: Body

    /// Who answered, for the access log: `handler EchoHandler`, `passed`; nil where the gateway itself did.
    package var answeredBy: String?

    /// The value of ``answeredBy`` if no handler took a request for native.
    package static let noHandler = "no handler"

    private var seldom: Seldom?

    /// Why a handler refused what it was sent, for the log; nil for all other answers.
    package var refusal: String? {
        get { seldom?.values.refusal }
        set { change { $0.refusal = newValue } }
    }

    /// The gateway's own `Set-Cookie`; others with the name of a cookie of the gateway are removed.
    package var ownCookie: String? {
        get { seldom?.values.ownCookie }
        set { change { $0.ownCookie = newValue } }
    }

    /// Whether it is sent exactly as an upstream sent it, without header fields of the gateway.
    package var isRelayed: Bool {
        get { relayed != nil || seldom?.values.isRelayed == true }
        set { change { $0.isRelayed = newValue } }
    }

    /// Rewrites the upstream's own addresses in a page; nil to leave them.
    package var addressRewriter: (any AddressRewriter)? {
        get { seldom?.values.addressRewriter }
        set { change { $0.addressRewriter = newValue } }
    }

    package var code: Int? {
        get { seldom?.values.code }
        set { change { $0.code = newValue } }
    }

    /// The `message` in the envelope of an output; usually `""`.
    package var message: String {
        get { seldom?.values.message ?? "" }
        set { change { $0.message = newValue } }
    }

    /// Whether the callback of the calling page is never called, as for `$silence`.
    package var isSilent: Bool {
        get { seldom?.values.isSilent ?? false }
        set { change { $0.isSilent = newValue } }
    }

    /// Called by the engine or the page's channel after the answer was sent.
    package var afterwards: (@Sendable () -> Void)? {
        get { seldom?.values.afterwards }
        set { change { $0.afterwards = newValue } }
    }

    private mutating func change(_ change: (inout Seldom.Values) -> Void) {
        var values = seldom?.values ?? Seldom.Values()
        change(&values)
        seldom = Seldom(values)
    }

    private enum Own {
        case type(ContentType)
        case fields(HTTPFields)
        case relayed(RelayedFields)
    }

    /// Rarely used values, in one object: a struct of more than fifteen words is copied wherever it is passed.
    private final class Seldom: Sendable {
        struct Values: Sendable {
            var ownCookie: String?
            var refusal: String?
            var isRelayed = false
            var addressRewriter: (any AddressRewriter)?
            var code: Int?
            var message = ""
            var isSilent = false
            var afterwards: (@Sendable () -> Void)?
        }

        let values: Values

        init(_ values: Values) { self.values = values }
    }

    /// Makes an answer of a status, headers and a body that goes out as it is.
    public init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = .init(), body: Body = .empty) {
        self.status = status
        own = .fields(headers)
        self.body = body
    }

    /// Makes an answer of an upstream's header fields.
    package init(_ status: HTTPResponse.Status, relaying text: FieldText, body: Body) {
        self.init(status, body: body)
        own = .relayed(RelayedFields(text))
        // The engine says that it cannot send a field with a tab, if it gets it by itself.
        if text.bytes.contains(0x09) { headers = headers }
    }

    private init(contentType: String, body: Body) {
        status = .ok
        own = ContentType.usual(contentType).map(Own.type) ?? .fields([.contentType: contentType])
        self.body = body
    }

    /// Makes a response from an output: any value that can be encoded.
    ///
    /// `nil` and ``Nothing`` mean no output. Dates are written as ISO 8601 in UTC with milliseconds, bytes as base64,
    /// decimals with all their digits.
    ///
    /// - Parameters:
    ///   - output: the value.
    ///   - message: the `message` of the envelope, where there is one.
    /// - Throws: what the value's own encoding throws.
    public init(output: borrowing some Encodable, message: String = "") throws {
        self.init(body: .output(try JSON.encode(output)))
        if !message.isEmpty { self.message = message }
    }

    /// Makes a response from text, which is sent unchanged: a page's synchronous call gets it as `responseText`.
    public init(text: String, contentType: String = "text/plain; charset=utf-8") {
        self.init(contentType: contentType, body: .bytes(Array(text.utf8)))
    }

    /// Makes a response from bytes, which are sent unchanged.
    public init(bytes: [UInt8], contentType: String) {
        self.init(contentType: contentType, body: .bytes(bytes))
    }

    /// Makes a response with a stream as its body, written to the client while it is made.
    ///
    /// The closure runs once the head is on its way; each ``Client/didLoad(_:)-([UInt8])`` waits for a slow reader.
    /// Returning ends the body; throwing breaks the transfer off, so that the receiver does not take it for complete.
    ///
    /// - Parameters:
    ///   - contentType: the type of the whole body.
    ///   - length: the number of bytes if it is known; more or fewer of them break the transfer off.
    ///   - write: writes the body.
    public init(
        contentType: String, length: Int? = nil, write: @escaping @Sendable (Client) async throws -> Void
    ) {
        self.init(contentType: contentType, body: .stream(length: length, write))
    }

    @usableFromInline package var head: HTTPResponse {
        get { HTTPResponse(status: status, headerFields: headers) }
        set {
            status = newValue.status
            headers = newValue.headerFields
        }
    }

    /// Values of ``answeredBy``: an upstream, a file, and any other responder.
    package static let upstream = "upstream"
    package static let files = "files"
    package static let passed = "passed"

    /// The value of ``answeredBy`` if the gateway itself answered a request for native.
    package static let ownAnswer = "gateway for native"

    package mutating func setPasser() {
        if answeredBy == nil { answeredBy = isRelayed ? Self.upstream : Self.passed }
    }

    /// Whether it came from an upstream or another responder, but not from a file.
    package var hasPassed: Bool { answeredBy == Self.upstream || answeredBy == Self.passed }

    package func contains(_ name: HTTPField.Name) -> Bool { hasOwn(name) || seal.contains(name) }

    /// Whether there is such a field, without those that the gateway adds.
    func hasOwn(_ name: HTTPField.Name) -> Bool {
        switch own {
        case .type: name == .contentType
        case .fields(let fields): !fields.isEmpty && fields.contains(name)
        case .relayed(let relayed): relayed.text.fields.contains(name)
        }
    }

    /// Removes any `Set-Cookie` for the gateway's own cookies, and adds ``ownCookie``.
    package mutating func setOwnCookie() {
        if contentType == nil, relayed?.setsCookie != false, ownHeaders.contains(where: OwnCookies.isSet) {
            ownHeaders = HTTPFields(ownHeaders.filter { !OwnCookies.isSet(by: $0) })
        }
        if let ownCookie { ownHeaders[.setCookie] = ownCookie }
    }
}

/// The header fields of an upstream's answer as the engine takes them; who reads them makes others of them.
package final class RelayedFields: Sendable {
    package let text: FieldText
    let type: String?
    var setsCookie: Bool { text.places.contains { $0.known == .setCookie } }

    init(_ text: FieldText) { (self.text, type) = (text, text.value(.contentType)) }
}
