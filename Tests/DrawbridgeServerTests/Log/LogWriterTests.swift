import Drawbridge
import Glibc
import HTTPGrammar
import Logging
import TestSupport
import Testing

@testable import DrawbridgeServer

@Suite(.timeLimit(.minutes(5))) struct LogWriterTests {
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
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while !isDone(String(decoding: bytes, as: UTF8.self)) {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                bytes += buffer.prefix(count)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test func linesAreWrittenWithTheirTime() async throws {
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

    @Test func theLogNeverWaitsForItsReaderAndReportsLostLines() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output)
        let line = String(repeating: "x", count: 1000)
        for _ in 0..<10_000 { writer.write(line) }
        writer.write("last")
        let text = try await Self.read(input) { $0.contains("lines of the log were dropped") }
        #expect(text.contains("lines of the log were dropped: its reader is too slow"))
        withExtendedLifetime(writer) {}
        close(input)
        close(output)
    }

    @Test func charactersThatCouldMisleadAReaderAreReplaced() async throws {
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

    @Test func colorsAreWrittenOnlyWhereTheyAreAllowed() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output, hasColors: true)
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
        #expect(!LogWriter.showsColors(output) { _ in "xterm" })
        withExtendedLifetime(writer) {}
        close(input)
        close(output)
    }

    @Test func flushingGivesUpWhenNobodyReads() async throws {
        let (input, output) = Self.pipe()
        Self.fill(output)
        let writer = LogWriter(to: output)
        writer.write("one")
        try await blocking {
            writer.flush()
            writer.say(["two"])
            writer.flush()
        }
        let text = try await Self.read(input) { $0.hasSuffix("two\n") }
        #expect(text.contains(" one\n"))
        close(input)
        close(output)
    }

    @Test func nothingIsLostOnANonblockingOutput() async throws {
        let (input, output) = Self.pipe()
        Self.fill(output)
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        let writer = LogWriter(to: output)
        writer.write("one")
        // It has tried by then.
        try await blocking { writer.flush() }
        writer.write("two")
        let text = try await Self.read(input) { $0.hasSuffix("two\n") || $0.hasSuffix("dropped") }
        #expect(text.drop { $0 == "x" }.contains(#/^\d\d:\d\d:\d\d one\n\d\d:\d\d:\d\d two\n$/#))
        withExtendedLifetime(writer) {}
        close(input)
        close(output)
    }

    /// Makes the next write wait.
    private static func fill(_ output: Int32) {
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
        while write(output, bytes, bytes.count) > 0 {}
        _ = fcntl(output, F_SETFL, 0)
    }
}

/// Lines of JSON, and what swift-log hands over.
@Suite(.timeLimit(.minutes(5))) struct LogLineTests {
    /// What a writer makes of this, until the line with `end`.
    private func lines(
        _ format: LogFormat, _ write: @escaping @Sendable (LogWriter) -> Void
    ) async throws -> [String] {
        try await blocking {
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            defer { for end in ends { close(end) } }
            let writer = LogWriter(to: ends[1])
            writer.format = format
            write(writer)
            writer.write("end")
            var bytes: [UInt8] = []
            var text: String { String(decoding: bytes, as: UTF8.self) }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while !text.contains(#/end[^\n]*\n$/#) {
                let count = read(ends[0], &buffer, buffer.count)
                guard count > 0 else { break }
                bytes += buffer.prefix(count)
            }
            return withExtendedLifetime(writer) { text.split(separator: "\n").map(String.init) }
        }
    }

    @Test func jsonLinesHoldNothingThatControlsATerminal() async throws {
        let text = "a\u{9B}31mb\u{7F}c\u{202E}d\u{E0041}e\u{1B}f\u{2028}g é 名 👩\u{200D}🚀"
        let line = try await lines(.json) { $0.write(["target": .string(text), "\u{202E}": 1]) }[0]
        #expect(line.unicodeScalars.allSatisfy { $0.isHarmless })
        #expect(
            line.contains(#""a\u009b31mb\u007fc\u202ed\udb40\udc41e\u001bf\u2028g é 名 👩\#u{200D}🚀""#),
            "\(line)")
        let parsed = try JSON(parsing: Array(line.utf8))
        #expect(parsed["target"] == .string(text))
        #expect(parsed["\u{202E}"] == 1)
    }

    private struct Fault: Error, CustomStringConvertible { let description = "the disk is full" }

    private static func logger(_ writer: LogWriter) -> Logger {
        Logger(label: "test") { _ in LineLogHandler(writer) }
    }

    @Test func anErrorIsWrittenInItsLogLine() async throws {
        let text = try await lines(.text) {
            Self.logger($0).error("not kept", error: Fault(), metadata: ["request": "r-1"])
        }
        #expect(text[0].hasSuffix(" error: not kept  error=the disk is full  request=r-1"), "\(text)")
        let json = try await lines(.json) { Self.logger($0).error("not kept", error: Fault()) }
        #expect(try JSON(parsing: Array(json[0].utf8))["error"] == "the disk is full")
    }

    @Test func metadataNeverReplacesAFieldOfTheLogLine() async throws {
        let metadata: Logger.Metadata = ["time": "t", "level": "l", "message": "m", "error": "e", "own": "o"]
        let lines = try await lines(.json) { writer in
            Self.logger(writer).warning("said", metadata: metadata)
            Self.logger(writer).error("said", error: Fault(), metadata: metadata)
        }
        let plain = try JSON(parsing: Array(lines[0].utf8))
        #expect(plain["level"] == "warning" && plain["message"] == "said" && plain["own"] == "o")
        #expect(plain["time"]?.stringValue?.hasSuffix("Z") == true)
        #expect(plain["metadata.time"] == "t" && plain["metadata.message"] == "m" && plain["error"] == "e")
        let failed = try JSON(parsing: Array(lines[1].utf8))
        #expect(failed["error"] == "the disk is full" && failed["metadata.error"] == "e")
    }
}
