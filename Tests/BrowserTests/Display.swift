import TestSupport

/// A screen that nobody sees, for the browser that has no headless mode.
final class Display: Sendable {
    private let server: Program
    /// As `DISPLAY` has it: `:1`.
    let name: String

    /// Starts a server on a display that is free; it says which.
    init() async throws {
        let server = try Program(
            "sh", ["-c", "exec Xvfb -displayfd 1 -screen 0 1000x1100x24 -nolisten tcp 2>/dev/null"])
        self.server = server
        guard await eventually({ server.output.hasSuffix("\n") }) else {
            throw Program.Ended(output: server.output)
        }
        name = ":" + server.output.dropLast()
    }

    deinit { server.child.terminate() }
}
