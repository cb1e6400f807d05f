import Drawbridge
import Foundation
import TestSupport
import Testing

/// Pages that fail without their app's bridge, as each engine says it.
@Suite("Pages without their bridge", .serialized, .timeLimit(.minutes(5))) struct BridgeHintPageTests {
    private static let pages = [
        ("Android.pay('{}')", "android"),
        ("Capacitor.nativePromise('App', 'pay', {})", "capacitor"),
        ("webkit.messageHandlers.cordova.postMessage(['a', 'App', 'pay', []])", "cordova"),
        ("_dsbridge.call('pay', '{}')", "dsbridge"),
        ("flutter_inappwebview.callHandler('pay')", "flutter"),
        ("KKJSBridge.call('App', 'pay', {})", "kkjsbridge"),
        ("window.__TAURI_INTERNALS__.invoke('pay')", "tauri"),
        ("window.ReactNativeWebView.postMessage('{}')", "reactnative"),
        ("WeixinJSBridge.invoke('pay', {})", #"{"name":"object","options":{"object":"WeixinJSBridge","#),
        ("AlipayJSBridge.call('pay', {})", #"{"name":"object","options":{"object":"AlipayJSBridge","#),
        ("window.WebViewJavascriptBridge.callHandler('pay')", "webviewjavascriptbridge"),
        (
            "webkit.messageHandlers.iOS_Native_InjectJavascript.postMessage(null)",
            "wkwebviewjavascriptbridge"
        ),
    ]

    /// What was said in the page's console, which is the page's own object.
    private static let hearing = """
        <script>said = [];
        for (const level of ['log', 'info', 'warn', 'error']) {
            const was = console[level];
            console[level] = (...words) => { said.push(words.join(' ')); was.apply(console, words); };
        }</script>
        """

    /// Each page fails where only a run tells, twice; nothing is on its `window` that other pages do not have.
    @Test(arguments: Browser.tried) func logConsoleAndJournalNameTheMissingBridgeOptionOnce(
        _ browser: Browser
    )
        async throws
    {
        let folder = try Folder()
        for (index, (script, _)) in Self.pages.enumerated() {
            let hidden = "<script>eval(atob('\(Data(script.utf8).base64EncodedString())'))</script>"
            try folder.write("\(index).html", "<!doctype html>\(Self.hearing)\(hidden)\(hidden)")
        }
        try folder.write("plain.html", "<!doctype html>\(Self.hearing)")
        let site = try await ServedFolder(folder.path)
        let options = Self.pages.map { "dd \"bridge\": [\($0.1.hasPrefix("{") ? $0.1 : "\"\($0.1)\"")" }
        let names = "Object.getOwnPropertyNames(window).filter(isNaN)"
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/plain.html")
            // From its second script on a driver has names of its own there.
            _ = try await browser.evaluate(names)
            let plain = try await browser.evaluate(names).decode(Set<String>.self)
            for (index, option) in options.enumerated() {
                try await browser.open("\(site.address)/\(index).html")
                _ = try await site.program.line(with: option)
                let told = "said.filter(text => text.includes(\(JSON.string(option)))).length"
                try await browser.expect(told, 1)
                let found = try await browser.evaluate(names).decode(Set<String>.self)
                #expect(found.subtracting(plain) == [], "\(option)")
            }
        }
        let notices = try await "\(site.ask("GET", "calls?kind=notice"))"
        for option in options {
            let output = site.program.output
            #expect(output.components(separatedBy: option).count == 2, "\(option): \(output)")
            let inJSON = "\(JSON.string(option))".dropFirst().dropLast()
            #expect(notices.components(separatedBy: inJSON).count == 2, "\(option): \(notices)")
        }
        #expect(await site.program.stop() == 0)
    }

    /// The object is there, and the method is not, since nothing answers it.
    @Test(arguments: Browser.tried) func aMethodOfAndroidsThatNothingAnswersIsTold(_ browser: Browser)
        async throws
    {
        let folder = try Folder()
        try folder.write("index.html", "<!doctype html>\(Self.hearing)<script>Android.pay('{}')</script>")
        let site = try await ServedFolder(folder.path, "--bridge", "android", "--reply", "Android/share=1")
        let text = "looked for Android.pay, which does not exist: no handler at /Android/pay"
        try await DrivenBrowser.drive(browser) { browser in
            try await browser.open("\(site.address)/")
            try await browser.expect("said.filter(text => text.includes('\(text)')).length", 1)
            try await browser.expect("Object.keys(Android)", ["share"])
        }
        _ = try await site.program.line(with: text)
        #expect(try await "\(site.ask("GET", "calls?kind=notice"))".contains(text))
        #expect(await site.program.stop() == 0)
    }

    /// In a frame in which the browser asks nobody.
    @Test(arguments: Browser.tried) func aPromptThatOnlyAnAppAnswersSuggestsItsBridgeOnce(
        _ browser: Browser
    ) async throws {
        let folder = try Folder()
        let prompts = [
            ("prompt", #"prompt('{"method": "pay"}')"#), ("kerkee", #"prompt('{"clz":"Shop"}')"#),
            ("cordova", "prompt('', 'gap_init:3')"),
        ]
        for (name, script) in prompts {
            let frame = #"<iframe sandbox="allow-scripts allow-same-origin" src="\#(name)-frame.html">"#
            try folder.write("\(name).html", "<!doctype html>\(frame)")
            let persons = ["[y/n]", "{name}, who are you?", #"["a", "b"]"#, "{"]
            let asked = persons.map { "prompt(\(JSON.string($0)), '{}');" }.joined()
            let twice = "<script>\(asked) \(script); \(script)</script>"
            try folder.write("\(name)-frame.html", "<!doctype html>\(Self.hearing)\(twice)")
        }
        let site = try await ServedFolder(folder.path)
        let part = "looked for an answer to prompt()"
        try await DrivenBrowser.drive(browser) { browser in
            for (name, _) in prompts {
                try await browser.open("\(site.address)/\(name).html")
                let told = "(frames[0].said || []).filter(text => text.includes('\(part)'))"
                try await browser.expect("\(told).length", 1)
                try await browser.expect(#"\#(told)[0].includes('"bridge": ["\#(name)"] to ')"#, true)
            }
        }
        #expect(site.program.output.components(separatedBy: part).count == prompts.count + 1)
        #expect(await site.program.stop() == 0)
    }
}
