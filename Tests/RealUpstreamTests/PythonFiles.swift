import Foundation
import TestSupport

/// Python's `http.server`, which speaks HTTP/1.0, with files in a folder of its own.
final class PythonFiles: Sendable {
    let port: Int
    /// What it serves.
    let files: Folder
    private let program: Program

    /// Starts it, and waits until it takes connections.
    init() async throws {
        files = try Folder()
        program = try Program(
            "/usr/bin/python3",
            ["-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", files.path, "0"])
        let line = try await program.line(with: "Serving HTTP")
        guard let port = line.firstMatch(of: /port (\d+)/).flatMap({ Int($0.output.1) }) else {
            throw Program.Ended(output: program.output)
        }
        self.port = port
    }

    var address: String { "http://127.0.0.1:\(port)" }
}
