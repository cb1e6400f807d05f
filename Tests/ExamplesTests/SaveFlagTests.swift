import Drawbridge
import Foundation
import TestSupport
import Testing

/// The file that programs save replies into.
@Suite(.timeLimit(.minutes(5))) struct SaveFlagTests {
    private static let token = String(repeating: "t", count: 32)

    private static func drawbridge(in folder: Folder, _ arguments: String...) throws -> Program {
        let command = try Program.path(of: "drawbridge")
        let options = arguments.map { "'\($0)'" }.joined(separator: " ")
        return try Program(
            "sh", ["-c", "cd '\(folder.path)' && exec '\(command)' -p 0 \(options)"],
            environment: ["DRAWBRIDGE_TOKEN": token, "XDG_STATE_HOME": "/nonexistent"])
    }

    @Test func programsSaveWhereTheyAreLet() async throws {
        let folder = try Folder()
        for (arguments, code) in [([], 403), (["--save"], 200), (["--save", "--no-save"], 403)]
            as [([String], Int)]
        {
            let program = try Program.product(
                "drawbridge",
                ["-p", "0", "--replies", folder.write("a.json", #"{"replies": {"a": 1}}"#)] + arguments,
                environment: ["DRAWBRIDGE_TOKEN": Self.token])
            let answer = try await curl(
                "-H", "Authorization: Bearer \(Self.token)", "-d", #"{"name":"pay","reply":1}"#,
                "\(try await program.address())/__drawbridge__/replies/save")
            #expect(answer.contains("\"code\":\(code)"), "\(arguments): \(answer)")
        }
    }
}
