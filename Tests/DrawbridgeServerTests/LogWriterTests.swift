import Glibc
import TestSupport
import Testing

@testable import DrawbridgeServer

@Suite(.timeLimit(.minutes(1))) struct LogWriterTests {
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

    @Test func replacesWhatCouldMisleadAReader() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output)
        // C1, an override of the direction, a separator of lines, an invisible tag; letters and emoji stay.
        writer.write("a\u{9B}31mb\u{202E}c\u{2066}d\u{2028}e\u{E0041}f\u{FEFF}g é 名 👩\u{200D}🚀 end")
        let text = try await Self.read(input) { $0.contains("end\n") }
        #expect(text.hasSuffix(" a?31mb?c?d?e?f?g é 名 👩\u{200D}🚀 end\n"), "\(text)")
        withExtendedLifetime(writer) {}
        close(input)
        close(output)
    }

    @Test func keepsItsPromptBelowTheLines() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output, style: LogStyle(drawsPrompt: true))
        writer.write("one")
        writer.setPrompt("answer> o")
        _ = try await Self.read(input) { $0.hasSuffix("answer> o") }
        writer.write("two")
        let second = try await Self.read(input) { $0.hasSuffix("answer> o") }
        #expect(second.contains(#/^\r\x{1B}\[K\d\d:\d\d:\d\d two\nanswer> o$/#), "\(second.debugDescription)")
        writer.setPrompt("answer> ok\n")
        let third = try await Self.read(input) { $0.contains("ok") }
        #expect(third == "\r\u{1B}[Kanswer> ok?")
        writer.setPrompt(nil)
        writer.write("three")
        let last = try await Self.read(input) { $0.hasSuffix("\n") }
        #expect(last.contains(#/^\r\x{1B}\[K\d\d:\d\d:\d\d three\n$/#), "\(last.debugDescription)")
        close(input)
        close(output)
    }

    @Test func manyWritersNeverTearThePrompt() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output, style: LogStyle(drawsPrompt: true))
        writer.setPrompt("> ")
        async let all = Self.read(input) { $0.hasSuffix("end") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    try await blocking {
                        for number in 0..<200 {
                            writer.write("line")
                            if number % 10 == thread { writer.setPrompt("> \(number)") }
                            if number % 7 == thread { writer.flush() }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        writer.setPrompt("end")
        var screen = Screen()
        screen.show(Array(try await all.replacing("\n", with: "\r\n").utf8))
        #expect(screen.lastLine == "end")
        #expect(screen.lines.count == 801)
        #expect(screen.lines.dropLast().allSatisfy { $0.hasSuffix(" line") && $0.count == 13 })
        close(input)
        close(output)
    }

    @Test func showsAsMuchOfThePromptsEndAsARowTakes() {
        #expect(LogWriter.end(of: "answer> ok", columns: 80) == "answer> ok")
        #expect(LogWriter.end(of: "answer> ok", columns: 6) == "r> ok")
        #expect(LogWriter.end(of: "ab名名", columns: 6) == "b名名")
    }

    @Test func coloursOnlyWhereItMay() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output, style: LogStyle(hasColors: true))
        writer.write("calm")
        writer.write("odd", as: .warning)
        writer.write("bad", as: .error)
        writer.write("well", as: .question)
        let text = try await Self.read(input) { $0.contains("well\u{1B}[m\n") }
        let lines = text.replacing(#/\d\d:\d\d:\d\d /#, with: "").split(separator: "\n")
        #expect(
            lines == [
                "calm", "\u{1B}[33modd\u{1B}[m", "\u{1B}[31mbad\u{1B}[m", "\u{1B}[1;36mwell\u{1B}[m",
            ])
        // A pipe has none, whatever the environment says.
        #expect(LogStyle(of: output) { _ in "xterm" } == .plain)
        withExtendedLifetime(writer) {}
        close(input)
        close(output)
    }
}
