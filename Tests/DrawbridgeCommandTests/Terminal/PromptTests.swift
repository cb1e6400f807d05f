import Dispatch
import DrawbridgeServer
import Glibc
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// The line below a log, byte by byte.
@Suite(.timeLimit(.minutes(5))) struct PromptTests {
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

    @Test func keepsItsPromptBelowTheLines() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output, style: LogStyle(erasesLines: true))
        let prompt = Prompt(below: writer, on: output)
        writer.write("one")
        prompt.show("answer> o")
        _ = try await Self.read(input) { $0.hasSuffix("answer> o") }
        writer.write("two")
        let second = try await Self.read(input) { $0.hasSuffix("answer> o") }
        #expect(second.contains(#/^\r\x{1B}\[K\d\d:\d\d:\d\d two\nanswer> o$/#), "\(second.debugDescription)")
        prompt.show("answer> ok\n")
        let third = try await Self.read(input) { $0.contains("ok") }
        #expect(third == "\r\u{1B}[Kanswer> ok?")
        prompt.hide()
        writer.write("three")
        let last = try await Self.read(input) { $0.hasSuffix("\n") }
        #expect(last.contains(#/^\r\x{1B}\[K\d\d:\d\d:\d\d three\n$/#), "\(last.debugDescription)")
        withExtendedLifetime(prompt) {}
        close(input)
        close(output)
    }

    @Test func manyWritersNeverTearThePrompt() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output, style: LogStyle(erasesLines: true))
        let prompt = Prompt(below: writer, on: output)
        prompt.show("> ")
        async let all = Self.read(input) { $0.hasSuffix("end") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    try await blocking {
                        for number in 0..<200 {
                            writer.write("line")
                            if number % 10 == thread { prompt.show("> \(number)") }
                            if number % 7 == thread { writer.flush() }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        prompt.show("end")
        var screen = Screen()
        screen.show(Array(try await all.replacing("\n", with: "\r\n").utf8))
        #expect(screen.lastLine == "end")
        #expect(screen.lines.count == 801)
        #expect(screen.lines.dropLast().allSatisfy { $0.hasSuffix(" line") && $0.count == 13 })
        withExtendedLifetime(prompt) {}
        close(input)
        close(output)
    }

    @Test func showsAsMuchOfThePromptsEndAsARowTakes() {
        #expect(Prompt.end(of: "answer> ok", columns: 80) == "answer> ok")
        #expect(Prompt.end(of: "answer> ok", columns: 6) == "r> ok")
        #expect(Prompt.end(of: "ab名名", columns: 6) == "b名名")
    }

    @Test func endsForGoodWithWhatWaits() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output, style: LogStyle(erasesLines: true))
        let prompt = Prompt(below: writer, on: output)
        prompt.show("answer> ", about: 1)
        _ = try await Self.read(input) { $0.hasSuffix("answer> ") }
        writer.write("last")
        try await blocking { prompt.end() }
        // Nothing shows it again.
        prompt.show("answer> ", about: 2)
        try await blocking { writer.say(["end"]) }
        let rest = try await Self.read(input) { $0.hasSuffix("end\n") }
        // The log's thread may have written the line, and the prompt below it, before the prompt ended.
        let isRight = rest.contains(
            #/^\r\x{1B}\[K\d\d:\d\d:\d\d last\n(answer> \r\x{1B}\[K)?end\n$/#)
        #expect(isRight, "\(rest.debugDescription)")
        #expect(await eventually { prompt.subjectOnScreen == nil })
        withExtendedLifetime(prompt) {}
        close(input)
        close(output)
    }

    /// A question's line comes first: whoever sees the prompt knows what it is about.
    @Test func isNeverThereBeforeTheLineThatItIsAbout() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output, style: LogStyle(erasesLines: true))
        let prompt = Prompt(below: writer, on: output)
        async let all = Self.read(input) { $0.hasSuffix("300> ") }
        try await blocking {
            for number in 1...300 {
                writer.write("question \(number).")
                prompt.show("\(number)> ")
                usleep(UInt32(number % 7) * 500)
            }
        }
        var asked = 0
        for match in try await all.matches(of: #/question (\d+)\.|(\d+)> /#) {
            if let question = match.1 { asked = Int(question) ?? 0 }
            if let shown = match.2 { #expect(Int(shown) ?? 0 <= asked) }
        }
        #expect(asked == 300)
        withExtendedLifetime(prompt) {}
        close(input)
        close(output)
    }

    /// A person who types answers what is seen, and not what is about to be.
    @Test func isAboutWhatIsOnTheScreen() async throws {
        let (input, output) = Self.pipe()
        let writer = LogWriter(to: output, style: LogStyle(erasesLines: true))
        let prompt = Prompt(below: writer, on: output)
        #expect(prompt.subjectOnScreen == nil)
        prompt.show("1> ", about: 1)
        try await blocking { writer.flush(within: .seconds(50)) }
        #expect(prompt.subjectOnScreen == 1)
        prompt.hide()
        try await blocking { writer.flush(within: .seconds(50)) }
        #expect(prompt.subjectOnScreen == nil)
        // Nobody reads, as where a terminal is stopped.
        Self.fill(output)
        prompt.show("2> ", about: 2)
        try await blocking { writer.flush(within: .milliseconds(50)) }
        #expect(prompt.subjectOnScreen == nil)
        let text = try await Self.read(input) { $0.hasSuffix("2> ") }
        #expect(text.hasPrefix("1> \r\u{1B}[K"))
        try await blocking { writer.flush(within: .seconds(50)) }
        #expect(prompt.subjectOnScreen == 2)
        withExtendedLifetime(prompt) {}
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
