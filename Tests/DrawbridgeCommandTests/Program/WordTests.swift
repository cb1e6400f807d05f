import TestSupport
import Testing

/// What the command takes apart from options: a folder, URLs, and words that mean nothing.
@Suite(.timeLimit(.minutes(5))) struct WordTests {
    private static func start(
        _ product: String = "drawbridge", in folder: Folder, _ arguments: String...
    ) throws -> Program {
        try .product(product, ["-p", "0"] + arguments, in: folder)
    }

    @Test(arguments: ["drawbridge", "hello"]) func aFolderArgumentIsServed(_ product: String) async throws {
        let folder = try Folder()
        try folder.write("shop/index.html", "<p>shop</p>")
        try folder.write("shop/drawbridge.json", #"{"replies": {"a": "of the shop"}}"#)
        let program = try Self.start(product, in: folder, "shop")
        let address = try await program.address()
        #expect(try await curl("\(address)/") == "<p>shop</p>")
        #expect(try await curl("\(address)/a?_mobile_bridge=1").contains("of the shop"))
        _ = try await program.line(with: "settings  shop/drawbridge.json  (found)")
    }

    @Test func aFolderArgumentMayFollowOptionsAndComeWithURLs() async throws {
        let folder = try Folder()
        try folder.write("shop/index.html", "<p>shop</p>")
        try folder.write("api/v2/list", "all of it")
        let api = try Self.start(in: folder, "--trusted-proxy", "127.0.0.1", "api")
        let program = try Self.start(
            in: folder, "--quiet", "/api=\(try await api.address())/v2", "shop", "http://127.0.0.1:9")
        let address = try await program.address()
        #expect(try await curl("\(address)/") == "<p>shop</p>")
        #expect(try await curl("\(address)/api/list") == "all of it")
        #expect(
            try await curl("-o", "/dev/null", "-w", "%{http_code}", "\(address)/other").hasPrefix("502"))
    }

    @Test func aFolderArgumentBeatsTheRootOfTheConfigurationFile() async throws {
        let folder = try Folder()
        try folder.write("shop/index.html", "<p>shop</p>")
        try folder.write("other/index.html", "<p>other</p>")
        try folder.write("settings.json", #"{"root": "other"}"#)
        let program = try Self.start(in: folder, "-c", "settings.json", "shop")
        #expect(try await curl("\(program.address())/") == "<p>shop</p>")
    }

    @Test(arguments: [
        (["shp"], "there is no folder shp here; name one that exists, or the URL of a server"),
        ([""], "an argument is empty; name a folder that exists, or the URL of a server"),
        (["help"], "there is no folder help; did you mean drawbridge --help?"),
        (
            ["localhost:5173"],
            "there is no folder localhost:5173; did you mean drawbridge http://localhost:5173?"
        ),
        (["shop/a b/index.html"], "is a file; name its folder: drawbridge 'shop/a b/'"),
        (["top.html"], "top.html is a file; name its folder: drawbridge ."),
        (["mocks.json"], "for settings write -c mocks.json, for mocks --replies mocks.json"),
        (["shop", "other"], "shop and other: only one folder can be served"),
        (["shop", "--root", "other"], "shop and --root other both name the folder that is served"),
        (["http://"], "the upstream http:// names no host; write http://host"),
    ])
    func anArgumentThatIsNeitherFolderNorURLIsAUsageError(_ words: [String], _ message: String) async throws {
        let folder = try Folder()
        for file in ["shop/a b/index.html", "other/index.html", "top.html", "mocks.json"] {
            try folder.write(file, "{}")
        }
        let program = try Program.product("drawbridge", ["-p", "0"] + words, in: folder)
        let line = try await program.line(with: message)
        #expect(line.hasPrefix("Error: "))
        #expect(await program.child.exitCode() == 64)
    }
}
