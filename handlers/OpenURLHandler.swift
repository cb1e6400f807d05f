import Drawbridge

/// Opens a URL outside the page if the person allows it, and answers `{"result":"ok"}` or `{"result":"cancel"}`.
///
/// ```
/// curl 'http://127.0.0.1:8080/openURL?_mobile_bridge=1&url=https://example.com'
/// ```
public struct OpenURLHandler: JSONHandler {
    /// The URL to open.
    public struct Input: Decodable, Sendable {
        var url: String
    }

    /// The decision: `ok` or `cancel`.
    public struct Output: Encodable, Sendable {
        var result: String
    }

    /// On a thread of its own, because starting a program blocks for a moment; a person may take their time.
    public static let options = HandlerOptions(deadline: nil, execution: .thread)

    /// The schemes that may be opened.
    ///
    /// With other schemes, a page could start any program on the person's machine, with arguments of its choice.
    private static let schemes = ["http", "https", "mailto", "tel", "sms"]

    /// The most bytes of a URL: the person who is asked must be able to see all of it.
    private static let longest = 1000

    private let request: Request
    private let open: @Sendable (String) async throws -> Void

    /// Makes a handler for a request; `open` is called with the URL after the person has agreed.
    public init(request: Request, open: @escaping @Sendable (String) async throws -> Void) {
        self.request = request
        self.open = open
    }

    /// Asks the person, and opens the URL if they agree.
    ///
    /// - Throws: an `HTTPError` 400 for an invalid URL or another scheme, 403 for a page on another machine.
    public func handle(_ input: Input) async throws -> Output {
        let scheme = input.url.prefix { $0 != ":" }.lowercased()
        guard Self.schemes.contains(scheme), input.url.count > scheme.count + 1,
            input.url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), input.url.utf8.count <= Self.longest
        else {
            throw HTTPError(
                .badRequest,
                """
                \(input.url.prefix(100)) cannot be opened: give an ASCII URL with the scheme \(Self.schemes.joined(separator: ", ")), \
                of at most \(Self.longest) bytes
                """)
        }
        // The URL would be opened where the gateway runs, and not on the phone on which the page is.
        guard request.isFromThisMachine else {
            throw HTTPError(
                .forbidden, "openURL only works on the gateway's own machine; open the page there")
        }
        let question = Question("openURL", title: "Open", message: input.url, choices: ["ok", "cancel"])
        guard try await request.present(question) == "ok" else { return Output(result: "cancel") }
        try await open(input.url)
        return Output(result: "ok")
    }
}
