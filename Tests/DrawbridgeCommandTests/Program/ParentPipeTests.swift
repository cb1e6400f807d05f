import Foundation
import TestSupport
import Testing

/// The command as a child: of a program that says the token by a pipe, and whose end is the end of the pipe.
@Suite("The pipe of a parent program", .timeLimit(.minutes(5))) struct ParentPipeTests {
    private static let token = String(repeating: "p", count: 32)

    private static func child(
        _ arguments: [String] = [], saying line: String = "\(token)\n"
    ) throws -> Program {
        let program = try Program.product(
            "drawbridge", ["-p", "0", "--token-stdin"] + arguments,
            environment: ["DRAWBRIDGE_TOKEN": String(repeating: "e", count: 32)])
        program.child.write(Array(line.utf8))
        return program
    }

    /// Neither the pipe's token nor that of the environment is printed.
    @Test func theTokenIsReadFromThePipe() async throws {
        let program = try Self.child()
        let address = try await program.address()
        for (token, code) in [(Self.token, "200"), (String(repeating: "e", count: 32), "403")] {
            let answer = try await curl(
                "-H", "Authorization: Bearer \(token)", "\(address)/__drawbridge__/pages")
            #expect(answer.hasPrefix("{\"code\":\(code),"), "\(answer)")
        }
        #expect(await program.stop() == 0)
        #expect(!program.output.contains(Self.token))
    }

    /// As at SIGTERM: in good order, and with the code that --unanswered wants.
    @Test func theCommandEndsWhenThePipeCloses() async throws {
        let program = try Self.child(["--unanswered", "fail"])
        let address = try await program.address()
        _ = try await curl("\(address)/nobody?_mobile_bridge=1")
        program.child.closeInput()
        #expect(await program.child.exitCode() == 3)
        #expect(program.output.contains("nobody answered nobody (1)"), "\(program.output)")
    }

    /// Whoever closes the pipe before the gateway listens leaves nothing behind.
    @Test func theCommandEndsEvenIfThePipeClosesAtOnce() async throws {
        let program = try Self.child()
        program.child.closeInput()
        #expect(await program.child.exitCode() == 0)
    }

    @Test(arguments: ["", "\n", "too-short\n", "\(token) \n", String(repeating: "p", count: 5000) + " "])
    func aMissingOrShortTokenIsAUsageError(line: String) async throws {
        let program = try Self.child(saying: line)
        program.child.closeInput()
        #expect(await program.child.exitCode() == 64)
        let output = program.output
        #expect(output.contains("--token-stdin: a token has 32 characters or more"), "\(output)")
    }
}
