import Drawbridge
import HTTPTypes

/// The page that is served when no folder is: the shop of the examples, and beside it what plays its app.
struct WelcomePage: Responder {
    private static let files: [String: (bytes: [UInt8], contentType: String)] = [
        "/": (page, "text/html; charset=utf-8"),
        "/shop.css": (PackageResources.shop_css, "text/css; charset=utf-8"),
        "/shop.js": (PackageResources.shop_js, "text/javascript; charset=utf-8"),
        "/welcome.css": (PackageResources.welcome_css, "text/css; charset=utf-8"),
        "/welcome.js": (PackageResources.welcome_js, "text/javascript; charset=utf-8"),
    ]

    /// The shop's page, with what stands beside it, and the text of its mocks, which no page can ask for.
    private static let page: [UInt8] = {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        return Array(
            text(PackageResources.shop_html)
                .replacing(
                    "<ol id=\"log\"></ol>\n",
                    with: "<ol id=\"log\"></ol>\n\(text(PackageResources.welcome_html))"
                )
                .replacing("</head>", with: "<link rel=\"stylesheet\" href=\"welcome.css\">\n</head>")
                .replacing(
                    "</body>",
                    with: """
                        <script type="text/plain" id="mocks">\(mocks.reversed().map { text($0.1) }.joined())</script>
                        <script src="welcome.js"></script>
                        </body>
                        """
                ).utf8)
    }()

    /// The mocks of the shop and of what stands beside it, for this page alone: whoever asks by another way, as by curl, asks
    /// the built-in handlers.
    static let mocks = [
        ("welcome.json", PackageResources.welcome_json), ("shop.json", PackageResources.shop_json),
    ]

    func respond(to request: Request) async throws -> Response? {
        guard let file = Self.files[request.path], request.method == .get || request.method == .head else {
            return nil
        }
        var response = Response(bytes: file.bytes, contentType: file.contentType)
        response.headers[.cacheControl] = "no-cache"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }
}
