import Drawbridge
import Foundation
import ProgramSupport
import TestSupport
import Testing

/// What a page elsewhere reaches of a command that serves its own page, in Chromium.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PageTests {
    /// Precedents: every local server whose interface a page of another site could reach.
    @Test func aForeignPageReachesNoHandler() async throws {
        let ours = try Program.product("drawbridge", ["-p", "0"])
        // Its own page runtime would bring calls for native home.
        let theirs = try Program.product("drawbridge", ["-p", "0", "--plain", "/*"])
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
