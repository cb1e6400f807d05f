import Drawbridge
import Testing

@testable import DrawbridgeCommand

/// Which bridges the pages of a folder want and are not given; where that is not certain, nothing is said.
@Suite struct SpokenBridgesTests {
    /// Each as `file: option, pages`.
    private static func found(
        _ files: [(String, String)], given runtime: PageRuntime = PageRuntime()
    ) -> [String] {
        var spoken = SpokenBridges(runtime)
        for (path, text) in files { spoken.read(Script(Array(text.utf8), path: path)) }
        return spoken.found.map { bridge in
            "\(bridge.file): \(bridge.hint.name) \(bridge.pages.sorted().joined(separator: " "))"
        }
    }

    private static let flutter = "if (window.flutter_inappwebview) flutter_inappwebview.callHandler('pay')"

    /// Which page loads which script is not read.
    @Test func aScriptIsAssumedToBelongToAnyPage() {
        let files = [
            ("index.html", "<script src='js/app.js?v=1'></script>"),
            ("shop/index.html", "<script>\(Self.flutter)</script>"),
            ("other.html", "<script>fetch('/pay?_mobile_bridge=1')</script>"), ("js/app.js", Self.flutter),
        ]
        #expect(
            Self.found(files) == [
                "shop/index.html: flutter_inappwebview shop/index.html",
                "js/app.js: flutter_inappwebview index.html shop/index.html",
            ])
    }

    @Test func aScriptWithoutPagesIsReportedByItself() {
        #expect(Self.found([("app.js", Self.flutter)]) == ["app.js: flutter_inappwebview "])
    }

    @Test func aBridgeIsNotReportedWhereItIsGivenOrAnotherOneIsUsed() throws {
        let given = PageRuntime(bridges: [try .named("flutter")])
        #expect(Self.found([("a.js", Self.flutter)], given: given).isEmpty)
        let both = "\(Self.flutter); if (window.ReactNativeWebView) ReactNativeWebView.postMessage('a')"
        #expect(Self.found([("a.js", both)]).count == 2)
        #expect(Self.found([("a.js", both)], given: given).isEmpty, "it is written for two apps, and has one")
        for other in [
            "fetch('/pay?_mobile_bridge=1')", "webkit.messageHandlers.JSBridge.postMessage({action: 'pay'})",
            "f.src = 'https://__bridge_loaded__'", "f.src = 'wvjbscheme://__BRIDGE_LOADED__'",
        ] {
            #expect(Self.found([("a.js", "\(Self.flutter); \(other)")]).isEmpty, "\(other)")
            let page = "<script src=a.js></script><script>\(other)</script>"
            #expect(Self.found([("a.js", Self.flutter), ("index.html", page)]).isEmpty, "\(other)")
        }
        let queue = "\(Self.flutter); f.src = 'shop://pay'"
        #expect(Self.found([("a.js", queue)]).count == 1)
        #expect(Self.found([("a.js", queue)], given: PageRuntime(schemes: ["shop"])).isEmpty)
    }

    /// A page that looks for its app's name there first calls nobody where it does not find it.
    @Test(arguments: [
        ("\(flutter); const agent = navigator.userAgent", "", "a.js"),
        (flutter, "export const { userAgent } = navigator;", "env.js"),
        ("\(flutter); if (/ShopApp/.test(window.navigator.userAgent)) run();", "navigator.userAgent", "a.js"),
        ("\(flutter); agent.userAgent = 'a'", "const settings = { userAgent: 'b' };", nil),
    ])
    func theScriptThatReadsTheUserAgentIsNamed(_ script: String, _ other: String, _ reader: String?) throws {
        var spoken = SpokenBridges(PageRuntime())
        for (path, text) in [("env.js", other), ("a.js", script)] {
            spoken.read(Script(Array(text.utf8), path: path))
        }
        #expect(spoken.found.map(\.readerOfUserAgent) == [reader])
    }

    @Test func aBridgeThatThePageBringsItselfIsNotReported() {
        #expect(
            Self.found([("a.js", Self.flutter), ("mock.js", "window.flutter_inappwebview = {}")]).isEmpty)
    }

    /// WeChat's object is another bridge than Alipay's, though one script gives both.
    @Test func aPageGivenWeChatsObjectStillGetsAHintAboutAlipays() throws {
        let alipay = "if (window.AlipayJSBridge) AlipayJSBridge.call('pay')"
        for name in ["object", "wechat"] {
            let wechat = PageRuntime(
                bridges: [try .named("object", options: ["as": .string(name), "object": "WeixinJSBridge"])])
            #expect(Self.found([("a.js", alipay)], given: wechat).count == 1)
            #expect(Self.found([("a.js", "\(alipay); WeixinJSBridge.invoke('pay')")], given: wechat).isEmpty)
        }
    }

    /// Two files whose names are one text in two spellings, and a script that says the same again and again.
    @Test func unusualFileNamesAndLongScriptsAreRead() {
        #expect(Self.found([("\u{E9}.js", Self.flutter), ("e\u{301}.js", Self.flutter)]).count == 2)
        let many = String(repeating: "Android.share('a');", count: 2000)
        #expect(Self.found([("a.js", many)]) == ["a.js: Android "])
    }
}
