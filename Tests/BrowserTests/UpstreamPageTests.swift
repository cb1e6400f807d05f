import Drawbridge
import DrawbridgeServer
import HTTPTypes
import TestSupport
import Testing

/// Pages of a dev server behind the gateway, in real browsers.
@Suite("Pages of a dev server", .serialized, .timeLimit(.minutes(5))) struct UpstreamPageTests {
    @Test(arguments: Browser.tried)
    func aPageOfADevServerReachesNative(_ browser: Browser) async throws {
        let node = try await DevServer()
        let site = try DevSite(upstream: node.address)
        let report = try await browser.open("\(site.address)/") { try await DevSite.report(to: node) }
        #expect(report == "visit 1: native said 3, runtime true")
        await site.server.stop()
    }

    @Test(arguments: Browser.tried)
    func theWaitingPageIsReplacedWhenTheDevServerStarts(_ browser: Browser) async throws {
        let gone = try await DevServer(port: freePort())
        await gone.kill()
        let site = try DevSite(upstream: gone.address)
        let report = try await browser.open("\(site.address)/") {
            // It has asked again by itself.
            try await site.answers.wait { $0.filter { $0 == 502 }.count >= 2 }
            let node = try await DevServer(port: gone.port)
            return try await DevSite.report(to: node)
        }
        #expect(report == "visit 1: native said 3, runtime true")
        await site.server.stop()
    }

    /// What a page's server answers, by path.
    private struct Server: Responder {
        func respond(to request: Request) async throws -> Response? {
            if request.path.hasPrefix("/go/") {
                let url = "myapp://\(request.path.dropFirst("/go/".count))?amount=1"
                return Response(.found, headers: [.location: url])
            }
            let page = """
                <!doctype html><title>Shop</title><link rel="icon" href="data:,">
                <a href="/go/link">Pay</a><form action="/go/form" method="post"><button>Pay</button></form><iframe></iframe>
                """
            var headers: HTTPFields = [.contentType: "text/html"]
            headers[HTTPField.Name("Integrity-Policy")!] = "blocked-destinations=(script)"
            return Response(headers: headers, body: .bytes(Array(page.utf8)))
        }
    }

    @Test(arguments: Browser.tried)
    func aRedirectToTheAppsSchemeIsACallAndThePageStays(_ browser: Browser) async throws {
        let gateway = Gateway(
            passThrough: [Server()], pageRuntime: PageRuntime(schemes: ["myapp"]), keepsJournal: true)
        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(server.address)/")
            // Its policy wants a hash of every script, and ours has none.
            try await driven.expect("Boolean(webkit.messageHandlers.JSBridge)", true)
            try await driven.evaluate("window.isSame = true")
            let deeds = [
                "link": "document.querySelector('a').click()",
                "form": "document.querySelector('button').click()",
                "frame": "document.querySelector('iframe').src = '/go/frame'",
                "place": "location.href = '/go/place'",
            ]
            for (place, (name, deed)) in deeds.sorted(by: { $0.key < $1.key }).enumerated() {
                try await driven.evaluate("void (\(deed))")
                await until { gateway.journal.calls().count == place + 1 }
                #expect(gateway.journal.calls().last?.name == name)
                #expect(try await driven.evaluate("[isSame, location.pathname]") == [true, "/"])
            }
        }
        await server.stop()
    }

    /// A page whose policies let no text and no address of a script through that none of them has made.
    private struct Strict: Responder {
        func respond(to request: Request) async throws -> Response? {
            let page = """
                <!doctype html><title>Strict</title><link rel="icon" href="data:,"><script nonce="a">
                const bridge = { handleNativeMsg({ data }) { document.title = data; } };
                </script>
                """
            let policy = "script-src 'nonce-a'; require-trusted-types-for 'script'; trusted-types 'none'"
            let headers: HTTPFields = [.contentType: "text/html", .contentSecurityPolicy: policy]
            return Response(headers: headers, body: .bytes(Array(page.utf8)))
        }
    }

    @Test(arguments: Browser.tried) func aPageWithTrustedTypesIsAnswered(_ browser: Browser) async throws {
        let gateway = Gateway(passThrough: [Strict()])
        try gateway.mock(["who": "Ann"])
        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(server.address)/")
            let call = "{ action: 'who', data: {}, callbackId: '1' }"
            try await driven.evaluate("void webkit.messageHandlers.JSBridge.postMessage(\(call))")
            try await driven.expect("document.title", "Ann")
        }
        await server.stop()
    }
}
