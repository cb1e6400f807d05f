import Foundation
import Synchronization
import TestSupport

/// A program of this package, started for a test and ended with it.
final class Program: Sendable {
    private struct State {
        var output = ""
        var isOver = false
        var waiters: [(isDone: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
            []
    }

    struct Ended: Error { let output: String }

    private let state: Arc
    let child: Child

    /// What the thread that reads shares with the program.
    private final class Arc: Sendable {
        let mutex = Mutex(State())
    }

    /// Starts one of the products.
    static func product(
        _ name: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> Program {
        try Program(path(of: name), arguments, environment: environment)
    }

    /// The products lie beside the test's own binary.
    static func path(of product: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own).deletingLastPathComponent().appending(path: product).path()
    }

    init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let state = Arc()
        self.state = state
        child = try Child(executable, arguments, environment: environment) { bytes in
            let ready = state.mutex.withLock { state in
                state.output += String(decoding: bytes, as: UTF8.self)
                state.isOver = bytes.isEmpty
                let now = state
                defer { state.waiters.removeAll { $0.isDone(now) } }
                return state.waiters.filter { $0.isDone(now) }
            }
            for waiter in ready { waiter.continuation.resume() }
        }
    }

    /// All that it has printed.
    var output: String { state.mutex.withLock { $0.output } }

    /// The first line with this text, as soon as it is printed.
    func line(with text: String) async throws -> String {
        await wait { $0.isOver || Self.line(with: text, in: $0.output) != nil }
        guard let line = Self.line(with: text, in: output) else { throw Ended(output: output) }
        return line
    }

    /// All that it prints until it ends.
    func wholeOutput() async -> String {
        await wait(until: \.isOver)
        return output
    }

    /// The address in the first line that has one.
    func address() async throws -> String {
        let line = try await line(with: "listen")
        guard let address = line.firstMatch(of: /https?:\/\/[0-9.:]+/) else { throw Ended(output: output) }
        return String(address.output)
    }

    /// The port of that address.
    func port() async throws -> Int {
        guard let port = try await address().split(separator: ":").last.flatMap({ Int($0) }) else {
            throw Ended(output: output)
        }
        return port
    }

    /// Sends SIGTERM and gives the exit code.
    func stop() async -> Int32 {
        child.terminate()
        return await child.exitCode()
    }

    private func wait(until isDone: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isNow = state.mutex.withLock { state in
                if !isDone(state) { state.waiters.append((isDone, continuation)) }
                return isDone(state)
            }
            if isNow { continuation.resume() }
        }
    }

    /// Only whole lines count.
    private static func line(with text: String, in output: String) -> String? {
        output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .first { $0.contains(text) }.map(String.init)
    }
}

/// Runs curl, the real one, and gives what it prints.
func curl(_ arguments: String...) async throws -> String {
    try await Program("curl", ["-sS", "--max-time", "20"] + arguments).wholeOutput()
}
