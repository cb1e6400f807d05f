import Drawbridge
import Foundation
import ProgramSupport
import TestSupport
import Testing

/// A page that looks whether its app's bridge is there, and that the command says what it wants.
@Suite(.timeLimit(.minutes(5))) struct SpokenBridgeTests {
    private static let sentence = "js/app.js uses window.ReactNativeWebView. Add "

    private static func shop() throws -> Folder {
        let folder = try Folder()
        try folder.write("shop/index.html", "<script src='js/app.js'></script><p>shop</p>")
        try folder.write(
            "shop/js/app.js",
            "if (window.ReactNativeWebView) ReactNativeWebView.postMessage('{\"type\": \"order\"}')")
        return folder
    }

    @Test func logJournalAndConsoleNameTheBridgeThatAPageWants() async throws {
        let folder = try Self.shop()
        let program = try Program.product("drawbridge", ["-p", "0", "--root", "\(folder.path)/shop"])
        let address = try await program.address()
        _ = try await program.line(with: Self.sentence)
        let token = try await "Authorization: Bearer \(program.testerToken())"
        let calls = try await curl("-H", token, "\(address)/__drawbridge__/calls?kind=notice")
        #expect(calls.contains(Self.sentence), "\(calls)")
        let browser = try await Chromium()
        try await browser.open("\(address)/")
        // The channel is opened for it, though the page calls nothing.
        let pages = "\(address)/__drawbridge__/pages"
        while try await !curl("-H", token, pages).contains("\"url\"") {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(program.output.components(separatedBy: Self.sentence).count == 2)
    }

    @Test func noMissingBridgeIsReportedIfThePageHasIt() async throws {
        let folder = try Self.shop()
        let given = try Program.product(
            "drawbridge", ["-p", "0", "--bridge", "reactnative", "--root", "\(folder.path)/shop"])
        let browser = try await Chromium()
        try await browser.open(given.address() + "/")
        _ = try await given.line(with: "not mocked")
        #expect(!given.output.contains("uses window."))
    }
}
