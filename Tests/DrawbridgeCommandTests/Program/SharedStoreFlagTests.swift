import Foundation
import TestSupport
import Testing

/// The option `--shared-store`; what it does is tried by `scripts/shared`.
@Suite("Flags of the shared store", .timeLimit(.minutes(5))) struct SharedStoreFlagTests {
    private static let secrets = [
        "DRAWBRIDGE_TOKEN": String(repeating: "t", count: 32),
        "DRAWBRIDGE_SECRET": String(repeating: "s", count: 32),
    ]

    private static func drawbridge(_ arguments: [String], _ environment: [String: String]) throws -> Program {
        try .product("drawbridge", ["-p", "0"] + arguments, environment: environment)
    }

    @Test(arguments: [
        (
            ["--shared-store", "redis:/run"], secrets,
            "--shared-store: it is unix:/PATH or redis://HOST[:PORT]"
        ),
        (
            ["--shared-store", "redis://:word@host"], secrets,
            "--shared-store: others see arguments and files"
        ),
        (["--shared-store", "unix:/store"], [:], "--shared-store: all copies need the same secrets"),
        (
            ["--shared-store", "unix:/store", "--save"], secrets,
            "--shared-store: --save writes a file of one copy"
        ),
        ([], secrets.merging(["DRAWBRIDGE_STORE": "here"]) { $1 }, "--shared-store: it is unix:/PATH"),
    ])
    func whatCannotBeSharedEndsTheStart(
        _ arguments: [String], _ environment: [String: String], _ sentence: String
    ) async throws {
        let program = try Self.drawbridge(arguments, environment)
        #expect(await program.child.exitCode() == 64)
        _ = try await program.line(with: sentence)
    }

    @Test func aStoreThatDoesNotAnswerIsNamedWithoutItsPassword() async throws {
        let store = "redis://:canary@127.0.0.1:1/0"
        let program = try Self.drawbridge([], Self.secrets.merging(["DRAWBRIDGE_STORE": store]) { $1 })
        let line = try await program.line(with: "the shared store at redis://127.0.0.1:1/0 does not answer")
        #expect(!line.contains("canary"))
    }
}
