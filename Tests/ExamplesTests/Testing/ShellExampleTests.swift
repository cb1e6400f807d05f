import TestSupport
import Testing

/// The example for testers that needs curl alone.
@Suite("The shell example for testers", .timeLimit(.minutes(5))) struct ShellExampleTests {
    @Test(arguments: ["dash", "bash"]) func theShellExamplePasses(by shell: String) async throws {
        let tester = try await Tester("--root", Tester.shop, "--choose", "pay=pay")
        let (output, code) = try await tester.run([shell, "\(Tester.examples)/pay.sh"], in: try Folder())
        #expect(code == 0, "\(output)")
    }

    /// A check that fails shows the call that comes next to what was wanted.
    @Test func aFailedCheckShowsTheClosestCall() async throws {
        let tester = try await Tester("--root", Tester.shop, "--choose", "pay=pay")
        let folder = try Folder()
        try folder.copy("\(Tester.examples)/pay.sh", to: "pay.sh")
        let text = try folder.read("pay.sh")
        let wrong = text.replacing(#""price": 24}, "count""#, with: #""price": 25}, "count""#)
        #expect(wrong != text)
        try folder.write("pay.sh", wrong)
        let (output, code) = try await tester.run(["sh", "pay.sh"], in: folder)
        #expect(code == 1, "\(output)")
        for part in ["price is 24, wanted 25", "failed: POST calls/verify"] {
            #expect(output.contains(part), "\(output)")
        }
    }

    /// Whoever has said no token learns what to do.
    @Test func aMissingTokenIsExplained() async throws {
        let tester = try await Tester("--root", Tester.shop)
        let (output, code) = try await tester.run(
            ["sh", "\(Tester.examples)/pay.sh"], in: try Folder(), environment: ["DRAWBRIDGE_TOKEN": ""])
        #expect(code != 0 && output.contains("say the one that the gateway was started with"), "\(output)")
    }
}
