import Foundation

/// A program of this package, started for a test and ended with it.
package final class Program: Sendable {
    /// What has been seen of it.
    private struct Seen {
        /// It comes in pieces, which may end within a character.
        var bytes: [UInt8] = []
        var isOver = false

        var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// It ended, and this is all that it had printed.
    package struct Ended: Error {
        package let output: String

        package init(output: String) { self.output = output }
    }

    private let seen: Observed<Seen>
    package let child: Child

    /// Starts one of the products.
    ///
    /// - Parameter folder: its working directory; nil for that of the tests.
    package static func product(
        _ name: String, _ arguments: [String] = [], in folder: Folder? = nil,
        environment: [String: String] = [:]
    ) throws -> Program {
        // Nobody's own storage is for tests.
        let environment = ["XDG_STATE_HOME": "/nonexistent"].merging(environment) { $1 }
        let command = try path(of: name)
        guard let folder else { return try Program(command, arguments, environment: environment) }
        let shell = ["-c", #"cd "$0" && exec "$@""#, folder.path, command]
        return try Program("sh", shell + arguments, environment: environment)
    }

    /// The products are next to the test's own binary.
    package static func path(of product: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own).deletingLastPathComponent().appending(path: product).path()
    }

    package init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let seen = Observed(Seen())
        self.seen = seen
        child = try Child(executable, arguments, environment: environment) { bytes in
            seen.change { seen in
                seen.bytes += bytes
                seen.isOver = bytes.isEmpty
            }
        }
    }

    /// All that it has printed.
    package var output: String { seen.value.output }

    /// The first line with this text, as soon as it is printed.
    @discardableResult
    package func line(with text: String) async throws -> String {
        let seen = try await seen.wait { $0.isOver || Self.line(with: text, in: $0.output) != nil }
        guard let line = Self.line(with: text, in: seen.output) else { throw Ended(output: seen.output) }
        return line
    }

    /// All that it prints until it ends.
    package func wholeOutput() async -> String {
        (try? await seen.wait(until: \.isOver))?.output ?? output
    }

    /// The address in the first line that has one.
    package func address() async throws -> String {
        let line = try await line(with: "listen")
        guard let address = line.firstMatch(of: /https?:\/\/[0-9.:]+/) else { throw Ended(output: output) }
        return String(address.output)
    }

    /// The port of that address.
    package func port() async throws -> Int {
        guard let port = try await address().split(separator: ":").last.flatMap({ Int($0) }) else {
            throw Ended(output: output)
        }
        return port
    }

    /// Sends SIGTERM and gives the exit code.
    package func stop() async -> Int32 {
        child.terminate()
        return await child.exitCode()
    }

    /// Only whole lines are searched.
    private static func line(with text: String, in output: String) -> String? {
        output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .first { $0.contains(text) }.map(String.init)
    }
}

/// True where a program is found as a shell would find it.
package func isInstalled(_ program: String) -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { access("\($0)/\(program)", X_OK) == 0 }
}

/// True where a program may be given a view of the files of its own, with other mounts in it.
package func mayMount() async throws -> Bool {
    try await Program("unshare", ["--mount", "true"]).child.exitCode() == 0
}

/// Runs curl, the real one, and gives what it prints.
package func curl(_ arguments: String...) async throws -> String {
    try await Program("curl", ["-sS", "--max-time", "60"] + arguments).wholeOutput()
}
