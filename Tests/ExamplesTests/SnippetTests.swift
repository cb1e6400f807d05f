import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The manual cannot rot: its Swift is in files that are compiled, and its curl lines answer what they promise.
@Suite(.timeLimit(.minutes(5))) struct SnippetTests {
    @Test func swiftOfTheManualIsCutFromCompiledCode() throws {
        let code = try CompiledCode()
        let blocks = try Manual.blocks(of: "swift")
        #expect(blocks.count > 20, "the manual was not found")
        for block in blocks {
            for complaint in code.complaints(about: block) { Issue.record("\(complaint)") }
        }
    }

    @Test func curlLinesOfTheManualAnswerWhatTheyPromise() async throws {
        var servers: [String: Program] = [:]
        let promises = Promise.all(in: try Manual.blocks(of: "sh"))
        #expect(promises.count > 20, "the manual was not found")
        for promise in promises {
            let key = "\(promise.file) \(promise.program) \(promise.options)"
            let server = try servers[key] ?? promise.server()
            servers[key] = server
            let answer = try await promise.answer(from: server)
            #expect(
                promise.isKept(by: answer),
                """
                \(promise.place): curl answers \(answer), and the manual says \(promise.expected). Mend what is \
                wrong; … in the manual stands for anything.
                """)
        }
    }

    @Test func aSnippetThatIsNotInTheCodeIsReported() throws {
        let code = CompiledCode([
            (
                "a.swift",
                "struct A {\n    func b() {\n        c()\n    }\n}\n// d()\nlet e = \"\"\"\n    f()\n    \"\"\""
            )
        ])
        func complaints(_ text: String) -> [String] {
            code.complaints(about: Block(file: "x.md", line: 7, lines: text.components(separatedBy: "\n")))
        }
        #expect(complaints("func b() {\n    c()\n}").isEmpty)
        #expect(complaints("struct A {\n…\n}\n\nc()").isEmpty)
        #expect(complaints("struct A {\n    func b…").isEmpty)
        #expect(complaints("c()\n\nfunc b() {\n    d()\n}").first?.hasPrefix("x.md:10: ") == true)
        #expect(complaints("func b() {\nc()").count == 1, "the indentation is another")
        #expect(complaints("// d()").count == 1 && complaints("d()").count == 1, "a comment is not compiled")
        #expect(complaints("f()").count == 1, "nor is a string")
    }
}

/// The Swift files of the package, line by line.
struct CompiledCode {
    private struct Line {
        let indentation: Int
        let text: Substring
        /// False in a comment, in a string of many lines, and where nothing is.
        let isCompiled: Bool
    }

    private var files: [(name: String, lines: [Line])] = []
    /// Where a line with this text is.
    private var places: [Substring: [(file: Int, line: Int)]] = [:]

    init() throws {
        let names = try ["examples", "Tests", "handlers", "Sources"].flatMap {
            try Manual.files(in: $0, ending: ".swift")
        }
        try self.init(
            names.map { ($0, try String(contentsOf: Manual.root.appending(path: $0), encoding: .utf8)) })
    }

    init(_ texts: [(name: String, text: String)]) {
        for (name, text) in texts {
            var isString = false
            let lines = text.components(separatedBy: "\n").map { line in
                let (indentation, text) = Self.split(line)
                let wasString = isString
                if line.components(separatedBy: "\"\"\"").count.isMultiple(of: 2) { isString.toggle() }
                return Line(
                    indentation: indentation, text: text,
                    isCompiled: !text.isEmpty && !text.hasPrefix("//") && !wasString)
            }
            for (index, line) in lines.enumerated() {
                places[line.text, default: []].append((files.count, index))
            }
            files.append((name, lines))
        }
    }

    /// Splits a block at its empty lines and at `…`, and says where each part that is nowhere begins.
    func complaints(about block: Block) -> [String] {
        var complaints: [String] = []
        var run: [String] = []
        func close(at end: Int, isCut: Bool) {
            defer { run = [] }
            guard !run.isEmpty, let (offset, complaint) = complaint(about: run, isCut: isCut) else { return }
            complaints.append(
                """
                \(block.file):\(block.line + end - run.count + offset): \(complaint). Write it as the code has it, or put the \
                code that it shows into Tests/ExamplesTests/Manual.
                """)
        }
        for (index, line) in block.lines.enumerated() {
            let (_, text) = Self.split(line)
            if text.hasSuffix("…") {
                if text != "…" { run.append(String(line.prefix { $0 != "…" })) }
                close(at: text == "…" ? index : index + 1, isCut: text != "…")
            } else if text.isEmpty {
                close(at: index, isCut: false)
            } else {
                run.append(line)
            }
        }
        close(at: block.lines.count, isCut: false)
        return complaints
    }

    /// Which of some lines that should be together somewhere is wrong, and why; of the last one the beginning may be
    /// enough.
    private func complaint(about run: [String], isCut: Bool) -> (line: Int, reason: String)? {
        let wanted = run.map(Self.split)
        var best: (count: Int, place: String) = (0, "")
        for (file, start) in candidates(for: wanted[0].text, isCut: isCut && run.count == 1) {
            let lines = files[file].lines
            var count = 0
            var isCompiled = false
            while count < wanted.count, start + count < lines.count {
                let line = lines[start + count]
                let isLast = isCut && count == wanted.count - 1
                let isSame =
                    isLast ? line.text.hasPrefix(wanted[count].text) : line.text == wanted[count].text
                guard isSame,
                    line.indentation - lines[start].indentation
                        == wanted[count].indentation - wanted[0].indentation
                else { break }
                isCompiled = isCompiled || line.isCompiled
                count += 1
            }
            if count == wanted.count, isCompiled { return nil }
            if count > best.count, count < wanted.count {
                best = (count, "\(files[file].name):\(start + count + 1) goes on otherwise")
            }
        }
        guard best.count > 0 else { return (0, "no compiled file has the line: \(wanted[0].text)") }
        return (best.count, "\(best.place), and this has: \(wanted[best.count].text)")
    }

    private func candidates(for text: Substring, isCut: Bool) -> [(file: Int, line: Int)] {
        isCut ? places.filter { $0.key.hasPrefix(text) }.flatMap(\.value) : places[text] ?? []
    }

    private static func split(_ line: String) -> (indentation: Int, text: Substring) {
        let text = line.drop { $0 == " " }
        let end = text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex
        return (line.count - text.count, text[..<end])
    }
}

/// A curl line of the manual, and what it is said to answer.
struct Promise {
    let place: String
    let command: String
    /// Articles share no server: what one sets, another would find.
    var file: Substring { place.prefix { $0 != ":" } }
    /// Which program answers: the one that the article has started last.
    let program: String
    /// The options of that, where the block starts it with some.
    let options: String
    let expected: String

    /// Lines `# …` are the answer to the curl lines directly above them.
    static func all(in blocks: [Block]) -> [Promise] {
        var promises: [Promise] = []
        var (program, file) = ("drawbridge", "")
        for block in blocks {
            if block.file != file { (program, file) = ("drawbridge", block.file) }
            var options = ""
            var waiting: [(line: Int, command: String)] = []
            var begun: (line: Int, text: String)?
            var answer: [Substring] = []
            func promise() {
                if !answer.isEmpty {
                    promises += waiting.map {
                        Promise(
                            place: "\(block.file):\($0.line)", command: $0.command, program: program,
                            options: options, expected: answer.joined(separator: "\n"))
                    }
                    waiting = []
                }
                answer = []
            }
            for (index, line) in block.lines.enumerated() {
                let (start, text) = begun.map { ($0.line, $0.text + line) } ?? (block.line + index, line)
                begun = text.hasSuffix("\\") ? (start, String(text.dropLast())) : nil
                if begun != nil { continue }
                if text.hasPrefix("#"), !waiting.isEmpty {
                    answer.append(text.dropFirst(2))
                    continue
                }
                promise()
                if text.hasPrefix("curl ") {
                    waiting.append((start, text))
                } else {
                    waiting = []
                    let words = text.split(separator: " ")
                    if words.starts(with: ["swift", "run"]), words.count > 2 { program = String(words[2]) }
                    if let name = ["scripts/serve", "drawbridge"].first(where: text.hasPrefix) {
                        program = "drawbridge"
                        options = String(text.dropFirst(name.count).prefix { $0 != "#" })
                    }
                }
            }
            promise()
        }
        return promises
    }

    /// The command as the manual starts it, on a port that is free.
    func server() throws -> Program {
        let command = try Program.path(of: program)
        let options = options.replacing("--open", with: "")
        return try Program("sh", ["-c", "cd '\(Manual.root.path())' && exec '\(command)' \(options) -p 0"])
    }

    /// What the real curl prints.
    func answer(from server: Program) async throws -> String {
        let address = try await "127.0.0.1:\(server.port())"
        let line = command.replacing("127.0.0.1:8080", with: address)
        let token = command.contains("$token") ? try await server.testerToken() : ""
        return try await Program(
            "sh", ["-c", "curl() { command curl -sS --max-time 20 \"$@\"; }; \(line)"],
            environment: ["token": token]
        )
        .wholeOutput()
    }

    /// `…` matches anything.
    func isKept(by answer: String) -> Bool {
        let parts = expected.components(separatedBy: "…")
        var rest = answer.trimmingCharacters(in: .whitespacesAndNewlines)[...]
        for (index, part) in parts.enumerated() where !part.isEmpty {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return rest.hasSuffix(part)
            } else {
                guard let found = rest.range(of: part) else { return false }
                rest = rest[found.upperBound...]
            }
        }
        return parts.count > 1 || rest.isEmpty
    }
}
