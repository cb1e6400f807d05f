import Drawbridge
import Foundation
import TestSupport
import Testing

/// The inspector of the command: its link, and the file that it saves into.
@Suite("Flags of the inspector", .timeLimit(.minutes(5))) struct InspectorFlagTests {
    private static let token = String(repeating: "t", count: 32)

    private static func drawbridge(in folder: Folder, _ arguments: String...) throws -> Program {
        try .product(
            "drawbridge", ["-p", "0"] + arguments, in: folder, environment: ["DRAWBRIDGE_TOKEN": token])
    }

    @Test func theBannersInspectorLinkWorksOnce() async throws {
        let folder = try Folder()
        let program = try Self.drawbridge(in: folder)
        let address = try await program.address()
        let visit = try await InspectorVisit(try await program.line(with: "  inspector "))
        _ = try await curl("\(address)/echo?_mobile_bridge=1&n=1")
        let calls = try await curl(
            "-H", "Authorization: Bearer \(visit.secret)", "\(visit.origin)/__drawbridge__/calls")
        #expect(calls.contains(#""name":"echo""#))
        #expect(!program.output.contains(visit.secret))
        let again = try #require(program.output.split(separator: "#").dropFirst().first?.prefix(32))
        #expect(
            try await curl("-d", #"{"ticket":"\#(again)"}"#, "\(visit.origin)/ticket").contains("was used"))
        #expect(await program.stop() == 0)
    }

    /// The page first, and then the inspector by a file that nobody else reads, and that goes with the process.
    @Test func theOpenFlagOpensPageAndInspectorInTheDesktopsBrowser() async throws {
        let desktop = try FakeDesktop()
        let program = try Program.product(
            "drawbridge", ["-p", "0", "--open"], environment: desktop.environment)
        let address = try await program.address()
        let lines = try await desktop.file()
        #expect(lines.dropFirst().first == "600", "\(program.output)")
        let link = try #require(lines.last { $0.contains("location.replace") }?.split(separator: "\"")[1])
        #expect(desktop.folders == 1)
        _ = try await InspectorVisit(String(link))
        #expect(try await desktop.address() == "\(address)/")
        #expect(await program.stop() == 0)
        #expect(desktop.folders == 0)
    }

    @Test func flagsTurnTheInspectorOffAndSetItsPort() async throws {
        let folder = try Folder()
        let none = try Self.drawbridge(in: folder, "--no-inspector")
        _ = try await none.address()
        #expect(!none.output.contains("inspector"))
        let port = try freePort()
        let chosen = try Self.drawbridge(
            in: folder, "--no-inspector", "--inspector", "--inspector-port", "\(port)")
        #expect(try await chosen.line(with: "  inspector ").contains(".localhost:\(port)/#"))
        let second = try Self.drawbridge(in: folder, "--inspector-port", "\(port)")
        #expect(await second.child.exitCode() == 1)
        #expect(await second.wholeOutput().contains("\(port)"))
        let wrong = try Self.drawbridge(in: folder, "--inspector-port", "65536")
        #expect(await wrong.child.exitCode() == 64)
        let json = try Self.drawbridge(in: folder, "--log-format", "json")
        #expect(try await json.line(with: "listening").contains(#""inspector":"http:"#))
        let quiet = try Self.drawbridge(in: folder, "-q")
        _ = try await quiet.line(with: "listens on")
        #expect(!quiet.output.contains("inspector"))
    }

    static let file = """
        // Ours.
        {
          "replies": {
            // Who.
            "getUser": {"nick": "Ann"}  // for now
          },
          "inject": "callNative"
        }

        """

    /// One line more, live at once, and the same rights.
    @Test func aSavedAnswerAddsOneLineToTheFileAndIsUsedAtOnce() async throws {
        let folder = try Folder()
        let path = try folder.write("drawbridge.json", Self.file, mode: 0o640)
        let program = try Self.drawbridge(in: folder)
        let address = try await program.address()
        let visit = try await InspectorVisit(try await program.line(with: "  inspector "))
        #expect(try await curl("\(address)/getVip?_mobile_bridge=1").contains("No response"))
        let answer = try await visit.save("getVip", #"{"level":3}"#)
        #expect(answer == #"{"code":200,"data":{"file":"drawbridge.json","line":6,"save":1},"message":""}"#)
        #expect(try await curl("\(address)/getVip?_mobile_bridge=1").contains(#""data":{"level":3}"#))
        var lines = Self.file.split(separator: "\n", omittingEmptySubsequences: false)
        lines[4] = #"    "getUser": {"nick": "Ann"},  // for now"#
        lines.insert(#"    "getVip": {"level": 3}"#, at: 5)
        #expect(try folder.read("drawbridge.json") == lines.joined(separator: "\n"))
        _ = try await visit.save("getVip", #"{"level":4}"#)
        _ = try await visit.save("getUser", "null")
        lines[4] = #"    "getUser": null,  // for now"#
        lines[5] = #"    "getVip": {"level": 4}"#
        #expect(try folder.read("drawbridge.json") == lines.joined(separator: "\n"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drawbridge.json"])
        #expect(await program.stop() == 0)
    }

    /// To replace it a program needs only a right to the folder, which is not what its owner said of the file.
    @Test func aFileThatMayNotBeWrittenIsNotReplaced() async throws {
        let folder = try Folder()
        try folder.write("drawbridge.json", Self.file, mode: 0o444)
        let program = try Self.drawbridge(in: folder)
        let visit = try await InspectorVisit(try await program.line(with: "  inspector "))
        let answer = try await visit.save("getVip", "1")
        #expect(answer.contains(#""code":409"#) && answer.contains("the right to write there"), "\(answer)")
        #expect(try folder.read("drawbridge.json") == Self.file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drawbridge.json"])
        #expect(await program.stop() == 0)
    }

    @Test func savingCreatesTheFileWhereThereIsNone() async throws {
        let folder = try Folder()
        let program = try Self.drawbridge(in: folder)
        let address = try await program.address()
        let visit = try await InspectorVisit(try await program.line(with: "  inspector "))
        #expect(try await visit.save("a/b", "[1,2]").contains(#""line":3"#))
        #expect(
            try folder.read("drawbridge.json")
                == "{\n    \"replies\": {\n        \"a/b\": [1, 2]\n    },\n    \"built-ins\": true\n}\n")
        #expect(try await curl("\(address)/a/b?_mobile_bridge=1").contains("[1,2]"))
        #expect(try await visit.save("c", "1").contains(#""line":4"#))
        #expect(try await curl("\(address)/c?_mobile_bridge=1").contains(#""data":1"#))
        #expect(await program.stop() == 0)
    }

    /// Where `init` would write it, and the next start finds it.
    @Test func savingCreatesTheFileNextToThePage() async throws {
        let folder = try Folder()
        try folder.write("page/index.html", "<p>page")
        let program = try Self.drawbridge(in: folder, "page", "--no-built-ins")
        let visit = try await InspectorVisit(try await program.line(with: "  inspector "))
        #expect(
            try await visit.save("pay", "1").contains(#"{"file":"page/drawbridge.json","line":3,"save":1}"#))
        #expect(try folder.read("page/drawbridge.json").contains(#""pay": 1"#))
        let address = try await program.address()
        #expect(try await curl("\(address)/pay?_mobile_bridge=1").contains(#""data":1"#))
        _ = try await curl("\(address)/vibrate?_mobile_bridge=1")
        _ = try await program.line(with: "add \"vibrate\" to page/drawbridge.json")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["page"])
        #expect(await program.stop() == 0)
    }

    /// Both change with the file.
    @Test func theInspectorIsToldOfBuiltInHandlersAndOfARefusedFile() async throws {
        let folder = try Folder()
        let program = try Self.drawbridge(in: folder)
        let line = try await program.line(with: "  inspector ")
        #expect(line.hasSuffix("  (see and answer each call; the link works once)"), "\(line)")
        let heard = try await InspectorVisit(line).follow()
        /// Waits for an event with this in it.
        func event(_ name: String, _ text: String) async throws {
            let isThere = await eventually {
                let last = heard.output.components(separatedBy: "\n\n").dropLast()
                    .last { $0.hasPrefix("event: \(name)\ndata: ") }
                return last?.contains(text) == true
            }
            try #require(isThere, "\(name) \(text) is not in \(heard.output)")
        }
        try await event(
            "gateway", #""builtIns":["alert","deviceInfo","echo","login","makeACall","openURL","pay""#)
        try await event("replies", #""problem":null"#)
        try folder.write("drawbridge.json", "{\"replies\": {\n\"pay\": {\"$pass\": true}}}")
        try await event("gateway", #""builtIns":["pay"]"#)
        try folder.write("drawbridge.json", "{\"replies\": {\n\"pay\": {\"$delya\": 1}}}")
        try await event("replies", #""problem":"drawbridge.json, line 2, "#)
        let complaint = try await program.line(with: "; still using the previous version")
        let sentence = try #require(complaint.components(separatedBy: "error: ").last)
        let problem = sentence.replacing("; still using the previous version", with: "")
        try await event("replies", "\"problem\":\(JSON.string(problem))")
        try folder.write("drawbridge.json", "{\"replies\": {\n\"pay\": {\"$pass\": true}}}")
        try await event("replies", #""problem":null"#)
    }

    /// What is in the file is never lost, whatever has become of it.
    @Test func aFileThatChangedMeanwhileIsNotOverwritten() async throws {
        let folder = try Folder()
        _ = try folder.write("drawbridge.json", Self.file)
        let program = try Self.drawbridge(in: folder)
        _ = try await program.address()
        let visit = try await InspectorVisit(try await program.line(with: "  inspector "))
        _ = try folder.write("drawbridge.json", "{ \"replies\": { \"mine\": ")
        for _ in 0..<3 {
            let answer = try await visit.save("getVip", "1")
            #expect(answer.contains(#""code":409"#), "\(answer)")
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(try folder.read("drawbridge.json") == "{ \"replies\": { \"mine\": ")
        #expect(try await visit.save("getVip", "1").contains("fix it first"))
        _ = try folder.write("drawbridge.json", "{\"replies\": {\"mine\": 1}}")
        _ = try await program.line(with: "1 new (mine)")
        #expect(try await visit.save("getVip", "1").contains(#""line":1"#))
        #expect(try folder.read("drawbridge.json") == "{\"replies\": {\"mine\": 1, \"getVip\": 1}}")
        #expect(await program.stop() == 0)
    }

    @Test func savingKeepsSymbolicLinksAndRefusesPipes() async throws {
        let folder = try Folder()
        let text = #"{"replies": {"a": 1}}"#
        _ = try folder.write("real.json", text)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/named.json", withDestinationPath: "real.json")
        let named = try Self.drawbridge(in: folder, "--replies", "named.json")
        let visit = try await InspectorVisit(try await named.line(with: "  inspector "))
        let answer = try await visit.save("getVip", "1")
        #expect(answer.contains(#""code":400"#) || answer.contains(#""code":409"#), "\(answer)")
        #expect(try folder.read("real.json") == text)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/drawbridge.json", withDestinationPath: "real.json")
        let found = try Self.drawbridge(in: folder)
        let other = try await InspectorVisit(try await found.line(with: "  inspector "))
        #expect(try await other.save("getVip", "1").contains(#""code":409"#))
        #expect(try folder.read("real.json") == text)
    }

    @Test func aMockThatAFoundFileMayNotHaveIsNotSaved() async throws {
        let folder = try Folder()
        let program = try Self.drawbridge(in: folder)
        let visit = try await InspectorVisit(try await program.line(with: "  inspector "))
        for reply in [
            #"{"$forward":"http://127.0.0.1:1/"}"#, #"{"$response":{"file":"/etc/passwd"}}"#,
            #"{"$delya":1}"#,
        ] {
            #expect(try await visit.save("pay", reply).contains(#""code":400"#), "\(reply)")
        }
        #expect(try await visit.save("", "1").contains(#""code":400"#))
        #expect(try await visit.save("$load", "1").contains(#""code":400"#))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    /// A click-through of a page, and its file afterwards.
    @Test func unansweredNamesOfARunAreWrittenIntoTheFile() async throws {
        let folder = try Folder()
        try folder.write("drawbridge.json", Self.file)
        let program = try Self.drawbridge(in: folder, "--save")
        let address = try await program.address()
        func call(_ name: String, _ query: String = "") async throws -> String {
            try await curl("\(address)/\(name)?_mobile_bridge=1\(query)")
        }
        func save() async throws -> String {
            try await curl(
                "-X", "POST", "-H", "Authorization: Bearer \(Self.token)",
                "\(address)/__drawbridge__/calls/missing")
        }
        let names = (1...8).map { "name\($0)" }
        for name in names { _ = try await call(name, "&n=1") }
        _ = try await call("name1", "&password=CANARY")
        _ = try await call("name1", "&n=1")
        _ = try await call("*")
        #expect(try await call("getUser").contains("Ann"))

        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        let answer =
            #"{"file":"drawbridge.json","names":[\#(list)],"given":[],"refused":["*"],"beyond":0,"save":1}"#
        #expect(try await save() == #"{"code":200,"data":\#(answer),"message":""}"#)
        var lines = Self.file.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        lines.insert(
            contentsOf: names.flatMap {
                let more = $0 == "name1" ? #", {"password":"[removed]"}"# : ""
                return [
                    #"    // called with {"n":"1"}\#(more)"#, "    \"\($0)\": {}\($0 == "name8" ? "" : ",")",
                ]
            }, at: 5)
        lines[4] = #"    "getUser": {"nick": "Ann"},  // for now"#
        let saved = lines.joined(separator: "\n")
        #expect(try folder.read("drawbridge.json") == saved)
        #expect(try await call("name8").contains(#""data":{}"#))
        // Nothing is new, and the file is not touched.
        #expect(try await save().contains(#""names":[]"#))
        #expect(try folder.read("drawbridge.json") == saved)

        // It is filled in by a person, and live.
        try folder.write("drawbridge.json", saved.replacing("\"name8\": {}", with: "\"name8\": 8"))
        // The first was of the save.
        #expect(
            await eventually {
                program.output.components(separatedBy: "reloaded drawbridge.json").count == 3
            })
        #expect(try await call("name8").contains(#""data":8"#))
        #expect(await program.stop() == 0)
    }

    /// Two ways of writing a name are one in the file, and what a handler answers it has not missed.
    @Test func aNewFileHasEachUnansweredNameOnceAndNoHandlers() async throws {
        let folder = try Folder()
        let program = try Self.drawbridge(in: folder, "--save")
        let address = try await program.address()
        for action in ["pay2", "pay2/", "*", "user/:id", "$pay"] {
            _ = try await curl("-d", #"{"action":"\#(action)","data":{}}"#, "\(address)/__jsbridge__")
        }
        for method in ["-I", "-XOPTIONS"] {
            for name in ["echo", "login"] {
                _ = try await curl(method, "\(address)/\(name)?_mobile_bridge=1")
            }
        }
        let saved = try await curl(
            "-X", "POST", "-H", "Authorization: Bearer \(Self.token)",
            "\(address)/__drawbridge__/calls/missing")
        let names = #""names":["pay2"],"given":[],"refused":["*","user/:id","$pay"],"#
        #expect(saved.contains(#"{"file":"drawbridge.json",\#(names)"#), "\(saved)")
        let echo = #"{"code":200,"data":{"message":"Hi"},"message":""}"#
        #expect(try await curl("\(address)/echo?_mobile_bridge=1&message=Hi") == echo)
        #expect(await program.stop() == 0)

        let again = try Self.drawbridge(in: folder)
        #expect(try await curl("\(again.address())/pay2?_mobile_bridge=1").contains(#""data":{}"#))
        #expect(try await curl("\(again.address())/echo?_mobile_bridge=1&message=Hi") == echo)
        #expect(await again.stop() == 0)
    }

    /// Whoever is about to change the file by hand loses nothing.
    @Test func aFileWithAMistakeIsNotOverwritten() async throws {
        let folder = try Folder()
        try folder.write("drawbridge.json", Self.file)
        let program = try Self.drawbridge(in: folder, "--save")
        let address = try await program.address()
        _ = try await curl("\(address)/vibrate?_mobile_bridge=1")
        try folder.write("drawbridge.json", "{ half")
        let answer = try await curl(
            "-X", "POST", "-H", "Authorization: Bearer \(Self.token)",
            "\(address)/__drawbridge__/calls/missing")
        #expect(answer.contains(#""code":409"#), "\(answer)")
        #expect(try folder.read("drawbridge.json") == "{ half")
        #expect(await program.stop() == 0)
    }

    @Test func theTerminalWritesUnansweredNamesIntoTheFile() async throws {
        let folder = try Folder()
        let file = try folder.write("mine.json", #"{"replies": {"a": 1}}"#)
        let program = try TerminalProgram.product("drawbridge", ["-p", "0", "--replies", file])
        let address = try await program.address()
        program.child.type("save missing\r")
        try await program.line(with: "save missing: no new names")
        _ = try await curl("\(address)/vibrate?_mobile_bridge=1&ms=30")
        program.child.type("save missing\r")
        try await program.line(with: "has 1 name more: vibrate; replace each {}")
        #expect(
            try folder.read("mine.json")
                == "{\"replies\": {\"a\": 1,\n    // called with {\"ms\":\"30\"}\n    \"vibrate\": {}\n}}"
        )
        #expect(try await curl("\(address)/vibrate?_mobile_bridge=1").contains(#""data":{}"#))
        // It is taken back there, and so is what others have saved.
        program.child.type("undo 9\r")
        try await program.line(with: "undo 9: there is no such save to undo; those that can be undone: 1")
        program.child.type("undo\r")
        try await program.line(with: "undone: vibrate")
        #expect(try folder.read("mine.json") == #"{"replies": {"a": 1}}"#)
        program.child.type("undo\r")
        try await program.line(with: "undo: there is no such save to undo; those that can be undone: none")
        #expect(await program.stop() == 0)
    }

    @Test func programsSaveOnlyWithTheSaveFlag() async throws {
        let folder = try Folder()
        for (arguments, code) in [([], 403), (["--save"], 200), (["--save", "--no-save"], 403)]
            as [([String], Int)]
        {
            let program = try Program.product(
                "drawbridge",
                ["-p", "0", "--replies", folder.write("a.json", #"{"replies": {"a": 1}}"#)] + arguments,
                environment: ["DRAWBRIDGE_TOKEN": Self.token])
            let answer = try await curl(
                "-H", "Authorization: Bearer \(Self.token)", "-d", #"{"name":"pay","reply":1}"#,
                "\(try await program.address())/__drawbridge__/replies/save")
            #expect(answer.contains("\"code\":\(code)"), "\(arguments): \(answer)")
            let missing = try await curl(
                "-X", "POST", "-H", "Authorization: Bearer \(Self.token)",
                "\(try await program.address())/__drawbridge__/calls/missing")
            #expect(missing.contains("\"code\":\(code)"), "\(arguments): \(missing)")
            let undone = try await curl(
                "-X", "POST", "-H", "Authorization: Bearer \(Self.token)",
                "\(try await program.address())/__drawbridge__/replies/undo")
            #expect(undone.contains("\"code\":\(code)"), "\(arguments): \(undone)")
        }
    }

    /// Two who look have one list, and each takes back what the other has saved.
    @Test func twoInspectorsShareOneListOfSavesToUndo() async throws {
        let folder = try Folder()
        try folder.write("drawbridge.json", Self.file)
        let program = try Self.drawbridge(in: folder, "--save")
        let address = try await program.address()
        let line = try await program.line(with: "  inspector ")
        let first = try await InspectorVisit(line)
        let heard = try first.follow()
        let answer = try await curl(
            "-H", "Authorization: Bearer \(Self.token)", "-d",
            #"{"name":"getUser","reply":1,"when":{"$equals":{"id":"7"}}}"#,
            "\(address)/__drawbridge__/replies/save")
        #expect(answer.contains(#""save":1"#), "\(answer)")
        #expect(try await curl("\(address)/getUser?_mobile_bridge=1&id=7").contains(#""data":1"#))
        #expect(try await curl("\(address)/getUser?_mobile_bridge=1&id=8").contains("Ann"))
        let saves = #""saves":[{"save":1,"names":["getUser"],"file":"drawbridge.json","by":"program"}]"#
        #expect(await eventually { heard.output.contains(saves) }, "\(heard.output)")
        #expect(try await first.save("getUser", "2").contains(#""lost":"$cases, $equals, $reply, $when""#))
        #expect(
            try await first.post("replies/undo", #"{"save":1}"#).contains(#""names":["getUser"],"kept":[]"#))
        #expect(try folder.read("drawbridge.json") == Self.file)
        let last = { heard.output.components(separatedBy: "event: replies\n").last ?? "" }
        #expect(await eventually { last().contains(#""saves":[]"#) }, "\(heard.output)")
        #expect(await program.stop() == 0)
    }

    @Test func aKeyInTheTerminalPrintsANewInspectorLink() async throws {
        let program = try TerminalProgram.product("drawbridge", ["-p", "0"])
        let address = try await program.address()
        program.child.type("i\r")
        let first = try await InspectorVisit(try await program.line(with: "inspector  http"))
        // A question that waits takes it for no answer.
        let caller = try Program(
            "curl", ["-sS", "--max-time", "290", "\(address)/alert?_mobile_bridge=1&message=Sure"])
        try await program.line(with: "? 1  alert")
        program.child.type("i\rok\r")
        #expect(await caller.wholeOutput().contains(#""result":"ok""#))
        #expect(first.secret.utf8.count == 32)
        program.child.type("what\r")
        try await program.line(with: "no question waits")
        #expect(await program.stop() == 0)
    }
}
