import Glibc
import Testing

/// Bare `swift test` would begin all tests in one process at once, where they wait for each other within their own limits.
@Suite("How the tests are run") struct BareRunTests {
    @Test func allOfThemAreRunStageByStage() {
        let choices = ["--filter", "--skip", "--event-stream-output-path"]
        let isChosen = CommandLine.arguments.contains { argument in
            choices.contains(where: argument.hasPrefix)
        }
        guard !isChosen else { return }
        let words = """

            Run scripts/test: it runs all tests, stage by stage, in some ten minutes. Begun at once, as swift test does,
            they are late for each other. Some of them: swift test --filter RoutesTests


            """
        write(STDERR_FILENO, words, words.utf8.count)
        _exit(64)
    }
}
