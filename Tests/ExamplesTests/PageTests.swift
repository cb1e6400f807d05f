import Drawbridge
import Foundation
import Testing

/// The page that the command serves, in Chromium.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PageTests {
    @Test func everyButtonIsAnswered() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0", "--answer", "alert=ok"])
        let address = try await drawbridge.address()
        let browser = try await Chromium()
        try await browser.open("\(address)/")

        let token = try Regex("[0-9a-f]{32}")
        let expected: [(String, String)] = [
            ("echo", #"{"code":200,"data":{"message":"Hello"},"message":""}"#),
            ("echo-sync", #"{"code":200,"data":{"message":"At once","list":[1,2,3]},"message":""}"#),
            ("login", #"{"code":200,"data":{"user":"ann","token":"TOKEN"},"message":""}"#),
            ("login-sync", #"{"code":200,"data":{"user":"ann","token":"TOKEN"},"message":""}"#),
            ("alert", #"{"code":200,"data":{"result":"ok"},"message":""}"#),
            ("nobody", #"{"code":400,"message":"No response"}"#),
        ]
        for (id, answer) in expected {
            let shown = try await browser.evaluate(
                """
                document.querySelector('#\(id) button').click();
                new Promise(done => {
                    const place = document.querySelector('#\(id) .response');
                    const look = () => place.textContent.length > 1 ? done(place.textContent) : setTimeout(look, 5);
                    look();
                })
                """)
            let lines = shown.stringValue?.split(separator: "\n").map(String.init) ?? []
            #expect(lines.first?.hasPrefix("HTTP 200, ") == true)
            #expect(lines.dropFirst().first?.replacing(token, with: "TOKEN") == answer)
        }
        #expect(
            try await browser.evaluate("document.querySelector('#nobody .response').textContent").stringValue?
                .contains("the nearest registered path is /echo") == true)

        try await browser.screenshot("page-desktop")
        try await browser.show(width: 390, height: 1400, scheme: "dark")
        #expect(try await browser.evaluate("document.documentElement.scrollWidth <= innerWidth") == true)
        try await browser.screenshot("page-phone-dark")
    }

    /// Precedents: every local server whose interface a page of another site could reach.
    @Test func aForeignPageReachesNoHandler() async throws {
        let ours = try Program.product("drawbridge", ["-p", "0"])
        let theirs = try Program.product("drawbridge", ["-p", "0"])
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
