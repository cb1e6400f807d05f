import TestSupport
import Testing

/// What tests read of the programs that they start.
@Suite(.timeLimit(.minutes(5))) struct ProgramTests {
    @Test func aCharacterThatArrivesInTwoPiecesIsReadWhole() async throws {
        let program = try Program("sh", ["-c", #"printf 'M\303'; read -r _; printf '\244rz\n'"#])
        // The first half has been read by itself.
        #expect(await eventually { !program.output.isEmpty })
        #expect(program.output == "M\u{FFFD}")
        program.child.write(Array("\n".utf8))
        #expect(try await program.line(with: "z") == "März")
        #expect(await program.wholeOutput() == "März\n")
    }
}
