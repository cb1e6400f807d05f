import ArgumentParser
import CTexts

/// The pages that are served without `--root`: the example shop with a log of its calls, and a page per bridge.
struct WelcomePage: Responder {
    static let texts = Texts(command_texts())
    private static let pages = Texts(page_texts())

    private static let files: [String: [UInt8]] = {
        var files = ["/": page]
        for name in ["shop.css", "shop.js", "welcome.css", "welcome.js"] { files["/\(name)"] = texts[name] }
        for (name, bytes) in pages.files where name != "settings.json" {
            files["/pages/\(name)"] = bytes
        }
        files["/pages/"] = pages["index.html"]
        return files
    }()

    /// The shop's page with `welcome.html` and the text of its mocks inserted, because their files are not served.
    private static let page: [UInt8] = {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        return Array(
            text(texts["shop.html"])
                .replacing(
                    "<ol id=\"log\"></ol>\n",
                    with: "<ol id=\"log\"></ol>\n\(text(texts["welcome.html"]))"
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

    /// The mocks of these pages, for calls from these pages only, except getUser; else, as by curl, built-in handlers answer.
    static let mocks = [
        (name: "welcome.json", bytes: texts["welcome.json"], pages: "/"),
        (name: "shop.json", bytes: texts["shop.json"], pages: "/"),
        (name: "settings.json", bytes: pages["settings.json"], pages: "/pages/*"),
    ]

    /// The bridges for the pages of `/pages/`; the file's other settings are for serving that folder alone.
    static func options() throws -> Command {
        let text = FileText("settings.json", pages["settings.json"], isRegular: false)
        var options = try Command.parse([])
        options.pages = try ConfigFile(text, isFound: false).options.pages
        return options
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
