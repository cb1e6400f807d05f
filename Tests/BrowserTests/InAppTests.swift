import Drawbridge
import Foundation
import TestSupport
import Testing

/// Pages that are opened in the app itself: its own bridges answer, and nothing of them is touched.
@Suite("Inside the app", .serialized, .timeLimit(.minutes(5))) struct InAppTests {
    /// A page, what the app has for it, and the options with which one tries it at the desk.
    private struct Case: Decodable, Sendable {
        var page: String
        var has: [String]
        /// How often the page calls.
        var calls: Int
        /// Whether the app brings it behind our script, or takes requests below us: mocks cannot keep it from that.
        var isLate: Bool?
        /// What the log calls the app's bridge.
        var own: String
        var options: [String]
    }

    private static let pages = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Pages/app"
    ).path()

    private static func cases(_ host: AppHost) throws -> [Case] {
        let table = try Data(contentsOf: URL(filePath: pages + "/table.json"))
        return try JSON(parsing: Array(table)).decode([String: [Case]].self)[host.rawValue] ?? []
    }

    /// Those of this stage: with WebKit, all of its pages; else two.
    private static func triedCases(_ host: AppHost) throws -> [Case] {
        let all = try cases(host)
        let isWhole = host == .android ? Browser.chromium.isTried : Browser.webKit.isTried
        return isWhole ? all : all.filter { ["handlers", "wvjb6"].contains($0.page) }
    }

    private static let tried = AppHost.allCases.filter {
        Browser.chromium.isTried || $0 == .apple && Browser.webKit.isTried
    }

    /// The command that serves a page with the options of the desk.
    private static func serve(_ tried: Case, _ more: [String]) async throws -> ServedFolder {
        try await ServedFolder(pages, more: tried.options + mocks + more)
    }

    /// Each page without anything of Drawbridge's in it, and then with the options of the desk and these.
    private static func serveTwice(
        _ tried: [Case], _ more: String...
    ) async throws -> (plain: Program, sites: [ServedFolder], opened: [AppHost.Opened]) {
        let plain = try Program.product("drawbridge", ["-p", "0", "--root", pages, "--plain", "/*"])
        let address = try await plain.address()
        var (sites, opened) = ([ServedFolder](), [AppHost.Opened]())
        for one in tried {
            sites.append(try await serve(one, more))
            for (address, stays) in [(address, false), (sites[sites.count - 1].address, true)] {
                opened.append(.init(url: "\(address)/\(one.page).html", has: one.has, stays: stays))
            }
        }
        return (plain, sites, opened)
    }

    /// An answer for every name, which says where it is from.
    private static let mocks = [
        "Android/version", "Android/share", "Android/add", "Android/close", "title", "share", "user/name",
        "pay", "math/add", "wallet/list", "list", "user", "deviceInfo", "toast/show", "Toast", "login",
        "token", "ask",
        "Shop/pay", "Shop/list",
    ].flatMap { ["--reply", "\($0)=\"\($0) from mocks\""] }

    @Test func theTableHasFortyCallsAndMore() throws {
        let all = try AppHost.allCases.flatMap(Self.cases)
        #expect(all.map(\.calls).reduce(0, +) == 78)
        #expect(Set(all.map(\.own)).count == 17)
    }

    @Test(arguments: tried) func theAppIsAskedAndThePageSeesItsBridgeAlone(_ host: AppHost) async throws {
        let tried = try Self.triedCases(host)
        let (plain, sites, opened) = try await Self.serveTwice(tried)
        try await host.open(opened) { (outcomes: [AppHost.Outcome]) async throws in
            for (index, one) in tried.enumerated() {
                let (alone, with) = (outcomes[2 * index], outcomes[2 * index + 1])
                #expect(
                    alone.isLate == nil && alone.calls.count(where: Self.isCall) == one.calls,
                    "\(one.page): \(alone)")
                #expect(with.calls == alone.calls, "\(one.page) in \(host)")
                #expect(with.transcript == alone.transcript, "\(one.page) in \(host)")
            }
            let answers = "answers, mocks are not asked. To use mocks anyway: --in-app mocks"
            let said = zip(tried, sites).map { one, site in
                (site, "\(one.page).html (ShopApp/3.2, 127.0.0.1): the app's own \(one.own) \(answers)")
            }
            _ = await eventually(within: 10) { said.allSatisfy { $0.program.output.contains($1) } }
            for (site, line) in said {
                let output = site.program.output
                #expect(output.components(separatedBy: line).count == 2, "\(line)\n\(output)")
                #expect(output.components(separatedBy: "the app's own").count == 2, "\(output)")
                #expect(try await site.ask("GET", "calls?kind=call")["calls"] == [])
            }
        }
        for program in sites.map(\.program) + [plain] { #expect(await program.stop() == 0) }
    }

    @Test(arguments: tried) func theMocksAnswerInTheAppToo(_ host: AppHost) async throws {
        let tried = try Self.triedCases(host).filter { $0.isLate == nil }
        let (plain, sites, opened) = try await Self.serveTwice(tried, "--in-app", "mocks")
        try await host.open(opened) { (outcomes: [AppHost.Outcome]) async throws in
            for (index, one) in tried.enumerated() {
                let (alone, with) = (outcomes[2 * index], outcomes[2 * index + 1])
                #expect(with.calls == [] && with.isLate == nil, "\(one.page): \(with)")
                #expect(!with.transcript.contains { $0.contains("from app") }, "\(one.page): \(with)")
                var asked = try await Self.mocked(sites[index], atLeast: one.calls)
                for call in alone.calls where Self.isCall(call) {
                    let name = call[0]?.stringValue ?? ""
                    let place = asked.firstIndex(of: name)
                    #expect(place != nil, "\(one.page): \(name) is not in \(asked)")
                    if let place { asked.remove(at: place) }
                }
            }
        }
        for site in sites {
            #expect(await site.program.stop() == 0)
            #expect(!site.program.output.contains("the app's own"))
        }
        _ = await plain.stop()
    }

    /// What a browser of the desk says to pages that ask for the app's name.
    private static let phone = "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) Chrome/127.0 Mobile ShopApp/3.2"

    /// No app is there: at the desk, and in browsers for iOS, whose handlers have other names.
    @Test(arguments: Browser.tried) func noDeskBrowserIsTakenForAnApp(_ browser: Browser) async throws {
        try await DrivenBrowser.drive(browser) { (driven: DrivenBrowser) async throws in
            for host in AppHost.allCases {
                for one in try Self.cases(host) {
                    let site = try await Self.serve(one, ["--user-agent", Self.phone])
                    try await driven.open("\(site.address)/\(one.page).html")
                    try await driven.expect("document.title", "over")
                    let said = try await driven.evaluate("document.documentElement.dataset.transcript")
                    let transcript = said.stringValue ?? "it failed: the page has no transcript"
                    #expect(!transcript.contains("it failed"), "\(one.page) in \(browser): \(transcript)")
                    let asked = try await Self.mocked(site, atLeast: one.calls)
                    #expect(asked.count >= one.calls, "\(one.page) in \(browser): \(asked), \(transcript)")
                    try await driven.open("about:blank")
                    _ = await site.program.stop()
                    let output = site.program.output
                    #expect(!output.contains("the app's own") && !output.contains("web view"), "\(output)")
                }
            }
        }
    }

    /// Names that the browser itself has are no app's, so that what was asked for is put there.
    @Test(arguments: Browser.tried) func whatTheBrowserItselfHasIsNotTheApps(_ browser: Browser) async throws
    {
        let site = try await ServedFolder(
            Self.pages,
            more: [
                "--shortcuts", "external", "--inject", "open,fetch", "--reply", "open=17", "--bridge",
                #"object={"object": "chrome"}"#,
            ])
        try await DrivenBrowser.drive(browser) { (driven: DrivenBrowser) async throws in
            try await driven.open("\(site.address)/shortcuts.html")
            try await driven.expect("open('x')", 17)
            try await driven.expect("[typeof external.open, typeof chrome.call].join()", "function,function")
        }
        #expect(await site.program.stop() == 0)
        #expect(!site.program.output.contains("the app's own"), "\(site.program.output)")
    }

    @Test(
        .enabled(if: tried.contains(.apple)),
        arguments: [
            ["as=Firefox", "contextMenuMessageHandler", "faviconMessageHandler"],
            ["as=Chrome", "FrameBecameAvailable", "FindElementResultHandler"],
        ])
    func browsersForPhonesGetTheHandlersThatWereTyped(_ has: [String]) async throws {
        let one = try #require(try Self.cases(.apple).first { $0.page == "handlers" })
        let site = try await Self.serve(one, [])
        let opened = AppHost.Opened(url: "\(site.address)/handlers.html", has: has, stays: true)
        try await AppHost.apple.open([opened]) { (outcomes: [AppHost.Outcome]) async throws in
            #expect(outcomes[0].calls == [] && outcomes[0].isLate == nil)
            let transcript = outcomes[0].transcript
            #expect(transcript.contains { $0.contains("token from mocks") }, "\(transcript)")
            let asked = try await Self.mocked(site, atLeast: one.calls)
            #expect(asked.count >= one.calls && Set(asked) == ["pay", "token"], "\(asked), \(transcript)")
        }
        #expect(await site.program.stop() == 0)
        #expect(!site.program.output.contains("the app's own"))
    }

    /// But for what leaves nothing in the page: a scheme, requests.
    @Test(arguments: tried) func aWebViewWithoutTheBridgeGetsOursAndIsToldOf(_ host: AppHost) async throws {
        let tried = try Self.triedCases(host).filter { !$0.own.contains("://") }
        var sites: [ServedFolder] = []
        for one in tried { sites.append(try await Self.serve(one, [])) }
        let opened = zip(tried, sites).map { one, site in
            AppHost.Opened(url: "\(site.address)/\(one.page).html", has: [], stays: true)
        }
        try await host.open(opened) { (outcomes: [AppHost.Outcome]) async throws in
            for (index, one) in tried.enumerated() {
                #expect(outcomes[index].isLate == nil, "\(one.page): \(outcomes[index])")
                let asked = try await Self.mocked(sites[index], atLeast: one.calls)
                #expect(asked.count >= one.calls, "\(one.page): \(asked), \(outcomes[index])")
            }
            let lines = tried.map { "/\($0.page).html (ShopApp/3.2, 127.0.0.1) is in a web view without " }
            let said = { zip(sites, lines).map { $0.program.output.components(separatedBy: $1).count - 1 } }
            _ = await eventually(within: 10) { said().allSatisfy { $0 > 0 } }
            for (one, count) in zip(tried, said()) { #expect(count == 1, "\(one.page) in \(host)") }
        }
        for site in sites { #expect(await site.program.stop() == 0) }
    }

    /// Not what native asked of the page.
    private static func isCall(_ call: JSON) -> Bool { call[0] != "the page's answer" }

    /// The names of the calls that mocks have answered, as soon as there are so many.
    private static func mocked(_ site: ServedFolder, atLeast count: Int) async throws -> [String] {
        var names: [String] = []
        _ = try await eventually(within: 10) {
            let calls = try await site.ask("GET", "calls?kind=call")["calls"]?.arrayValue ?? []
            names = calls.filter { $0["state"] == "answered" }.compactMap { $0["name"]?.stringValue }
            return names.count >= count
        }
        return names
    }
}
