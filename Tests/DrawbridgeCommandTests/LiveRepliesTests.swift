import ArgumentParser
import Drawbridge
import Foundation
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// The files of mocks while the gateway runs.
@Suite(.timeLimit(.minutes(5))) struct LiveRepliesTests {
    /// One that cannot be read is read again a moment later: it may be gone then, and a save may have made it anew.
    @Test func aFileDeletedAndSavedBetweenTwoChecksIsListedOnce() async throws {
        let folder = try Folder()
        let flags = FileText("settings.json", Array(#"{"root": "\#(folder.path)"}"#.utf8))
        let settings = try Settings(ConfigFile(flags, isFound: false).options, nil, isAlone: true)
        let replies = LiveReplies(settings, for: Gateway(), nil)
        try await replies.begin()
        let path = try folder.write("drawbridge.json", "{")
        await #expect(throws: (any Error).self) { try await replies.takeFound(path) }
        #expect(unlink(path) == 0)
        #expect(try await replies.keep(("pay", ["code": 0], false, nil, .usual, nil, "program")).file == path)
        try await replies.takeFound(path)
        #expect(await replies.sources.files.count == 1)
        #expect(await replies.states.count == 1)
    }

    // MARK: What pages are given

    @Test func whatASavedFileGivesPagesAppliesWithoutARestart() async throws {
        let folder = try Folder()
        let path = try folder.write("settings.json", #"{"bridge": "android", "inject": "f"}"#)
        let config = try ConfigFile(FileText(path), isFound: false)
        let flags = try Command.parse(["--inject", "callNative"])
        let settings = try Settings(flags, config, isAlone: true)
        let gateway = Gateway(pageRuntime: settings.pageRuntime)
        let replies = LiveReplies(settings, for: gateway, nil)
        try await replies.begin()
        func save(_ text: String) async throws {
            try folder.write("settings.json", text)
            try await replies.take(0)
        }
        try await save(#"{"bridge": ["android", "dsbridge"], "scheme": "shop", "inject": "g", "port": 1}"#)
        #expect(gateway.pageRuntime?.bridges.map(\.name) == ["android", "dsbridge"])
        #expect(gateway.pageRuntime?.schemes == ["shop"])
        #expect(gateway.pageRuntime?.functions == ["callNative"], "flags win")

        // Refused at the start, and so when it is saved, as a whole.
        for (text, why) in [
            (
                #"{"bridge": ["flutter", "flutter"]}"#,
                "settings.json: --bridge flutter: there are two bridges"
            ),
            (#"{"scheme": "https", "bridge": "flutter"}"#, "browsers use it themselves"),
            (#"{"shortcuts": "window"}"#, "browsers have an object of this name"),
            (#"{"bridge": "flutter", "keep-host": true}"#, "there is no upstream"),
        ] {
            await #expect {
                try await save(text)
            } throws: {
                "\($0)".contains(why)
            }
            #expect(gateway.pageRuntime?.schemes == ["shop"], "\(text)")
        }
        try await save("{}")
        #expect(gateway.pageRuntime?.bridges.isEmpty == true)
    }

    // MARK: Saving

    /// The replies of a folder with this `drawbridge.json`, and what saves a mock into it.
    private struct Saved {
        let folder: Folder
        let gateway = Gateway(keepsJournal: true)
        let replies: LiveReplies

        init(_ text: String) async throws {
            folder = try Folder()
            try folder.write("drawbridge.json", text)
            let flags = FileText("settings.json", Array(#"{"root": "\#(folder.path)"}"#.utf8))
            let config = try ConfigFile(
                FoundFile.read("\(folder.path)/drawbridge.json", in: folder.path), isFound: true)
            let settings = try Settings(ConfigFile(flags, isFound: false).options, config, isAlone: true)
            replies = LiveReplies(settings, for: gateway, nil)
            try await replies.begin()
        }

        @discardableResult
        func save(
            _ name: String, _ reply: JSON, isCase: Bool = false, was: JSON? = nil, by: String = "inspector",
            page: String? = nil
        ) async throws -> Int? {
            try await replies.keep((name, reply, isCase, was, .usual, page, by)).save
        }

        var text: String { get throws { try folder.read("drawbridge.json") } }

        /// What an editor saves, without the gateway's having looked since.
        func write(_ text: String) throws { try folder.write("drawbridge.json", text) }

        /// Looks at the file as `follow` does.
        func look() async throws { try await replies.take(0) }
    }

    /// The last one wins where two have a name, and is no place for what is new.
    @Test func aNewMockIsSavedInTheFirstFileThatWasNamed() async throws {
        let folder = try Folder()
        let (one, two) = (
            try folder.write("one.json", #"{"replies": {"b": 1}}"#),
            try folder.write("two.json", #"{"replies": {"b": 2}}"#)
        )
        let config = try ConfigFile(FileText("c.json", Array(#"{"replies": {"c": 1}}"#.utf8)), isFound: false)
        let flags = try Command.parse(["--replies", one, "--replies", two])
        let settings = try Settings(flags, config, isAlone: true)
        let replies = LiveReplies(settings, for: Gateway(), nil)
        try await replies.begin()
        #expect(await replies.file == one)
        #expect(try await replies.keep(("a", 1, false, nil, .usual, nil, "inspector")).file == one)
        #expect(
            try await replies.keep(("b", 3, false, nil, .usual, nil, "inspector")).file == two,
            "as b is there")
        let missing = try await replies.keep(
            missing: [UnansweredName("d", inputs: [])], giving: [], by: "program")
        #expect(missing.file == one)
    }

    /// A process that is killed between two steps of a save leaves its temporary file; the next save removes it.
    @Test func aSaveRemovesWhatADeadProcessLeft() async throws {
        let saved = try await Saved("{}")
        let dead = try Program("true", [])
        _ = await dead.child.exitCode()
        let leftover = ".drawbridge.json.\(dead.child.processIdentifier).7"
        let others = [
            ".drawbridge.json.\(getpid()).7", ".drawbridge.json.7", ".drawbridge.json.-1.7",
            "drawbridge.json.7.7",
        ]
        for name in others + [leftover] { try saved.folder.write(name, "") }
        try await saved.save("pay", 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: saved.folder.path)
        #expect(Set(names) == Set(others + ["drawbridge.json"]))
    }

    /// What is deleted while it is answered by is there again with the next save, and all that it had.
    @Test func aSaveWritesADeletedFileAgainWithAllItsMocks() async throws {
        let saved = try await Saved("\u{FEFF}{\"replies\": {\n  \"mine\": 1\n}}\n")
        #expect(unlink("\(saved.folder.path)/drawbridge.json") == 0)
        await #expect {
            try await saved.look()
        } throws: { "\($0)".contains("was deleted; the next save") }
        try await saved.save("pay", ["code": 0])
        #expect(try saved.text == "\u{FEFF}{\"replies\": {\n  \"mine\": 1,\n  \"pay\": {\"code\": 0}\n}}\n")
        #expect(await saved.replies.problem == nil)
        try await saved.save("pay", ["code": 1])
    }

    /// An editor may add a byte order mark, or remove it, and nothing else.
    @Test func aByteOrderMarkOfTheFileIsKept() async throws {
        let text = "{\"replies\": {\n  \"mine\": 1\n}}\n"
        let saved = try await Saved(text)
        var all = "{\"replies\": {\n  \"mine\": 1"
        for (mark, name) in [("\u{FEFF}", "a"), ("", "b"), ("\u{FEFF}", "c")] {
            all += ",\n  \"\(name)\": 1"
            try saved.write(mark + String(try saved.text.trimmingPrefix("\u{FEFF}")))
            await #expect(throws: HTTPError.self, "the gateway has not looked yet") {
                try await saved.save(name, 1)
            }
            try await saved.look()
            try await saved.save(name, 1)
            #expect(try saved.text == "\(mark)\(all)\n}}\n")
        }
    }

    /// The scenario that is on, the page that calls, and a mock that leaves a call to others.
    @Test func aSaveGoesToTheScenarioOrPageWhoseMockAnswers() async throws {
        let text = """
            {
                "replies": {"user": {"nick": "nobody"}, "left": {"$pass": true}, "order/*": 1},
                "scenario": "in",
                "scenarios": {"in": {"user": {"nick": "Ann"}}, "out": {"user": null}},
                "pages": {"/cart*": {"replies": {"cart": [], "user": {"nick": "Carla"}}}}
            }
            """
        let saved = try await Saved(text)
        func expect(_ old: String, _ new: String, _ save: () async throws -> Int?) async throws {
            let number = try await save()
            let wanted = text.replacing(old, with: new)
            #expect(try saved.text == wanted && wanted != text)
            _ = try await saved.replies.undo(number)
            #expect(try saved.text == text)
        }
        try await expect(#""Ann""#, #""Bea""#) { try await saved.save("user", ["nick": "Bea"]) }
        try await expect("[]", "[1]") { try await saved.save("cart", [1], page: "/cart/7") }
        try await expect(#""order/*": 1"#, #""order/*": 1, "cart": [1]"#) {
            try await saved.save("cart", [1], page: "/other")
        }
        try await expect(#""order/*": 1"#, #""order/*": 1, "order/7": 2"#) {
            try await saved.save("order/7", 2)
        }
        try await expect(#"{"$pass": true}"#, "3") {
            try await saved.save("left", 3, was: #"{"$pass": true}"#)
        }
    }

    /// Words, and comments between them, are overwritten by those alone who have seen them.
    @Test(arguments: [
        #"{"$cases": [{"$when": 1, "$reply": 2}, 0]}"#, #"{"$sequence": [1, 2]}"#,
        #"{"$delay": 5, "$reply": 1}"#,
        #"{"$ask": "Pay?", "$choices": {"yes": 1, "no": 0}}"#, #"{"$pass": true}"#, "[1, // one\n 2]",
    ]) func overwritingAMockWithKeywordsNeedsItsCurrentText(mock: String) async throws {
        let text = #"{"replies": {"pay": \#(mock)}}"#
        let saved = try await Saved(text)
        await #expect {
            try await saved.save("pay", ["code": 0])
        } throws: { error in
            let error = error as? HTTPError
            return error?.status == .conflict && error?.data?["was"] == .string(mock)
                && error?.data?["lost"]?.stringValue?.isEmpty == false
        }
        for was: JSON in [.null, "1", .string(mock + " ")] {
            await #expect(throws: HTTPError.self) { try await saved.save("pay", ["code": 0], was: was) }
        }
        #expect(try saved.text == text)
        try await saved.save("pay", ["code": 0], was: .string(mock))
        #expect(try saved.text == #"{"replies": {"pay": {"code": 0}}}"#)
        #expect(try await saved.replies.undo(nil).names == ["pay"])
        #expect(try saved.text == text)
    }

    // MARK: Taking back

    @Test func anyoneCanUndoTheLastTwentySaves() async throws {
        let saved = try await Saved("{\"replies\": {\n}}\n")
        let before = try saved.text
        for number in 1...22 { #expect(try await saved.save("n\(number)", 1) == number) }
        #expect(try await saved.save("n1", 1) == nil, "nothing is another then")
        _ = try await saved.replies.keep(
            missing: [UnansweredName("m", inputs: [])], giving: [], by: "terminal")
        let list = await saved.replies.saves
        #expect(list.count == 20)
        #expect(list[0]["save"] == 23 && list[0]["by"] == "terminal" && list[0]["names"] == ["m"])
        #expect(list[19]["save"] == 4 && list[19]["by"] == "inspector" && list[19]["names"] == ["n4"])
        await #expect(throws: HTTPError.self) { try await saved.replies.undo(3) }

        // In any order, and none twice.
        for number in [10, 23, 4] { _ = try await saved.replies.undo(number) }
        await #expect(throws: HTTPError.self) { try await saved.replies.undo(10) }
        let left = try JSON(parsing: Array(saved.text.utf8))["replies"]?.objectValue
        #expect(
            Set(left?.map(\.key) ?? []) == Set((1...22).filter { ![4, 10].contains($0) }.map { "n\($0)" }))
        while await !saved.replies.saves.isEmpty { _ = try await saved.replies.undo(nil) }
        let rest = try JSON(parsing: Array(saved.text.utf8))["replies"]?.objectValue
        #expect(Set(rest?.map(\.key) ?? []) == ["n1", "n2", "n3"])
        await #expect(throws: HTTPError.self) { try await saved.replies.undo(nil) }
        #expect(try saved.text != before)
    }

    @Test func aMockThatAnEditorChangedSinceIsNotUndone() async throws {
        let saved = try await Saved("{\"replies\": {\n  \"a\": 1\n}}\n")
        let first = try await saved.save("pay", ["code": 0])
        let second = try await saved.save("pay", ["code": 1])
        await #expect {
            try await saved.replies.undo(first)
        } throws: { ($0 as? HTTPError)?.status == .conflict && "\($0)".contains("pay: not undone") }
        try saved.write(try saved.text.replacing("\"code\": 1", with: "\"code\":1"))
        try await saved.look()
        await #expect(throws: HTTPError.self) { try await saved.replies.undo(second) }
        #expect(try saved.text.contains("\"code\":1"))
        // It is as it was written again.
        try saved.write(try saved.text.replacing("\"code\":1", with: "\"code\": 1"))
        try await saved.look()
        for number in [second, first] { _ = try await saved.replies.undo(number) }
        #expect(try saved.text == "{\"replies\": {\n  \"a\": 1\n}}\n")
    }

    /// Two people and an editor, one after the other in each order, and two at once: what was told is there.
    @Test func noSaveIsLostAmongConcurrentOnes() async throws {
        let saved = try await Saved("{\"replies\": {\n}}\n")
        var told: Set<String> = []
        func person(_ name: String) async throws {
            while true {
                do {
                    try await saved.save(name, 1)
                    told.insert(name)
                    return
                } catch let error as HTTPError where error.status == .conflict {
                    // It says that the file has changed; it is read a moment later.
                    try await saved.look()
                }
            }
        }
        func editor(_ name: String) throws {
            try saved.write(
                try saved.text.replacing("{\n", with: "{\n  \"\(name)\": 2,\n", maxReplacements: 1))
            told.insert(name)
        }
        try await person("first")
        for round in 0..<20 {
            let (a, b, c) = ("a\(round)", "b\(round)", "c\(round)")
            switch round % 4 {
            case 0:
                for name in [a, b] { try await person(name) }
                try editor(c)
            case 1:
                try await person(a)
                try editor(c)
                try await person(b)
            case 2:
                try editor(c)
                for name in [b, a] { try await person(name) }
            default:
                async let one = saved.save(a, 1)
                async let two = saved.save(b, 1)
                #expect(try await [one, two].count { $0 != nil } == 2)
                told.formUnion([a, b])
                try editor(c)
                try await saved.look()
            }
            let there = try JSON(parsing: Array(saved.text.utf8))["replies"]?.objectValue?.map(\.key) ?? []
            #expect(told.subtracting(there).isEmpty, "round \(round)")
        }
        #expect(told.count == 61)
    }
}
