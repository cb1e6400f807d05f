import Glibc
import TestSupport
import Testing

@testable import DrawbridgeServer

@Suite struct LogWriterTests {
    /// A pipe whose reading end is ours.
    private static func pipe() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        Glibc.pipe(&ends)
        return (ends[0], ends[1])
    }

    private static func read(_ descriptor: Int32, until isDone: @escaping @Sendable (String) -> Bool)
        async throws
        -> String
    {
        try await blocking {
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while !isDone(text) {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                text += String(decoding: buffer.prefix(count), as: UTF8.self)
            }
            return text
        }
    }

    @Test func writesLinesWithTheirTime() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output)
        writer.write("one")
        writer.write("two \u{1B}[2J\nthree")
        let text = try await Self.read(input) { $0.contains("three\n") }
        #expect(text.contains(#/^\d\d:\d\d:\d\d one\n\d\d:\d\d:\d\d two \?\[2J\?three\n$/#), "\(text)")
        withExtendedLifetime(writer) {}
        close(input)
        close(output)
    }

    @Test func neverWaitsForItsReaderAndSaysWhatWasLost() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output)
        let line = String(repeating: "x", count: 1000)
        let start = now()
        for _ in 0..<10_000 { writer.write(line) }
        #expect(now() - start < 5)
        writer.write("last")
        let text = try await Self.read(input) { $0.contains("lines of the log were dropped") }
        #expect(text.contains("lines of the log were dropped: its reader is too slow"))
        withExtendedLifetime(writer) {}
        close(input)
        close(output)
    }
}
