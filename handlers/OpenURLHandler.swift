public import Drawbridge

/// Opens a URL outside the page if the person allows it, and answers `{"result":"ok"}` or `{"result":"cancel"}`.
///
/// ```
/// curl 'http://127.0.0.1:8080/openURL?_mobile_bridge=1&url=https://example.com'
/// ```
public struct OpenURLHandler: JSONHandler {
    /// What is opened.
    public struct Input: Decodable, Sendable {
        var url: String
    }

    /// What the person decided.
    public struct Output: Encodable, Sendable {
        var result: String
    }

    /// Starting a program blocks for a moment.
    public static var execution: Execution { .thread }

    /// A person may take their time.
    public static var deadline: Duration? { nil }

    /// The schemes that a page may open.
    ///
    /// A URL of another scheme could start any program of the person's, with arguments that the page chose.
    private static let schemes = ["http", "https", "mailto", "tel", "sms"]

    /// How many bytes a URL may have: the person who is asked must see all of it.
    private static let longest = 1000

    private let request: Request
    private let open: @Sendable (String) async throws -> Void

    /// Opens by way of a closure, which is given the URL.
    public init(request: Request, open: @escaping @Sendable (String) async throws -> Void) {
        self.request = request
        self.open = open
    }

    /// Asks, and opens.
    ///
    /// - Throws: a 400 for what is not a URL, and for a scheme that a page may not open; a 403 for a page elsewhere.
    public func handle(_ input: Input) async throws -> Output {
        let scheme = input.url.prefix { $0 != ":" }.lowercased()
        guard Self.schemes.contains(scheme), input.url.count > scheme.count + 1,
            input.url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), input.url.utf8.count <= Self.longest
        else {
            throw HTTPError(
                .badRequest,
                """
                \(input.url.prefix(100)) cannot be opened: give a URL of ASCII with \(Self.schemes.joined(separator: ", ")), \
                and of at most \(Self.longest) bytes
                """)
        }
        // It is opened where the gateway runs, which is not where a page on a phone is.
        guard request.isFromThisMachine else {
            throw HTTPError(
                .forbidden, "openURL opens on the gateway's own machine alone; open the page there")
        }
        let question = Question("openURL", title: "Open", message: input.url, choices: ["ok", "cancel"])
        guard try await request.present(question) == "ok" else { return Output(result: "cancel") }
        try await open(input.url)
        return Output(result: "ok")
    }
}
