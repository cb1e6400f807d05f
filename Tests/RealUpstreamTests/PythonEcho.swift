import Foundation
import TestSupport

/// An echo of WebSockets by Python's `websockets`, in `echo-server.py`.
final class PythonEcho: Sendable {
    let port: Int
    private let program: Program

    /// Starts it, and waits until it takes connections.
    init() async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "echo-server.py")
        program = try Program("/usr/bin/python3", [script.path()])
        port = try await program.port()
    }
}
