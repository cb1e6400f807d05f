import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// The link of the inspector in real browsers: whom it lets in.
@Suite("The inspector's link in browsers", .serialized, .timeLimit(.minutes(5))) struct InspectorLinkTests {
    private static let gate = "document.getElementById('gate').textContent"

    @Test(arguments: Browser.tried) func aTabOpenedByTheLinkKeepsItsAccessAfterAReload(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite()
        try await DrivenBrowser.drive(browser) { driven in
            let link = site.inspector.drawLink()
            try await driven.open(link)
            try await driven.expect("document.getElementById('connection').textContent", "live")
            #expect(try await driven.evaluate("location.href").stringValue == site.inspector.origin + "/")
            #expect(try await driven.evaluate("document.cookie") == "")
            try await driven.expect(
                "document.getElementById('empty').textContent.includes(\(JSON.string(site.address)))")
            try await driven.reload()
            try await driven.expect("document.getElementById('connection').textContent", "live")
            // Neither what the browser keeps of where it was nor what it keeps for the site has the ticket.
            let kept = try await driven.evaluate("[localStorage.length, document.referrer, history.length]")
            #expect(kept[0] == 0 && kept[1] == "", "\(kept)")

            try await driven.openWindow(link)
            try await driven.expect("document.getElementById('gate').hidden", false)
            let words = try await driven.evaluate(Self.gate).stringValue ?? ""
            #expect(words.contains("was already used") && words.contains("Type i and Enter"), "\(words)")
            #expect(try await driven.evaluate("document.getElementById('app').hidden") == true)
            #expect(try await driven.evaluate("location.hash + sessionStorage.length") == "0")

            // A new link is good in the tab that was refused, though it differs by its fragment alone.
            try await driven.evaluate(
                "void (location.hash = \(JSON.string(String(site.inspector.drawLink().suffix(32)))))")
            try await driven.expect("document.getElementById('connection')?.textContent", "live")
            #expect(try await driven.evaluate("location.hash") == "")
        }
        await site.stop()
    }

    /// A second profile has nothing of the first.
    @Test(arguments: Browser.tried) func aUsedLinkGivesAnotherBrowserProfileNoAccess(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite()
        let link = site.inspector.drawLink()
        for isFirst in [true, false] {
            try await DrivenBrowser.drive(browser) { driven in
                try await driven.open(link)
                try await driven.expect(
                    "document.getElementById('app').hidden === document.getElementById('gate').hidden", false)
                #expect(try await driven.evaluate("document.getElementById('gate').hidden") == .bool(isFirst))
            }
        }
        await site.stop()
    }

    @Test(arguments: Browser.tried) func aSwitchBesideTheQRCodeLetsMocksAnswerInTheApp(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite()
        site.gateway.configure {
            $0.links = { [["url": .string("http://192.0.2.7:8080/#\($0)"), "code": ["101", "010", "101"]]] }
        }
        let box = "document.querySelector('.phone input')"
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open(site.inspector.drawLink())
            try await driven.expect("document.getElementById('connection').textContent", "live")
            try await driven.click("document.getElementById('tab-pages')")
            try await driven.click("document.querySelector('.phone button')")
            for isOn in [true, false] {
                try await driven.expect("\(box)?.checked", .bool(!isOn))
                try await driven.click(box)
                try await driven.expect("\(box)?.checked", .bool(isOn))
                #expect(site.gateway.pageRuntime?.inApp == (isOn ? .mocks : .app))
            }
            if let folder = ProcessInfo.processInfo.environment["DRAWBRIDGE_LOOK"] {
                try await driven.screenshot(to: URL(filePath: "\(folder)/phone.png"))
            }
        }
        await site.stop()
    }

    /// A page that has the inspector in a frame, or has opened it, could lead a person's clicks.
    @Test(arguments: Browser.tried) func theInspectorShowsNothingInAFrameOrWithAnOpener(_ browser: Browser)
        async throws
    {
        let site = try InspectedSite()
        try await DrivenBrowser.drive(browser) { driven in
            // A page of the gateway's.
            try await driven.open(site.address)
            let framed = JSON.string(site.inspector.drawLink())
            try await driven.evaluate(
                """
                new Promise(done => {
                    const frame = document.createElement('iframe');
                    frame.onload = done;
                    setTimeout(done, 3000);
                    frame.src = \(framed);
                    document.body.append(frame);
                })
                """)
            #expect(
                try await driven.evaluate(
                    "(() => { try { return frames[0].document.body.textContent; } catch { return ''; } })()"
                ) == "")
            // Its ticket is unused: no page was there to take it.
            try await driven.open(framed.stringValue ?? "")
            try await driven.expect("document.getElementById('connection').textContent", "live")

            // One of its own origin, which may frame nothing either, and which the other knows as its opener.
            let first = try await driven.window()
            try await driven.evaluate(
                "(window.other = open(\(JSON.string(site.inspector.drawLink()))), 1)")
            try await driven.expect("other.document.getElementById('gate')?.hidden", false)
            #expect(
                try await driven.evaluate("other.document.getElementById('gate').textContent").stringValue?
                    .hasPrefix("Open the inspector with the link that the gateway prints") == true)
            #expect(try await driven.evaluate("other.document.getElementById('app').hidden") == true)
            #expect(try await driven.evaluate("other.location.hash") == "")
            try await driven.go(to: first)

            // One that a page of the gateway's opens has no opener, and that page loses sight of it.
            try await driven.open(site.address)
            try await driven.evaluate(
                "(window.other = open(\(JSON.string(site.inspector.drawLink()))), 1)")
            try await driven.expect("other === null || other.closed")
        }
        await site.stop()
    }
}
