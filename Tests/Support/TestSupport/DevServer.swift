import Foundation

/// The dev server of `Tests/RealUpstreamTests/dev-server.js`, by Node.
package final class DevServer: Sendable {
    private let program: Program
    package let port: Int

    /// Starts it.
    ///
    /// - Parameter port: 0 for any that is free.
    package init(port: Int = 0) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../RealUpstreamTests/dev-server.js").standardized.path()
        program = try Program("node", [script, "\(port)"])
        self.port = try await program.port()
    }

    package var address: String { "http://127.0.0.1:\(port)" }

    /// Ends it without a word, and waits for that.
    package func kill() async {
        Glibc.kill(program.child.processIdentifier, SIGKILL)
        _ = await program.child.exitCode()
    }
}
