import TestSupport
import Testing

/// The handlers that come with the command, next to mocks: what they answer looks like no app's own.
@Suite(.timeLimit(.minutes(5))) struct BuiltInTests {
    private static let mocks = #"{"replies": {"getUser": {"nick": "Ann"}, "echo": {"$pass": true}}}"#

    private static func start(in folder: Folder, _ arguments: String...) throws -> Program {
        try .product("drawbridge", ["-p", "0"] + arguments, in: folder)
    }

    /// Which of them answer.
    private static func answering(_ program: Program) async throws -> Set<String> {
        let address = try await program.address()
        var answering: Set<String> = []
        for name in ["echo", "deviceInfo", "toast"] {
            let answer = try await curl("\(address)/\(name)?_mobile_bridge=1&message=a")
            if answer.contains(#""code":200"#) { answering.insert(name) }
        }
        return answering
    }

    private static let all: Set = ["echo", "deviceInfo", "toast"]

    @Test func builtInHandlersYieldToAFileOfMocksAndReturnWithoutIt() async throws {
        let folder = try Folder()
        try folder.write("index.html", "<p>page")
        let program = try Self.start(in: folder, ".")
        #expect(try await Self.answering(program) == Self.all)
        try folder.write("drawbridge.json", Self.mocks)
        _ = try await program.line(
            with: "found drawbridge.json: its mocks are used from now on; the built-in answers are off")
        #expect(try await Self.answering(program) == ["echo"])
        // Whoever misses them is told.
        _ = try await program.line(with: #"add "toast" to drawbridge.json, or start with --built-ins"#)
        try folder.write("drawbridge.json", #"{"replies": {}}"#)
        _ = try await program.line(with: "reloaded drawbridge.json: 2 gone (echo, getUser), 0 as before")
        #expect(try await Self.answering(program) == Self.all)
        // So they do where only a scenario has mocks, or some pages.
        try folder.write("drawbridge.json", #"{"scenarios": {"offline": {"*": {"$error": {"code": 1}}}}}"#)
        try await Self.until { try await Self.answering(program) == [] }
    }

    /// What the banner tells to try is answered, whoever answers.
    @Test(arguments: [
        (#"{"replies": {"getUser": {"nick": "Ann"}}}"#, "--no-open", "getUser"),
        (#"{"replies": {"user/:id": {"id": 1}}}"#, "--no-open", "user/ID"),
        ("{}", #"--reply=pay={"code": 0}"#, "pay"), ("{}", "--no-open", "echo"),
    ])
    func theBannersExampleCallIsAnswered(_ mocks: String, _ flag: String, _ name: String) async throws {
        let folder = try Folder()
        try folder.write("index.html", "<p>page")
        try folder.write("drawbridge.json", mocks)
        let program = try Self.start(in: folder, ".", flag)
        let line = try await program.line(with: "  try  ")
        let url = try #require(line.firstMatch(of: /http:[^']*/)).output
        #expect(url.contains("/\(name)?"), "\(line)")
        #expect(try await curl(String(url)).contains(#""code":200"#), "\(line)")
    }

    @Test func theBannerNamesAndFlagsChooseTheBuiltInHandlers() async throws {
        let folder = try Folder()
        try folder.write("drawbridge.json", Self.mocks)
        let found = try Self.start(in: folder)
        #expect(try await Self.answering(found) == ["echo"])
        _ = try await found.line(
            with: "  built-in  /echo  (the others are off, since there are mocks; --built-ins)")
        let all = try Self.start(in: folder, "--built-ins")
        #expect(try await Self.answering(all) == Self.all)
        let none = try Self.start(in: folder, "--no-built-ins")
        #expect(try await Self.answering(none) == [])
        #expect(!none.output.contains("built-in"))
        // A flag mocks one name, and is not an app.
        let flag = try Program.product("drawbridge", ["-p", "0", "--reply", "getUser=1"])
        #expect(try await Self.answering(flag) == Self.all)
        try folder.write("none.json", #"{"built-ins": false}"#)
        let file = try Self.start(in: folder, "-c", "none.json")
        #expect(try await Self.answering(file) == [])
        #expect(
            try await Program.product("drawbridge", ["-p", "0", "--built-ins"]).address().hasPrefix("http"))
        #expect(
            try await Program.product("drawbridge", ["-p", "0", "--no-built-ins"]).address().hasPrefix("http")
        )
    }

    /// The time limit of the test ends what never comes.
    private static func until(_ condition: () async throws -> Bool) async throws {
        while try await !condition() { try await Task.sleep(for: .milliseconds(50)) }
    }
}
