import Testing

@testable import Drawbridge

/// Errors of pages whose app's bridge is not there, as three engines say them.
@Suite struct BridgeHintTests {
    @Test(arguments: [
        ("Uncaught ReferenceError: flutter_inappwebview is not defined", "--bridge flutter"),
        ("Cannot read properties of undefined (reading 'postMessage')", "--bridge reactnative"),
        ("window.ReactNativeWebView is undefined", "--bridge reactnative"),
        (
            "undefined is not an object (evaluating 'window.ReactNativeWebView.postMessage')",
            "--bridge reactnative"
        ),
        ("Can't find variable: Capacitor", "--bridge capacitor"),
        ("cordova is not defined", "--bridge cordova"),
        ("Android is not defined", "--bridge android"),
        ("KKJSBridge is not defined", "--bridge kkjsbridge"),
        ("Cannot read properties of undefined (reading 'transformCallback')", "--bridge tauri"),
        ("window.__TAURI__ is undefined", "--bridge tauri"),
    ]) func anErrorAboutAMissingBridgeSuggestsItsOption(_ message: String, _ option: String) {
        #expect(BridgeHint(message).map { Lack($0).flag } == option)
    }

    @Test func anErrorAboutWeChatsObjectSuggestsItsOption() throws {
        let lack = Lack(try #require(BridgeHint("WeixinJSBridge is not defined")))
        #expect(lack.value["name"] == "object")
        #expect(lack.value["options"]?["object"] == "WeixinJSBridge")
        #expect(lack.flag.hasPrefix("--bridge 'object={"))
    }

    @Test(arguments: [
        "total is not defined", "Capacitor: no such plugin",
        "Cannot read properties of undefined (reading 'length')",
        "AndroidX is not defined", "dsBridge is not defined", "postMessage is not a function", "",
    ]) func otherErrorsSuggestNoOption(_ message: String) {
        #expect(BridgeHint(message) == nil)
    }

    /// A page that looks whether its bridge is there never fails: its scripts say what it wants.
    @Test func aPageIsToldWhichBridgesItsScriptsUse() async throws {
        let log = LogBook()
        let gateway = PageHandlers.gateway(logger: log.logger)
        gateway.configure { $0.pageFile = ("drawbridge.json", []) }
        let hint = try #require(BridgeHint.named("flutter_inappwebview"))
        let early = TestPage(gateway)
        gateway.remember([(hint, "js/app.js", ["a.html", "shop/index.html"], nil)])
        let sentence =
            #"js/app.js uses window.flutter_inappwebview. Add "bridge": ["flutter"] to drawbridge.json"#
        let isHint: @Sendable (JSON) -> Bool = { $0["log"]?.stringValue == sentence }
        let pages = [early, TestPage(gateway), TestPage(gateway, url: "http://localhost/shop/?a#b")]
        for page in pages {
            _ = try await page.message(isHint)
            // One that also fails is told nothing new.
            page.tell(["fault": "error", "message": "flutter_inappwebview is not defined"])
            #expect(
                page.down.map(\.message).filter { $0["log"]?.stringValue?.contains("bridge") == true }.count
                    == 1)
        }
        #expect(
            TestPage(gateway, url: "http://localhost/other.html").down.map(\.message).filter(isHint).isEmpty)
        #expect(log.entries.filter { $0.contains("bridge") } == ["notice: \(sentence)"])

        let has = PageHandlers.gateway(PageRuntime(bridges: [try .named("flutter")]), logger: log.logger)
        has.remember([(hint, "js/app.js", ["a.html"], nil)])
        #expect(TestPage(has).down.map(\.message).filter(isHint).isEmpty)
        #expect(log.entries.filter { $0.contains("bridge") }.count == 1)
    }

    /// The page may have no bridge where the browser does not name its app, so the option is said, until it is there.
    @Test(arguments: [
        ("WeixinJSBridge", "pay.js", ". It reads", "MicroMessenger/8.0.50"),
        ("flutter_inappwebview", "env.js", ". env.js reads", "ShopApp/3.2"),
    ])
    func forAScriptThatReadsTheUserAgentItsOptionIsSuggested(
        _ name: String, _ reader: String, _ said: String, _ app: String
    ) throws {
        func told(_ runtime: PageRuntime = PageRuntime(), mocks: String = #"{"replies": {"a": 1}}"#) throws
            -> String
        {
            let log = LogBook()
            let gateway = PageHandlers.gateway(runtime, logger: log.logger)
            gateway.reply(by: try SessionTests.layers(mocks))
            let hint = try #require(BridgeHint.named(name))
            gateway.remember([(hint, "pay.js", ["a.html"], reader)])
            return try #require(log.entries.first { $0.contains("pay.js uses window.\(name).") })
        }
        let option =
            "\(said) navigator.userAgent: if it looks there for the app's name, add \"userAgent\": \"{{userAgent}} \(app)\""
        #expect(try told().hasSuffix(option))
        #expect(try told(mocks: #"{"pages": {"/b.html": {"userAgent": "Shop"}}}"#).hasSuffix(option))
        for said in [
            try told(PageRuntime(userAgent: "Shop")), try told(mocks: #"{"userAgent": "Shop"}"#),
            try told(mocks: #"{"pages": {"/a.html": {"userAgent": "Shop"}}}"#),
        ] {
            #expect(!said.contains("userAgent"), "\(said)")
        }
    }

    /// Of the bridge for any object each object is another one.
    @Test(arguments: [("WeixinJSBridge", false), ("AlipayJSBridge", true)])
    func aPageWithWeChatsObjectStillGetsAHintAboutAlipays(_ name: String, _ isTold: Bool) throws {
        let log = LogBook()
        let wechat = try BridgeScript.named("object", options: ["as": "wechat", "object": "WeixinJSBridge"])
        let gateway = PageHandlers.gateway(PageRuntime(bridges: [wechat]), logger: log.logger)
        gateway.remember([(try #require(.named(name)), "pay.js", ["a.html"], nil)])
        #expect(log.entries.contains { $0.contains("pay.js uses window.\(name).") } == isTold)
    }

    @Test func aHintIsShownOncePerPageAndLoggedOnceForEachPath() async throws {
        let log = LogBook()
        let gateway = PageHandlers.gateway(logger: log.logger)
        let fault: JSON = ["fault": "error", "message": "flutter_inappwebview is not defined"]
        let (one, other) = (TestPage(gateway), TestPage(gateway))
        one.tell(fault, fault)
        other.tell(fault)
        let isHint: @Sendable (JSON) -> Bool = { $0["log"]?.stringValue?.contains("flutter") == true }
        _ = try await one.message(isHint)
        _ = try await other.message(isHint)
        #expect(one.down.map(\.message).filter(isHint).count == 1)
        func told(_ text: String) -> [String] { log.entries.filter { $0.contains(text) } }
        #expect(told("add --bridge flutter to the command line").count == 1)

        let missing = TestPage(gateway)
        missing.tell(
            ["missed": "Foo", "of": "webkit.messageHandlers"],
            ["fault": "error", "message": "Cannot read properties of undefined (reading 'postMessage')"],
            ["fault": "error", "message": "Android is not defined"])
        #expect(told("reactnative").isEmpty)
        #expect(told("android").count == 1, "another thing is missing too")

        // A message handler that only the bridge of an app has.
        for (name, bridge) in [
            ("cordova", "cordova"), ("iOS_Native_InjectJavascript", "wkwebviewjavascriptbridge"),
        ] {
            missing.tell(["missed": .string(name), "of": "webkit.messageHandlers"])
            let told = told("messageHandlers.\(name)")
            #expect(told.count == 1 && told[0].contains("Add --bridge \(bridge) to"), "\(told)")
        }

        // A prompt that only the bridge of an app answers; a page may name any.
        for name in ["prompt", "kerkee", "prompt", "other"] {
            missing.tell(["missed": .string(name), "of": "prompt"])
        }
        #expect(told("an answer to prompt()").count == 2)

        let has = PageHandlers.gateway(PageRuntime(bridges: [try .named("flutter")]), logger: log.logger)
        TestPage(has).tell(fault)
        #expect(told("flutter").count == 1)
    }
}
