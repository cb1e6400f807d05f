import Drawbridge
import Foundation
import TestSupport
import Testing

/// `DRAWBRIDGE_SECRET`: what is the same in all copies of a gateway, and where it must not be seen.
@Suite("DRAWBRIDGE_SECRET", .timeLimit(.minutes(5))) struct SecretTests {
    private static let secret = "CANARY-\(String(repeating: "s", count: 32))"

    private struct Started {
        let program: Program
        let address: String
        /// The host name of the inspector.
        let inspector: String
        let token: String

        init(_ secret: String?) async throws {
            program = try Program.product(
                "drawbridge", ["-p", "0"], environment: secret.map { ["DRAWBRIDGE_SECRET": $0] } ?? [:])
            address = try await program.address()
            let line = try await program.line(with: "inspector")
            inspector = try String(#require(line.firstMatch(of: /i-[0-9a-f]{16}/)).output)
            let answer = try await curl("-H", "X-Drawbridge-Page: a", "\(address)/__drawbridge__/token")
            token = try #require(try JSON(parsing: Array(answer.utf8))["token"]?.stringValue)
        }

        /// All that it says to people, callers and the system.
        func told() async throws -> String {
            let process = "/proc/\(program.child.processIdentifier)"
            var texts = try ["cmdline", "environ"].map { name in
                String(decoding: try Data(contentsOf: URL(filePath: "\(process)/\(name)")), as: UTF8.self)
            }
            for path in ["/", "/__drawbridge__/health", "/__drawbridge__/page.js", "/__drawbridge__/token"] {
                texts.append(try await curl("-i", "-H", "X-Drawbridge-Page: a", address + path))
            }
            return (texts + [program.output]).joined()
        }
    }

    @Test func copiesWithOneSecretHaveTheSameTokensAndOthersNot() async throws {
        let first = try await Started(Self.secret)
        let second = try await Started(Self.secret)
        #expect(first.token == second.token && first.inspector == second.inspector)
        let others = [try await Started(Self.secret + "2"), try await Started(nil), try await Started(nil)]
        #expect(Set(others.map(\.token) + [first.token]).count == 4)
        #expect(Set(others.map(\.inspector) + [first.inspector]).count == 4)
        // Each of these is a value of its own.
        #expect(!first.token.hasPrefix(first.inspector.dropFirst(2)))
        #expect(try await !first.told().contains("CANARY"))
    }

    @Test(arguments: ["CANARY", ""]) func aShortOneEndsTheStartAndIsNotPrinted(_ secret: String) async throws
    {
        let program = try Program.product(
            "drawbridge", ["-p", "0"], environment: ["DRAWBRIDGE_SECRET": secret])
        #expect(await program.child.exitCode() == 64)
        let said = await program.wholeOutput()
        #expect(said.contains("DRAWBRIDGE_SECRET: a secret has 32 characters or more"), "\(said)")
        #expect(!said.contains("CANARY"))
    }
}
