import Drawbridge
import Foundation
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// A `drawbridge.json` that nobody has named: where it is found, what it may say, and that no page gets it.
@Suite("A settings file that is found", .timeLimit(.minutes(5))) struct FoundFileTests {
    private static func drawbridge(in folder: Folder, _ arguments: String...) throws -> Program {
        try .product("drawbridge", ["-p", "0"] + arguments, in: folder)
    }

    private static func call(_ address: String, _ name: String) async throws -> String {
        try await curl("\(address)/\(name)?_mobile_bridge=1")
    }

    @Test func theFileIsFoundInTheServedFolderElseInTheWorkingFolder() async throws {
        let folder = try Folder()
        try folder.write("page/index.html", "<p>page</p>")
        try folder.write("drawbridge.json", #"{"mocks": {"a": "working"}}"#)
        let working = try Self.drawbridge(in: folder, "--root", "page/")
        _ = try await working.line(with: "settings  drawbridge.json  (found)")
        #expect(try await Self.call(working.address(), "a").contains("working"))

        try folder.write(
            "page/drawbridge.json", #"{"replies": {"a": "served"}, "shortcuts": "MyApp"} // mine"#)
        let served = try Self.drawbridge(in: folder, "--root", "page/")
        let address = try await served.address()
        _ = try await served.line(
            with: "settings  page/drawbridge.json  (found; ./drawbridge.json is not read)")
        #expect(try await Self.call(address, "a").contains("served"))
        #expect(try await curl("\(address)/__drawbridge__/page.js?path=/").contains(#""MyApp""#))
        // No page gets it, and what else is there it does.
        #expect(
            try await curl("-o", "/dev/null", "-w", "%{http_code}", "\(address)/drawbridge.json") == "404")
        #expect(try await curl("\(address)/") == "<p>page</p>")
        try folder.write("page/drawbridge.json", #"{"replies": {"a": "saved"}}"#)
        _ = try await served.line(with: "page/drawbridge.json: 1 changed (a)")
        #expect(try await Self.call(address, "a").contains("saved"))

        try folder.write("named.json", #"{"replies": {"b": 1}}"#)
        let named = try Self.drawbridge(in: folder, "-c", "named.json")
        #expect(try await Self.call(named.address(), "a").contains("No response"))

        // Flags have the other name too.
        let flags = try Self.drawbridge(in: folder, "--mock", "c=2", "--mocks", "named.json")
        #expect(try await Self.call(flags.address(), "b").contains(#""data":1"#))
        #expect(try await Self.call(flags.address(), "c").contains(#""data":2"#))
    }

    /// One file is not taken for two where its folder has two names.
    @Test func theWorkingFolderMayBeServedByAnyName() async throws {
        let folder = try Folder()
        try folder.write("drawbridge.json", #"{"replies": {"a": 1}}"#)
        for root in [".", "./", folder.path] {
            let program = try Self.drawbridge(in: folder, "--root", root)
            _ = try await program.line(with: "settings  drawbridge.json  (found)")
        }
    }

    @Test func aNewFileIsCreatedNextToThePageIfItsFolderIsWritable() throws {
        let folder = try Folder()
        #expect(FoundFile.new(in: folder.path) == "\(folder.path)/drawbridge.json")
        #expect(FoundFile.new(in: "/") == "/drawbridge.json")
        #expect(FoundFile.new(in: "\(folder.path)/none") == "drawbridge.json")
        #expect(FoundFile.new(in: nil) == "drawbridge.json")
    }

    /// Every setting is either one that such a file may have, or is refused with what to do.
    @Test func aFoundFileMaySetOnlyHarmlessOptions() async throws {
        let mayHave: Set<String> = [
            "answer-missing", "bridge", "built-ins", "command-item", "envelope", "inject", "message-handler",
            "scheme", "shortcuts", "single-page",
        ]
        #expect(Set(Setting.keys(isFound: true)) == mayHave)
        let mayNot = Set(Setting.keys(isFound: false)).subtracting(mayHave)
        #expect(mayNot.count > 30)
        let folder = try Folder()
        for key in mayNot.sorted() {
            let path = try folder.write("drawbridge.json", "{\n\"\(key)\": \"x\"}")
            let text = try FileText(path)
            let failure = try #require(throws: Failure.self) { try ConfigFile(text, isFound: true) }
            #expect("\(failure)".contains("line 2, \(key): only allowed in a file given by -c"))
            #expect("\(failure)".contains(" -c \(path)"))
        }
        let program = try Self.drawbridge(in: folder)
        _ = try await program.line(with: "only allowed in a file given by -c: drawbridge -c drawbridge.json")
        #expect(await program.child.exitCode() == 1)
    }

    @Test(arguments: [
        #""flutter""#, #"["dsbridge", "flutter"]"#, #"{"name": "flutter"}"#,
        #"[{"name": "flutter", "options": {}}]"#,
        #""flutter={}""#,
    ]) func aFoundFileMayGivePagesAShippedBridge(_ value: String) async throws {
        let folder = try Folder()
        try folder.write("drawbridge.json", #"{"bridge": \#(value), "replies": {"a": 1}}"#)
        let program = try Self.drawbridge(in: folder)
        let script = try await curl("\(program.address())/__drawbridge__/bridge/flutter.js")
        #expect(script.contains("flutter_inappwebview"))
    }

    /// A script is code in every page: who unpacks a folder has not said that it may run.
    @Test(arguments: [
        #""./mine.js""#, #""mine.js""#, #"["flutter", "mine.js={}"]"#, #"{"file": "mine.js"}"#,
        #"[{"file": "bridges/mine.js", "options": {}}]"#, #"{"name": "./mine.js"}"#, #"{"name": "../mine"}"#,
        #"{"file": "/etc/mine.js=.js"}"#,
    ]) func aFoundFileMayNotGivePagesAScript(_ value: String) throws {
        let folder = try Folder()
        try folder.write("mine.js", "drawbridge.bridge(native => {})")
        try folder.write("bridges/mine.js", "drawbridge.bridge(native => {})")
        let path = try folder.write("drawbridge.json", "{\n\"bridge\": \(value)}")
        let failure = try #require(throws: Failure.self) { try ConfigFile(FileText(path), isFound: true) }
        #expect(
            "\(failure)".contains("line 2, bridge: only a file given by -c may name a script of a bridge"))
        #expect("\(failure)".hasSuffix(" -c \(path)"))
        #expect(throws: Never.self) { try ConfigFile(FileText(path), isFound: false) }
    }

    @Test(arguments: ["headers", "body"]) func aFoundFileMayNotAnswerWithADocument(_ part: String)
        async throws
    {
        let folder = try Folder()
        let value = part == "body" ? #""<script>""# : #"{"Content-Type": "text/html"}"#
        let text =
            #"{"replies": {"a": {"$response": {"\#(part)": \#(value)}}, "b": {"$response": {"status": 401, "json": 1}}}}"#
        try folder.write("drawbridge.json", text)
        let program = try Self.drawbridge(in: folder)
        _ = try await program.line(
            with: "replies.a.$response.\(part): \(part) is only allowed in a file that -c or --replies names")
        let named = try Self.drawbridge(in: folder, "-c", "drawbridge.json")
        #expect(
            try await curl("-o", "/dev/null", "-w", "%{http_code}", "\(named.address())/b?_mobile_bridge=1")
                == "401")
    }

    @Test func anUntrustedFileIsIgnoredAndReported() async throws {
        let folder = try Folder()
        let mine = try folder.write("mine.json", #"{"replies": {"a": 1}}"#)
        let file = "\(folder.path)/drawbridge.json"
        #expect(symlink(mine, file) == 0)
        let linked = try Self.drawbridge(in: folder)
        _ = try await linked.line(
            with: "drawbridge.json is not read: it is a link, or no regular file; name it")
        #expect(try await Self.call(linked.address(), "a").contains("No response"))
        #expect(unlink(file) == 0)
        try folder.write("drawbridge.json", #"{"replies": {"a": 1}}"#, mode: 0o666)
        let open = try Self.drawbridge(in: folder)
        _ = try await open.line(with: "drawbridge.json is not read: anybody may write it; chmod o-w")
        #expect(mkdir("\(folder.path)/sub", 0o755) == 0)
        let below = try Program(
            "sh", ["-c", "cd '\(folder.path)/sub' && exec '\(try Program.path(of: "drawbridge"))' -p 0"])
        #expect(try await Self.call(below.address(), "a").contains("No response"), "never a parent's")
    }

    /// Most people begin without one, and write it when they see who calls.
    @Test func aFileThatIsCreatedLaterIsUsedToo() async throws {
        let folder = try Folder()
        try folder.write("page/index.html", "<p>page")
        let program = try Self.drawbridge(in: folder, "--root", "page")
        let address = try await program.address()
        #expect(try await Self.call(address, "a").contains("No response"))
        try folder.write("page/drawbridge.json", #"{"replies": {"a": "later"}}"#)
        _ = try await program.line(with: "found page/drawbridge.json")
        #expect(try await Self.call(address, "a").contains("later"))
        #expect(
            try await curl("-o", "/dev/null", "-w", "%{http_code}", "\(address)/drawbridge.json") == "404")
        try folder.write("page/drawbridge.json", #"{"replies": {"a": "saved"}}"#)
        _ = try await program.line(with: "page/drawbridge.json: 1 changed (a)")
        #expect(try await Self.call(address, "a").contains("saved"))
    }

    /// What comes while it runs is read as what was there at the start: a mistake is said once, also where it comes again,
    /// of two files the served folder's is used, and no page gets either, whatever is in it.
    @Test func aNewFileWithAMistakeIsReportedOnceAndUsedWhenFixed() async throws {
        let folder = try Folder()
        try folder.write("page/index.html", "<p>page")
        try folder.write("mocks.json", #"{"replies": {"m0": 1}}"#)
        let program = try Self.drawbridge(in: folder, "--root", "page", "--replies", "mocks.json")
        let address = try await program.address()
        func lines(_ text: String) -> Int { program.output.components(separatedBy: text).count - 1 }
        let mistake = "error: page/drawbridge.json, line 1, column 14: expected"

        try folder.write("page/drawbridge.json", #"{"replies": {"#)
        try folder.write("drawbridge.json", #"{"replies": {"a": "working"}}"#)
        _ = try await program.line(with: mistake)
        _ = try await program.line(with: "it is used as soon as it is valid")
        // It comes once more, and is looked at when another file is, which is told.
        for round in 1...2 {
            // A file that is written in its place is empty for a moment, and then it is as if it came for the first time.
            let next = try folder.write("page/next", #"{"replies": {"#)
            #expect(rename(next, "\(folder.path)/page/drawbridge.json") == 0)
            try folder.write("mocks.json", #"{"replies": {"m\#(round)": 1}}"#)
            _ = try await program.line(
                with: "mocks.json: 1 new (m\(round)), 1 gone (m\(round - 1)), 0 as before")
        }
        #expect(lines(mistake) == 1)
        #expect(try await Self.call(address, "a").contains("No response"))
        #expect(
            try await curl("-o", "/dev/null", "-w", "%{http_code}", "\(address)/drawbridge.json") == "404")

        try folder.write("page/drawbridge.json", #"{"root": "/"}"#)
        _ = try await program.line(with: "line 1, root: only allowed in a file given by -c")
        try FileManager.default.removeItem(atPath: "\(folder.path)/page/drawbridge.json")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/page/drawbridge.json", withDestinationPath: "../drawbridge.json")
        _ = try await program.line(
            with: "page/drawbridge.json is not read: it is a link, or no regular file")
        #expect(try await Self.call(address, "a").contains("No response"))

        try FileManager.default.removeItem(atPath: "\(folder.path)/page/drawbridge.json")
        try folder.write("page/drawbridge.json", #"{"replies": {"a": "served"}, "shortcuts": "MyApp"}"#)
        _ = try await program.line(
            with: "used from now on; shortcuts: MyApp; pages have it when they are loaded again")
        #expect(try await Self.call(address, "a").contains("served"))
    }

    /// One that was not read at the start is used as soon as it may be read.
    @Test func aWorldWritableFileIsUsedOnceItsModeIsFixed() async throws {
        let folder = try Folder()
        let path = try folder.write("drawbridge.json", #"{"replies": {"a": "mine"}}"#)
        chmod(path, 0o666)
        let program = try Self.drawbridge(in: folder)
        let address = try await program.address()
        _ = try await program.line(with: "anybody may write it; chmod o-w")
        #expect(try await Self.call(address, "a").contains("No response"))
        chmod(path, 0o644)
        _ = try await program.line(
            with: "found drawbridge.json: its mocks are used from now on")
        #expect(try await Self.call(address, "a").contains("mine"))
        #expect(program.output.components(separatedBy: "anybody may write it").count == 2)
    }

    /// A file that is named may also name the script of a bridge, which is watched from then on.
    @Test func theLogSaysWhatPagesGetOfASavedFileAndWhatNeedsARestart() async throws {
        let folder = try Folder()
        let path = try folder.write("settings.json", #"{"replies": {"a": 1}, "inject": "f"}"#)
        let program = try Program.product("drawbridge", ["-p", "0", "-c", path, "--inject", "callNative"])
        _ = try await program.address()
        try folder.write(
            "settings.json",
            #"{"replies": {"a": 1}, "bridge": ["android", "dsbridge"], "port": 1, "answer-missing": true}"#)
        _ = try await program.line(
            with: """
                settings.json: 1 as before; answer-missing, bridge: android, dsbridge; pages have it when they are loaded \
                again; --inject of the command line still applies; port: at the next start
                """)
        try folder.write("mine.js", "drawbridge.setUp(() => {})")
        try folder.write("settings.json", #"{"bridge": "mine.js", "port": 1}"#)
        let line = try await program.line(with: "mine.js; pages have it when they are loaded again")
        #expect(line.contains("answer-missing: none, bridge: ") && !line.contains("port"), "\(line)")
        try folder.write("mine.js", "drawbridge.setUp(() => 1)")
        _ = try await program.line(with: "mine.js: open pages reload too")
    }
}
