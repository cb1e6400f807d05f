import Drawbridge
import Foundation
import TestSupport
import Testing

/// What the command serves where no folder is named, in real browsers, as a person uses it by keys alone.
@Suite("The welcome page", .serialized, .timeLimit(.minutes(5))) struct WelcomeTests {
    private typealias Key = DrivenBrowser.Key

    @Test(arguments: Browser.tried)
    func theWelcomePagePlaysTheShopsAppAndShowsItsMocks(_ browser: Browser) async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--choose", "share=post"])
        let address = try await drawbridge.address()
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(address)/")
            try await driven.shows("user", "Not signed in")
            try await driven.shows("mock", #""getUser": {"code": 0, "data": {"signedIn": false}},"#)

            try await driven.presses("#login")
            try await driven.shows("user", "Ann, 120 points")
            try await driven.shows(
                "mock", #""getUser": {"code": 0, "data": {"nick": "Ann", "points": 120}},"#)
            // Nobody can be asked here, so the last choice is taken.
            try await driven.expect("document.getElementById('first').hidden", false)
            try await driven.presses("#payByCard")
            try await driven.shows("log", #"pay {"code":6001,"message":"You cancelled the payment."}"#)
            try await driven.shows("mock", #"{"$ask": "Pay €{{input.price}} with the app?", "$choices": {"#)
            try await driven.expect("document.getElementById('first').hidden")
            try await driven.presses("#payByChat")
            try await driven.shows("payment", "You cancelled the payment.")
            try await driven.shows("mock", #""pay": {"$cases": ["#)

            try await driven.presses("[data-on='app/deny-location']")
            try await driven.shows("log", #"app/deny-location {"code":0}"#)
            try await driven.presses("#locate")
            try await driven.shows("place", "The app may not say where you are.")
            try await driven.presses("[data-on='app/deep-link']")
            try await driven.shows("title", "Fog, then gulls")
            try await driven.presses("[data-on='app/offline']")
            try await driven.shows("log", #"app/offline {"code":0}"#)
            try await driven.presses("#locate")
            try await driven.shows("mock", #""*": {"$delay": 500"#)
            try await driven.shows("place", "You are offline.")
            try await driven.presses("[data-on='app/offline']")
            try await driven.shows("log", #"app/online {"code":0}"#)
            try await driven.presses("#locate")
            try await driven.shows("place", "The app may not say where you are.")
            try await driven.presses("#logout")
            try await driven.shows("user", "Not signed in")

            try await driven.presses("#next a[href='/pages/']")
            try await driven.expect("document.title", "Pages of an app")
            try await driven.presses("a[href='everything.html']")
            let answers = "[...document.querySelectorAll('#calls .answer')].map(e => e.textContent)"
            let isAnswered = "e => e.includes('{\"message\":\"Hello by ')"
            try await driven.expect("\(answers).filter(\(isAnswered)).length", 22)
            #expect(try await driven.evaluate("document.querySelector('#calls .waiting')") == .null)
        }
        #expect(try await curl("-i", "\(address)/pages").contains("301"))
        // Who is not a page asks the built-in handlers, as the manual's first lines do.
        #expect(try await curl("\(address)/login?_mobile_bridge=1&user=ann").contains(#""user":"ann""#))
        for word in ["warning", "error"] {
            #expect(!drawbridge.output.contains(word), "\(drawbridge.output)")
        }
        #expect(await drawbridge.stop() == 0)
    }

    @Test(arguments: Browser.tried, [false, true])
    func theWelcomePagesFitEveryScreenAndAreReadable(_ browser: Browser, isDark: Bool) async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0"])
        let address = try await drawbridge.address()
        try await DrivenBrowser.drive(browser, isDark: isDark) { driven in
            for path in ["/", "/pages/"] {
                try await driven.open("\(address)\(path)")
                if path == "/" { try await driven.shows("user", "Not signed in") }
                let isAsAsked = "matchMedia('(prefers-color-scheme: dark)').matches"
                #expect(try await driven.evaluate(isAsAsked) == .bool(isDark))
                for (name, width, height, screens) in [("desktop", 1280, 800, 1.0), ("phone", 390, 844, 3.0)]
                {
                    try await driven.resize(width, height)
                    let place =
                        "\(browser.rawValue)-\(isDark ? "dark" : "light")-\(name)\(path.replacing("/", with: "-"))"
                    try await driven.screenshot(to: Evidence.folder.appending(path: "welcome-\(place).png"))
                    let all = try await driven.evaluate("document.documentElement.scrollHeight / innerHeight")
                    if path == "/" { #expect(try all.decode(Double.self) <= screens, "\(place)") }
                    #expect(try await driven.lowTargets() == [], "\(place)")
                    #expect(try await driven.paleTexts() == [], "\(place)")
                }
                for width in [320, 360, 390, 768, 1280] {
                    try await driven.resize(width, 900)
                    let isWithin =
                        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
                    #expect(try await driven.evaluate(isWithin) == true, "\(path) at \(width)")
                }
            }
        }
        #expect(await drawbridge.stop() == 0)
    }
}

extension DrivenBrowser {
    /// Goes to a control by Tab, sees that it is seen to have the focus, and presses Enter.
    fileprivate func presses(
        _ selector: String, _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // After the last control come the browser's own, so Tab begins at the first.
        let first = "[...document.querySelectorAll('button, a')].find(e => e.offsetHeight)"
        try await evaluate("(\(first).focus(), 1)")
        let hasFocus = "document.activeElement.matches(\(JSON.string(selector)))"
        for _ in 0..<60 where try await evaluate(hasFocus) == false { try await press(Key.tab) }
        let isSeen = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
        #expect(
            try await evaluate("[\(hasFocus), \(isSeen)]") == [true, true],
            "\(browser.rawValue): \(selector)",
            sourceLocation: sourceLocation)
        try await press(Key.enter)
    }

    /// Waits until an element has a text in it.
    fileprivate func shows(
        _ id: String, _ text: String, _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let condition =
            "document.getElementById(\(JSON.string(id))).textContent.includes(\(JSON.string(text)))"
        try await expect(condition, true, sourceLocation)
    }
}
