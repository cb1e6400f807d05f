import Dispatch

/// What is done with one input: it is parsed, and what must hold of the result is checked.
protocol FuzzTarget {
    /// Takes any bytes; what does not hold ends the process, and libFuzzer keeps the bytes.
    static func run(_ bytes: [UInt8])
}

extension FuzzTarget {
    /// Ends the process unless it holds.
    static func check(
        _ holds: @autoclosure () -> Bool, _ message: @autoclosure () -> String, line: UInt = #line
    ) {
        if !holds() { fatalError("\(Self.self), line \(line): \(message())") }
    }

    /// The first lines of an input as texts, and what follows them; lines that are missing are empty.
    static func split(_ bytes: [UInt8], lines count: Int) -> (lines: [String], rest: [UInt8]) {
        let parts = bytes.split(separator: 0x0A, maxSplits: count, omittingEmptySubsequences: false)
        let lines = (0..<count).map { $0 < parts.count ? String(decoding: parts[$0], as: UTF8.self) : "" }
        return (lines, parts.count > count ? Array(parts[count]) : [])
    }

    /// Waits for asynchronous work: libFuzzer's call returns when the input is done with.
    static func wait<Value: Sendable>(for work: @escaping @Sendable () async throws -> Value) -> Value {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var value: Value?
        Task {
            do {
                value = try await work()
                done.signal()
            } catch {
                fatalError("\(Self.self): \(error)")
            }
        }
        done.wait()
        return value!
    }
}
