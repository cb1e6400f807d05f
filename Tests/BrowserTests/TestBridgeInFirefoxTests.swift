import Foundation
import TestSupport
import Testing

/// `drawbridge test-bridge` in Firefox; all else of it is tried in Chromium, among the tests of the command.
@Suite(.timeLimit(.minutes(5))) struct TestBridgeInFirefoxTests {
    private static let examples = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../examples/bridges"
    ).standardized.path()

    @Test(.enabled(if: Browser.firefox.isTried)) func anExampleIsAsItsListSays() async throws {
        try Browser.firefox.skipWhereMissing()
        let program = try Program.product(
            "drawbridge",
            ["test-bridge", "\(Self.examples)/tauri.js", "--browser", "firefox", "--seconds", "20"])
        let output = await program.wholeOutput()
        #expect(await program.child.exitCode() == 0, "\(output)")
        #expect(output.hasSuffix("6 exchanges, all as expected\n"), "\(output)")
    }
}
