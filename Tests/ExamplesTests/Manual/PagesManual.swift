import DrawbridgeServer
import ProgramSupport
import TestSupport
import Testing

struct DownloadHandler: JSONHandler {
    let request: Request

    func handle(_ input: Nothing) async throws -> String {
        for percent in [25, 50, 75] { try request.progress(percent) }
        return "done"
    }
}

func titleUnlessClosed(_ page: Page) async throws -> String? {
    do {
        return try await page.evaluate("document.title", deadline: .seconds(5)).stringValue
    } catch let error as PageError where error.reason == .closed {
        return nil
    }
}

/// A page that downloads when it is opened.
private struct DownloadPage: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard request.path == "/" else { return nil }
        let text = """
            <!doctype html><title>A download</title>
            <script>
            var seen = [];
            MyApp.download(function (answer) { seen.push(answer); });
            </script>
            """
        return Response(text: text, contentType: "text/html")
    }
}

@Suite(.timeLimit(.minutes(5))) struct PagesManual {
    @Test func thePageRuntimeTakesSchemesFunctionsAndShortcuts() throws {
        let gateway = Gateway(
            passThrough: [.staticFiles("public")],
            pageRuntime: PageRuntime(
                schemes: ["mizhua"], functions: ["callNative"], shortcuts: ["MyApp"], excluded: ["/docs/*"]))
        #expect(gateway.pageRuntime?.schemes == ["mizhua"])
        #expect(Gateway(pageRuntime: nil).pageRuntime == nil)
    }

    @Test func bridgesAreGivenByNameOrByFile() throws {
        let folder = try Folder()
        let mine = try folder.write("mine.js", "drawbridge.bridge(native => {});")
        let gateway = Gateway(
            pageRuntime: PageRuntime(bridges: [try .named("dsbridge"), try .file(mine)]))
        #expect(gateway.pageRuntime?.bridges.map(\.name) == ["dsbridge", "mine"])
    }

    @Test func nativeCallsAPageUntilItIsClosed() async throws {
        let gateway = Gateway(
            passThrough: [DownloadPage()], pageRuntime: PageRuntime(shortcuts: ["MyApp"]))
        try gateway.register(DownloadHandler.self, at: "/download")
        let server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        let browser = try await Chromium()
        try await browser.open("\(server.address)/")
        var first: Page?
        for await change in gateway.pages {
            guard case .came(let page) = change else { continue }
            first = page
            #expect(try await titleUnlessClosed(page) == "A download")
            let seen = """
                new Promise(done => {
                    const look = () => seen.length < 4 ? setTimeout(look, 5) : done(seen);
                    look();
                })
                """
            #expect(try await page.evaluate(seen) == [25, 50, 75, "done"])
            await #expect(throws: PageError.self) { try await page.call("nobody") }
            try await browser.evaluate("setTimeout(() => location.reload())")
            break
        }
        for await change in gateway.pages {
            // The first may be there still; the next is the reloaded one.
            guard case .came(let page) = change, page.id != first?.id else { continue }
            #expect(try await titleUnlessClosed(page) == "A download")
            break
        }
        let isGone = await eventually { first?.isOpen == false }
        #expect(isGone)
        if let first { #expect(try await titleUnlessClosed(first) == nil) }
        await server.stop()
    }
}
