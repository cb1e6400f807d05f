import Drawbridge
import DrawbridgeServer
import Foundation
import Logging
import TestSupport
import Testing

/// A gateway with a page that calls, and its inspector.
final class InspectedSite: Sendable {
    let gateway: Gateway
    let server: GatewayServer
    let inspector: Inspector
    private let folder: Folder

    /// The page: `call` asks native by a request, and `MyApp` by its shortcut; native may call its functions.
    static let page = """
        <!doctype html><title>Member centre</title><link rel="icon" href="data:,">
        <p id="heard">nothing</p>
        <script>
        window.call = (name, input) => fetch('/' + name + '?_mobile_bridge=1', {
            method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(input ?? null),
        }).then(answer => answer.json());
        window.fail = text => { setTimeout(() => { throw new Error(text); }); Promise.reject(text); };
        function share(data) { return { shared: data }; }
        window.note = text => { document.getElementById('heard').textContent = text; };
        addEventListener('drawbridge:greeting', event => note('heard ' + JSON.stringify(event.detail)));
        </script>
        """

    /// - Parameters:
    ///   - replies: a file of replies, scenarios and events.
    ///   - behind: what serves more than the page.
    ///   - pageRuntime: what pages are given; nil leaves them as they are.
    ///   - inspectorPort: where the inspector listens.
    init(
        _ replies: String = "{}", behind: [any Responder] = [],
        pageRuntime: PageRuntime? = PageRuntime(shortcuts: ["MyApp"]), inspectorPort: Int = 0
    ) throws {
        folder = try Folder()
        try folder.write("index.html", Self.page)
        var logger = Logger(label: "inspected")
        logger.logLevel = .critical
        gateway = Gateway(
            passThrough: behind + [.staticFiles(folder.path)], pageRuntime: pageRuntime,
            keepsJournal: true, logger: logger)
        let file = try ReplyFile(LocatedJSON(parsing: Array(replies.utf8)))
        gateway.reply(by: ReplyLayers(ReplyNames(), files: [file], scenario: []))
        server = try GatewayServer(gateway, ServerConfiguration(port: 0, logsRequests: false))
        inspector = try Inspector(of: gateway, port: inspectorPort)
    }

    var address: String { "\(server.address)/" }

    /// Asks the tester's API as a program does, and gives its data.
    @discardableResult
    func ask(_ method: String, _ path: String, _ body: String = "") async throws -> JSON {
        let answer = try await curl(
            "-X", method, "-H", "Authorization: Bearer \(gateway.testerToken.text)", "--data-binary", body,
            "\(address)__drawbridge__/\(path)")
        let said = try JSON(parsing: Array(answer.utf8))
        guard said["code"] == 200 else { throw DriverFailure(description: "\(method) \(path): \(said)") }
        return said["data"] ?? .null
    }

    func stop() async {
        await inspector.stop()
        await server.stop()
    }
}

/// A browser with two windows: one has the page that calls, one the inspector.
struct InspectedBrowser {
    let site: InspectedSite
    let driven: DrivenBrowser
    private let page: String
    private let inspector: String

    /// Opens both, works with the inspector in front, and ends all.
    ///
    /// - Parameter query: what follows the inspector's address at first.
    static func inspect<Value: Sendable>(
        _ browser: Browser, _ site: InspectedSite, isDark: Bool = false, query: String = "",
        _ work: (InspectedBrowser) async throws -> Value
    ) async throws -> Value {
        let outcome = await Result {
            try await DrivenBrowser.drive(browser, isDark: isDark) { driven in
                try await driven.open(site.address)
                let page = try await driven.window()
                let link = site.inspector.drawLink().replacing("/#", with: "/\(query)#", maxReplacements: 1)
                let inspector = try await driven.openWindow(link)
                let inspected = InspectedBrowser(
                    site: site, driven: driven, page: page, inspector: inspector)
                try await driven.expect("document.getElementById('connection').textContent", "live")
                return try await work(inspected)
            }
        }
        await site.stop()
        return try outcome.get()
    }

    /// Opens the page of a folder that the command serves, and the command's inspector in front of it.
    ///
    /// - Parameter work: gets the browser, and what gives the value of a script in the page.
    static func inspect(
        _ browser: Browser, _ folder: Folder, _ arguments: [String] = [],
        _ work: (DrivenBrowser, _ inPage: (String) async throws -> JSON) async throws -> Void
    ) async throws {
        let site = try await ServedFolder(folder.path, more: arguments)
        let line = try await site.program.line(with: "http://i-")
        let link = try String(#require(line.firstMatch(of: /http:\/\/i-\S+/)).output)
        try await DrivenBrowser.drive(browser) { driven in
            try await driven.open("\(site.address)/")
            let page = try await driven.window()
            let inspector = try await driven.openWindow(link)
            try await driven.expect("document.getElementById('connection').textContent", "live")
            try await work(driven) { script in
                try await driven.go(to: page)
                let value = try await driven.evaluate(script)
                try await driven.go(to: inspector)
                return value
            }
        }
        #expect(await site.program.stop() == 0)
    }

    /// What a script in the page gives.
    @discardableResult
    func inPage(_ script: String) async throws -> JSON {
        try await driven.go(to: page)
        let value = try await driven.evaluate(script)
        try await driven.go(to: inspector)
        return value
    }

    /// Looks again and again until the page shows that it has heard this.
    func untilPage(hears text: String) async throws {
        while try await inPage("document.getElementById('heard').textContent") != .string(text) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Loads the page anew.
    func reloadPage() async throws {
        try await driven.go(to: page)
        try await driven.reload()
        try await driven.go(to: inspector)
    }

    /// Closes the page's window.
    func closePage() async throws {
        try await driven.go(to: page)
        try await driven.closeWindow()
        try await driven.go(to: inspector)
    }

    /// The last row of the list with this text.
    static func row(_ text: String) -> String {
        "[...document.querySelectorAll('.row')].findLast(row => row.textContent.includes(\(JSON.string(text))))"
    }

    /// A button with this text, inside of what a selector finds.
    static func button(_ text: String, in selector: String = "body") -> String {
        """
        [...document.querySelectorAll(\(JSON.string("\(selector) button")))]
            .find(button => button.textContent === \(JSON.string(text)) && button.checkVisibility())
        """
    }
}
