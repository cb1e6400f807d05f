import Foundation
import TestSupport
import Testing

/// The examples for testers in Python and JavaScript, as a tester runs them: beside the command that serves the shop.
@Suite("Examples for testers", .timeLimit(.minutes(5))) struct TestingExamplesTests {
    @Test(arguments: ["test_pay.py", "test_shop_selenium.py", "pay.test.mjs"])
    func pass(_ name: String) async throws {
        let command = try Self.command(for: name)
        let tester = try await Tester("--root", Tester.shop)
        let (output, code) = try await tester.run(command + ["\(Tester.examples)/\(name)"], in: try Folder())
        #expect(code == 0, "\(output)")
    }

    /// A check that fails shows the call that comes next to what was wanted.
    @Test(arguments: [
        (
            "test_fails.py",
            """
            def test_fails(native):
                native.call("getUser", {"id": 17})
                native.verify("getUser", when={"id": 18}, seconds=0)
            """,
            ["id is 17, wanted 18", #"wanted {"id": 18}"#, #"{"id": 17}"#, "1 failed"]
        ),
        (
            "fails.test.mjs",
            """
            import { test } from './native.mjs';
            test('fails', async ({ native }) => {
              await native.call('getUser', { id: 17 });
              await native.verify('getUser', { when: { id: 18 }, seconds: 0 });
            });
            """,
            ["id is 17, wanted 18", #"wanted {"id":18}"#, #"{"id":17}"#, "# fail 1"]
        ),
    ])
    func showTheNearMiss(_ name: String, _ text: String, _ said: [String]) async throws {
        let command = try Self.command(for: name)
        let tester = try await Tester("--root", Tester.shop)
        let folder = try Folder()
        for fixture in ["native.mjs", "conftest.py"] { try folder.copy(fixture) }
        try folder.write(name, text)
        let (output, code) = try await tester.run(command + [name], in: folder)
        #expect(code == 1, "\(output)")
        for part in said { #expect(output.contains(part), "\(output)") }
    }

    /// Whoever has said no token learns what to do.
    @Test(arguments: ["test_pay.py", "pay.test.mjs"])
    func wantAToken(_ name: String) async throws {
        let command = try Self.command(for: name)
        let tester = try await Tester("--root", Tester.shop)
        let (output, code) = try await tester.run(
            command + ["\(Tester.examples)/\(name)"], in: try Folder(), environment: ["DRAWBRIDGE_TOKEN": ""])
        #expect(code != 0 && output.contains("say the one that the gateway was started with"), "\(output)")
    }

    private static func command(for name: String) throws -> [String] {
        if name.hasSuffix(".mjs") { return Tester.node }
        if name.contains("selenium"), !isInstalled("chromedriver") {
            try Tester.skip("chromedriver is not there; run scripts/setup programs")
        }
        return try Tester.pytest()
    }
}
