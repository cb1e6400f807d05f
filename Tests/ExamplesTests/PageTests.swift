import Drawbridge
import Foundation
import TestSupport
import Testing

/// The page that the command serves where no folder is named, in Chromium.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PageTests {
    @Test func theShopsAppIsPlayedAndItsMocksAreShown() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--choose", "share=post"])
        let address = try await drawbridge.address()
        let browser = try await Chromium()
        try await browser.open("\(address)/")
        try await browser.waits(for: "user", "Not signed in")
        try await browser.waits(for: "mock", #""getUser": {"code": 401, "message": "Not signed in"},"#)

        try await browser.press("#login")
        try await browser.waits(for: "user", "Ann, 120 points")
        try await browser.waits(
            for: "mock", #""getUser": {"code": 0, "data": {"nick": "Ann", "points": 120}},"#)
        try await browser.press("#payByChat")
        try await browser.waits(for: "payment", "You cancelled the payment.")
        try await browser.waits(for: "mock", #""pay": {"$cases": ["#)

        try await browser.press("[data-on='app/deny-location']")
        try await browser.waits(for: "log", #"app/deny-location {"code":0}"#)
        try await browser.press("#locate")
        try await browser.waits(for: "place", "The app may not say where you are.")
        try await browser.press("[data-on='app/deep-link']")
        try await browser.waits(for: "title", "Fog, then gulls")
        try await browser.press("[data-on='app/offline']")
        try await browser.waits(for: "log", #"app/offline {"code":0}"#)
        try await browser.press("#logout")
        try await browser.waits(for: "mock", #""*": {"$delay": 500"#)
        try await browser.waits(for: "user", "You are offline.")
        try await browser.press("[data-on='app/offline']")
        try await browser.waits(for: "log", #"app/online {"code":0}"#)
        try await browser.press("#logout")
        try await browser.waits(for: "user", "Not signed in")

        // Who is no page asks the built-in handlers, as the manual's first lines do.
        #expect(try await curl("\(address)/login?_mobile_bridge=1&user=ann").contains(#""user":"ann""#))
        #expect(!drawbridge.output.contains("warning"), "\(drawbridge.output)")
    }

    @Test func itFitsItsScreens() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0"])
        let browser = try await Chromium()
        try await browser.open(drawbridge.address() + "/")
        try await browser.waits(for: "user", "Not signed in")
        for (name, width, height, screens) in [("desktop", 1280, 800, 1.0), ("phone", 390, 844, 3.0)] {
            for scheme in ["light", "dark"] {
                try await browser.show(width: width, height: height, scheme: scheme)
                try await browser.screenshot("page-\(name)-\(scheme)")
                let height = try await browser.evaluate("document.documentElement.scrollHeight / innerHeight")
                #expect(try height.decode(Double.self) <= screens, "\(name)")
                #expect(try await browser.evaluate(Self.small) == [])
                #expect(try await browser.evaluate(Self.pale) == [], "\(name), \(scheme)")
            }
        }
        for width in [320, 360, 390, 768, 1280] {
            try await browser.show(width: width, height: 900)
            let isWithin = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            #expect(try await browser.evaluate(isWithin) == true, "at \(width)")
        }
    }

    /// What a finger would miss.
    private static let small = """
        Array.from(document.querySelectorAll('button, a')).filter(each => each.offsetHeight && each.offsetHeight < 44)
            .map(each => each.textContent)
        """

    /// Texts whose contrast is below 4.5 to 1 (WCAG 2.2, 1.4.3).
    private static let pale = """
        (() => {
            const numbers = color => color.match(/[\\d.]+/g).map(Number);
            const light = color => numbers(color).slice(0, 3).map(each => each / 255)
                .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
                .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
            const ground = element => {
                const color = getComputedStyle(element).backgroundColor;
                return numbers(color)[3] === 0 && element.parentElement ? ground(element.parentElement) : color;
            };
            const texts = Array.from(document.querySelectorAll('body *')).filter(element => element.offsetHeight &&
                Array.from(element.childNodes).some(node => node.nodeType === 3 && node.textContent.trim()));
            return texts.filter(element => {
                const both = [light(getComputedStyle(element).color), light(ground(element))].sort((a, b) => b - a);
                return (both[0] + 0.05) / (both[1] + 0.05) < 4.5;
            }).map(element => element.textContent.trim().slice(0, 40));
        })()
        """

    /// Precedents: every local server whose interface a page of another site could reach.
    @Test func aForeignPageReachesNoHandler() async throws {
        let ours = try Program.product("drawbridge", ["-p", "0"])
        // Its own page runtime would bring calls for native home.
        let theirs = try Program.product("drawbridge", ["-p", "0", "--no-page-runtime"])
        let target = try await ours.address()
        let browser = try await Chromium()
        // The same machine by another name is another site.
        try await browser.open(theirs.address().replacing("127.0.0.1", with: "localhost") + "/")
        let seen = try await browser.evaluate(
            """
            (async () => {
                const target = '\(target)';
                const outcome = work => work.then(r => 'type ' + r.type, e => 'refused');
                const image = new Promise(done => {
                    const image = new Image();
                    image.onload = image.onerror = done;
                    image.src = target + '/echo?_mobile_bridge=1&way=image';
                });
                const script = new Promise(done => {
                    const script = document.createElement('script');
                    script.onload = script.onerror = done;
                    script.src = target + '/echo?_mobile_bridge=1&way=script';
                    document.head.append(script);
                });
                await image;
                await script;
                const results = [];
                results.push(await outcome(fetch(target + '/echo?_mobile_bridge=1&way=fetch')));
                results.push(await outcome(fetch(target + '/echo?_mobile_bridge=1&way=blind', {mode: 'no-cors'})));
                results.push(await outcome(fetch(target + '/__jsbridge__',
                    {method: 'POST', mode: 'no-cors', body: '{"action":"echo","data":"post"}'})));
                navigator.sendBeacon(target + '/__jsbridge__/echo', '{"data":"beacon"}');
                return results;
            })()
            """)
        guard case .array(let results) = seen else {
            Issue.record("\(seen)")
            return
        }
        #expect(results.first == "refused")
        for refused in [
            "way=image", "way=script", "way=fetch", "way=blind", "POST /__jsbridge__  ",
            "POST /__jsbridge__/echo  ",
        ] {
            #expect(try await ours.line(with: refused).contains("  refused  403  "))
        }
        #expect(!ours.output.contains("handler EchoHandler"), "\(ours.output)")
    }
}

extension Chromium {
    fileprivate func press(_ selector: String) async throws {
        try await evaluate("document.querySelector(\(JSON.string(selector))).click()")
    }

    /// Waits until an element has a text in it; the time limit of the test ends what never comes.
    fileprivate func waits(for id: String, _ text: String) async throws {
        let condition =
            "document.getElementById(\(JSON.string(id))).textContent.includes(\(JSON.string(text)))"
        while try await evaluate(condition) != true { try await Task.sleep(for: .milliseconds(20)) }
    }
}
