import Drawbridge
import Foundation
import TestSupport
import Testing

/// Pages that keep to themselves where they are: `Referrer-Policy: no-referrer`.
@Suite("Pages without a referrer", .serialized, .timeLimit(.minutes(5))) struct QuietPageTests {
    /// A form, a beacon and a blind POST have `Origin: null` there, in Firefox all of them.
    private static let page = """
        <!doctype html><meta name="referrer" content="no-referrer"><title>Quiet</title>
        <form id="form" method="post" action="/form?_mobile_bridge=1" target="to"><input name="a"></form>
        <iframe name="to"></iframe><script>
        onload = () => {
            document.getElementById('form').submit();
            navigator.sendBeacon('/beacon?_mobile_bridge=1', '{}');
            fetch('/blind?_mobile_bridge=1', { method: 'POST', mode: 'no-cors', body: '{}' });
            fetch('/fetch?_mobile_bridge=1', { method: 'POST', body: '{}' });
            new Image().src = '/image?_mobile_bridge=1';
        };
        </script>
        """

    @Test(arguments: Browser.tried)
    func itsOwnRequestsReachNative(_ browser: Browser) async throws {
        let folder = try Folder()
        try folder.write("index.html", Self.page)
        let names = ["form", "beacon", "blind", "fetch", "image"]
        let served = try await ServedFolder(folder.path, more: names.flatMap { ["--reply", "\($0)=1"] })
        let calls = try await browser.open("\(served.address)/") {
            for name in names { _ = try await served.ask("GET", "calls?name=\(name)&seconds=60") }
            return try await served.ask("GET", "calls")["calls"]?.arrayValue ?? []
        }
        #expect(Set(calls.compactMap { $0["name"]?.stringValue }) == Set(names))
        #expect(calls.allSatisfy { $0["state"] == "answered" }, "\(calls)")
        #expect(!served.program.output.contains("refused"))
        _ = await served.program.stop()
    }
}
