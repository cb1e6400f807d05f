public import HTTPTypes

/// An answer: a head and a body.
///
/// Choose between an **output**, which every bridge hands to its page in its own way (the envelope for flagged and
/// `__jsbridge__` requests, the bare value elsewhere), and **text, bytes, a file or a stream**, which go out exactly
/// as they are.
public struct Response: Sendable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields.
    public var headers: HTTPFields {
        get { contentType?.headers ?? fields }
        set {
            contentType = nil
            fields = newValue
        }
    }

    /// The type, where it is a usual one and there is no other header field; else nil.
    private(set) var contentType: ContentType?
    /// The header fields where there is no `contentType`.
    private(set) var fields: HTTPFields

    /// What follows the head.
    public var body: Body

    /// Who answered, for the access log: `handler EchoHandler`, `passed`; nil where the gateway itself did.
    package var answeredBy: String?

    /// ``answeredBy`` where no handler took a request for native.
    static let noHandler = "no handler"

    /// The `Set-Cookie` of an admission; any other of a cookie of ours is taken out of an answer.
    var admissionCookie: String?

    /// Whether it goes out as a server behind the gateway gave it, with no field of the gateway's own.
    package var isRelayed = false

    /// The `code` in the envelope of an error.
    package var code: Int?

    /// Makes an answer of a status, headers and a body that goes out as it is.
    public init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .empty) {
        self.status = status
        fields = headers
        self.body = body
    }

    /// An answer of a type that goes out as it is.
    private init(contentType: String, body: Body) {
        let usual = ContentType.usual(contentType)
        status = .ok
        self.contentType = usual
        fields = usual == nil ? HTTPFields(.contentType, contentType) : HTTPFields()
        self.body = body
    }

    /// An output: any value that can be encoded.
    ///
    /// `nil` and ``Nothing`` are no output. Dates go out as ISO 8601 in UTC with milliseconds, bytes as base64,
    /// decimals with all their digits.
    public init(output: some Encodable) throws {
        self.init(body: .output(try JSON.encode(output)))
    }

    /// Text, sent as it is: the synchronous call of a page gets exactly this as `responseText`.
    public init(text: String, contentType: String = "text/plain; charset=utf-8") {
        self.init(contentType: contentType, body: .bytes(Array(text.utf8)))
    }

    /// Bytes, sent as they are.
    public init(bytes: [UInt8], contentType: String) {
        self.init(contentType: contentType, body: .bytes(bytes))
    }

    /// A stream, written to the client as it is made.
    ///
    /// The closure runs once the head is on its way; each ``Client/didLoad(_:)-([UInt8])`` waits for a slow reader.
    /// Returning ends the body, throwing breaks the transfer off so that nobody takes it for whole.
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

    /// Status and header fields in one.
    public var head: HTTPResponse {
        get { HTTPResponse(status: status, headerFields: headers) }
        set {
            status = newValue.status
            headers = newValue.headerFields
        }
    }

    /// The same answer, which the access log names `passed`.
    var passed: Response {
        var response = self
        response.answeredBy = "passed"
        return response
    }

    /// Whether there is such a field.
    func contains(_ name: HTTPField.Name) -> Bool {
        if contentType != nil { return name == .contentType }
        return !fields.isEmpty && fields.contains(name)
    }

    /// Takes out what would make a cookie of ours, and puts in that of an admission.
    mutating func setOwnCookie() {
        if fields.contains(where: OwnCookies.isSet) {
            headers = HTTPFields(fields.filter { !OwnCookies.isSet(by: $0) })
        }
        if let admissionCookie { headers[.setCookie] = admissionCookie }
    }
}
