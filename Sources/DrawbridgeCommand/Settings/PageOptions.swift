import ArgumentParser

/// Options for what is injected into pages, such as bridges and the user agent.
struct PageOptions: ParsableArguments {
    @Option(
        "name", "The app's own URL scheme, as in mizhua://fetch_message. Repeatable, or with commas.")
    var scheme: [String] = []

    @Option(
        "name",
        "Query parameter with the call's name: app://host?action=home.", usual: "the host"
    )
    var commandItem: String?

    @Option(
        "name",
        "A message handler in window.webkit.messageHandlers. Repeatable, or with commas.", usual: "JSBridge",
        more: "name=reply: postMessage returns a promise. *: every answered name.")
    var messageHandler: [String] = []

    @Option(
        "name",
        "A global function that returns its result: callNative, fetchMessages. Repeatable, or with commas.",
        more: "*: every name that is answered.")
    var inject: [String] = []

    @Option(
        "name",
        "An object with a function per name: MyApp.share(data, callback). Repeatable, or with commas.")
    var shortcuts: [String] = []

    @Option(
        "name", "One more bridge, shipped or yours. Repeatable.",
        more: """
            Shipped are \(BridgeScript.shipped.joined(separator: ", ")); a script is ./mine.js. With options: \
            'object={"object": "WeixinJSBridge"}'.
            """)
    var bridge: [BridgeOption] = []

    @Option(
        "text",
        "The user agent that pages see; {{userAgent}} is the browser's own: '{{userAgent}} ShopApp/3.2'.")
    var userAgent: String?

    @Flag(
        "Call the page's callback with an error when nobody answers a name.",
        usual: "never call it, as apps do"
    )
    var answerMissing: Bool?

    @Flag(
        "Answer requests with {\"code\", \"data\", \"message\"}, or with the value alone.",
        usual: "--envelope"
    )
    var envelope: Bool?

    @Option(
        oneOf: "who", "Who answers inside your app: app (its own bridges) or mocks, as in a browser.",
        usual: "app")
    var inApp: PageRuntime.InApp?

    @Option(
        oneOf: "where",
        "Show questions over the page: auto: if a person opened the page on this machine; page: always, even in tests; off.",
        usual: "auto")
    var ask: Question.Asking?

    @Option(
        "path", "A path whose documents get no script: /plain.html, /docs/*. Repeatable, or with commas.",
        more: "/*: no script at all, and no bridges.")
    var plain: [String] = []

    /// The settings that apply to each document that is loaded after a change, by key, and whether they are given.
    static let live: [String: @Sendable (PageOptions) -> Bool] = [
        "scheme": { !$0.scheme.isEmpty }, "command-item": { $0.commandItem != nil },
        "message-handler": { !$0.messageHandler.isEmpty }, "inject": { !$0.inject.isEmpty },
        "shortcuts": { !$0.shortcuts.isEmpty }, "bridge": { !$0.bridge.isEmpty },
        "answer-missing": { $0.answerMissing != nil }, "in-app": { $0.inApp != nil },
        "ask": { $0.ask != nil },
        "plain": { !$0.plain.isEmpty },
    ]

    func validate() throws {
        try check("--scheme", scheme.names, "write its name alone, for instance mizhua", Lack.isScheme)
        try check(
            "--scheme", scheme.names,
            "browsers use it themselves, and pages could no longer load anything by it; write the app's own, for instance mizhua"
        ) { !Lack.browsersOwn.contains($0.lowercased()) }
        if let userAgent, AppName(userAgent) == nil {
            throw ValidationError(
                "--user-agent: write a text in ASCII, in which only {{userAgent}} is in braces, for instance "
                    + "'{{userAgent}} ShopApp/3.2'")
        }
        let end = "* matches the rest of a path, so it must be at the end; write :name for one part"
        try check("--plain", plain.names, end, RoutePattern.isPattern)
        try check("--plain", plain.names, "a path begins with /, as /docs/* does") { $0.hasPrefix("/") }
        for (flag, names) in [
            ("message-handler", Self.handlers(messageHandler).map(\.name)), ("inject", inject.names),
            ("shortcuts", shortcuts.names),
        ] {
            try check("--\(flag)", names, "it is not a name that a script could use") {
                Lack.isIdentifier($0) || $0 == "*" && flag != "shortcuts"
            }
        }
        try check(
            "--shortcuts", shortcuts.names,
            "browsers have an object of this name, which scripts would lose; name your app's object: MyApp"
        ) { !Names["window"].contains($0) }
    }

    /// The names of message handlers, and whether `postMessage` of each returns a promise (`name=reply`).
    static func handlers(_ lists: [String]) -> [(name: String, replies: Bool)] {
        lists.names.map { text in
            text.hasSuffix("=reply") ? (String(text.dropLast("=reply".count)), true) : (text, false)
        }
    }
}
