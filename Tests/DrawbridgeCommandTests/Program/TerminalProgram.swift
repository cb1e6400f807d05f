import Glibc
import TestSupport

/// A program of this package at a terminal of its own, started for a test and ended with it.
final class TerminalProgram: Sendable {
    struct Ended: Error { let screen: [String] }

    /// What has been seen of it.
    struct Seen {
        var screen = Screen()
        var isOver = false
    }

    let child: TerminalChild
    private let seen: Observed<Seen>

    /// Starts one of the products.
    static func product(
        _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> TerminalProgram {
        try TerminalProgram(Program.path(of: name), arguments, environment: environment)
    }

    init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let seen = Observed(Seen())
        self.seen = seen
        let terminal = ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 }
        child = try TerminalChild(executable, arguments, environment: terminal) { bytes in
            seen.change { seen in
                seen.screen.show(bytes)
                seen.isOver = bytes.isEmpty
            }
        }
    }

    /// What its terminal shows now.
    var screen: Screen { seen.value.screen }

    /// What its terminal shows as soon as a condition holds.
    @discardableResult
    func screen(where isDone: @escaping @Sendable (Screen) -> Bool) async throws -> Screen {
        let seen = try await seen.wait { $0.isOver || isDone($0.screen) }
        guard isDone(seen.screen) else { throw Ended(screen: seen.screen.lines) }
        return seen.screen
    }

    /// The first whole line with this text, as soon as it is there.
    @discardableResult
    func line(with text: String) async throws -> String {
        let screen = try await screen { $0.lines.dropLast().contains { $0.contains(text) } }
        return screen.lines.first { $0.contains(text) } ?? ""
    }

    /// The prompt, as soon as the last line ends so.
    func prompt(_ end: String) async throws { try await screen { $0.lastLine.hasSuffix(end) } }

    /// The address in the first line that has one.
    func address() async throws -> String {
        let line = try await line(with: "http://")
        guard let address = line.firstMatch(of: /http:\/\/[0-9.:]+/) else {
            throw Ended(screen: screen.lines)
        }
        return String(address.output)
    }

    /// Sends SIGTERM and gives the exit code.
    func stop() async -> Int32 {
        child.send(SIGTERM)
        return await child.exitCode()
    }
}
