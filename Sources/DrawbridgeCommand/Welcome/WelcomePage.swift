import Drawbridge
import DrawbridgeServer
import HTTPTypes

/// What is served when no folder is: the shop of the examples, and beside it what plays its app; and a page for each
/// bridge.
struct WelcomePage: Responder {
    private static let files: [String: [UInt8]] = [
        "/": page,
        "/shop.css": PackageResources.shop_css, "/shop.js": PackageResources.shop_js,
        "/welcome.css": PackageResources.welcome_css, "/welcome.js": PackageResources.welcome_js,
        "/pages/": PackageResources.index_html, "/pages/index.html": PackageResources.index_html,
        "/pages/show.js": PackageResources.show_js, "/pages/style.css": PackageResources.style_css,
        "/pages/android.html": PackageResources.android_html,
        "/pages/capacitor.html": PackageResources.capacitor_html,
        "/pages/cordova.html": PackageResources.cordova_html,
        "/pages/dsbridge.html": PackageResources.dsbridge_html,
        "/pages/everything.html": PackageResources.everything_html,
        "/pages/flutter.html": PackageResources.flutter_html,
        "/pages/functions.html": PackageResources.functions_html,
        "/pages/jsbridge.html": PackageResources.jsbridge_html,
        "/pages/kkjsbridge.html": PackageResources.kkjsbridge_html,
        "/pages/messages.html": PackageResources.messages_html,
        "/pages/queue.html": PackageResources.queue_html,
        "/pages/reactnative.html": PackageResources.reactnative_html,
        "/pages/shortcuts.html": PackageResources.shortcuts_html,
        "/pages/wechat.html": PackageResources.wechat_html, "/pages/wvjb.html": PackageResources.wvjb_html,
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

    /// The mocks of these pages, for them alone: whoever asks by another way, as by curl, asks the built-in handlers.
    static let mocks = [
        (name: "welcome.json", bytes: PackageResources.welcome_json, pages: "/"),
        (name: "shop.json", bytes: PackageResources.shop_json, pages: "/"),
        (name: "settings.json", bytes: PackageResources.settings_json, pages: "/pages/*"),
    ]

    /// The settings of the pages for each bridge.
    static func options() throws -> Options {
        let text = FileText("settings.json", PackageResources.settings_json, isRegular: false)
        return try ConfigFile(text, isFound: false).options
    }

    func respond(to request: Request) async throws -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        if request.path == "/pages" { return Response(.movedPermanently, headers: [.location: "/pages/"]) }
        guard let bytes = Self.files[request.path] else { return nil }
        let name = request.path.hasSuffix("/") ? "index.html" : request.path
        var response = Response(bytes: bytes, contentType: MediaType.ofText(name))
        response.headers[.cacheControl] = "no-cache"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }
}
