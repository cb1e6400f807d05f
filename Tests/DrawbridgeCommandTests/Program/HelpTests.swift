import Foundation
import ProgramSupport
import TestSupport
import Testing

/// What the command says about itself: help, manual page, completions; and that none of it is only said.
@Suite(.timeLimit(.minutes(5))) struct HelpTests {
    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: Manual.root.appending(path: path)), as: UTF8.self)
    }

    private static func help() async throws -> String {
        let program = try Program.product("drawbridge", ["--help"], environment: ["COLUMNS": "80"])
        let help = await program.wholeOutput()
        #expect(await program.child.exitCode() == 0)
        return help
    }

    /// All long flags that the help has.
    private static func flags() async throws -> [String] {
        let flags = try await help().matches(of: /(?m)^  (?:-\w, )?(--[a-z-]+)(?:\/(--[a-z-]+))?/)
        return flags.flatMap { [String($0.output.1), $0.output.2.map(String.init)].compactMap(\.self) }
    }

    @Test func theHelpEqualsTheReviewedText() async throws {
        let help = try await Self.help()
        let known = try Self.text("Tests/DrawbridgeCommandTests/Program/help.txt")
        #expect(
            help == known,
            "read the new help, and if it is right: .build/debug/drawbridge --help > Tests/DrawbridgeCommandTests/Program/help.txt"
        )
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func everyFlagIsTested() async throws {
        let folder = Manual.root.appending(path: "Tests/DrawbridgeCommandTests/Program")
        let tests = try FileManager.default.contentsOfDirectory(atPath: folder.path())
            .filter { $0.hasSuffix(".swift") && $0 != "HelpTests.swift" }
            .map { try Self.text("Tests/DrawbridgeCommandTests/Program/\($0)") }.joined()
        let flags = try await Self.flags()
        #expect(flags.count >= 19, "\(flags)")
        for flag in flags where !["--help", "--version"].contains(flag) {
            let isTested = tests.contains("\"\(flag)\"")
            #expect(isTested, "no test starts the command with \(flag)")
        }
    }

    @Test func everyFlagIsInTheManualPage() async throws {
        let folder = try Folder()
        let share = Manual.root.appending(path: "packaging/share").path()
        let written = try Program(share, [Program.path(of: "drawbridge"), folder.path])
        #expect(await written.child.exitCode() == 0)
        let file = URL(filePath: folder.path).appending(path: "man/man1/drawbridge.1")
        let page = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        // In mdoc a flag is written without its first dash.
        let entries = page.split(separator: "\n").filter { $0.hasPrefix(".It Fl ") }
        let known = entries.flatMap { $0.matches(of: /Fl (\S+)/).map { "-\($0.output.1)" } }
        for flag in try await Self.flags() {
            #expect(known.contains(flag), "the manual page does not know \(flag)")
        }
        for variable in ["PORT", "DRAWBRIDGE_HOST", "NO_COLOR", "XDG_STATE_HOME"] {
            #expect(page.contains(".It Ev \(variable)"))
        }
    }

    @Test func theListOfOptionsAllowedInFilesIsCurrent() async throws {
        guard isInstalled("python3") else { try Test.cancel("python3 is not there") }
        let script = Manual.root.appending(path: "scripts/options").path()
        let check = try Program("python3", [script, "--check", Program.path(of: "drawbridge")])
        let said = await check.wholeOutput()
        #expect(await check.child.exitCode() == 0, "\(said)")
    }

    @Test func everyFlagIsAlsoASettingOfTheFile() async throws {
        let folder = try Folder()
        let program = try Program.product("drawbridge", ["-c", folder.write("a.json", #"{"xyzzy":1}"#)])
        let line = try await program.line(with: "no such setting; ")
        let settings = try #require(line.firstMatch(of: /settings are (.*)/)).output.1.split(separator: ", ")
        let flags = try await Self.flags().map { String($0.dropFirst(2)) }.filter { !$0.hasPrefix("no-") }
        // A reply of the file is under its own name, below `replies`; what no flag says has keys of its own, and
        // `userAgent`, which pages may have each for themselves, is one of those.
        #expect(
            Set(settings.map(String.init)).subtracting([
                "cookies", "events", "globals", "mocks", "pages", "scenarios", "userAgent",
            ])
                == Set(flags).subtracting([
                    "help", "version", "config", "schema", "token-stdin", "reply", "user-agent",
                ]))
    }

    @Test func theShortFlagHShowsTheHelpAndIsNotTheHost() async throws {
        let program = try Program.product("drawbridge", ["-h"])
        #expect(await program.child.exitCode() == 0)
        _ = try await program.line(with: "--allowed-hosts")
    }

    @Test func theVersionFlagPrintsTheVersionOfTheCommandOrProgram() async throws {
        let version = try await Program.product("drawbridge", ["--version"]).wholeOutput()
        #expect(version.wholeMatch(of: /\d+\.\d+\.\d+(-\w+)?\n/) != nil, "\(version)")
        let own = try await Program.product("test-server", ["--version"]).wholeOutput()
        #expect(own == "1.2.3\n")
    }

    /// As a shell completes it.
    @Test func theShellCompletesFlagsAndTheirValues() async throws {
        let folder = try Folder()
        let script = try await Program.product("drawbridge", ["--generate-completion-script", "bash"])
            .wholeOutput()
        let file = try folder.write("completion.bash", script)
        func complete(_ words: String...) async throws -> [Substring] {
            let line = words.joined(separator: " ")
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            let command = """
                source \(file); COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); COMP_LINE='\(line)'
                COMP_POINT=\(line.count); _drawbridge drawbridge '\(words.last ?? "")' '\(words.dropLast().last ?? "")'
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            return try await Program("bash", ["-c", command]).wholeOutput().split(separator: "\n")
        }
        #expect(try await complete("drawbridge", "--allow").map { $0.trimmed } == ["--allowed-hosts"])
        #expect(try await complete("drawbridge", "--log-format", "").map { $0.trimmed } == ["text", "json"])
        for shell in ["zsh", "fish"] {
            let script = try await Program.product("drawbridge", ["--generate-completion-script", shell])
                .wholeOutput()
            #expect(script.contains("allowed-hosts"))
        }
    }
}

extension Substring {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
