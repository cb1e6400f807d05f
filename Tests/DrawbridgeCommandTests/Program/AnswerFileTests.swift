import Foundation
import TestSupport
import Testing

/// Replies that answer with a file: `{"$response": {"file": "pictures/ann.png"}}`.
@Suite("Answer files", .timeLimit(.minutes(5))) struct AnswerFileTests {
    private static let replies = """
        {"replies": {
            "picture": {"$response": {"file": "pictures/ann.png"}},
            "user": {"$response": {"status": 201, "headers": {"X-A": "b"}, "file": "ann.json"}},
            "page": {"$response": {"file": "page.html"}},
            "own": {"$response": {"headers": {"Content-Type": "text/x-own"}, "file": "ann.json"}},
            "none": {"$response": {"file": "none.png"}},
            "folder": {"$response": {"file": "pictures"}},
            "out": {"$response": {"file": "out.png"}},
            "pipe": {"$response": {"file": "pipe"}}
        }}
        """

    @Test func anAnswerFileIsReadAtEachCall() async throws {
        let outside = try Folder()
        try outside.write("secret.png", "secret")
        let folder = try Folder()
        let picture = String(repeating: "\u{89}PNG\n", count: 10_000)
        try folder.write("mocks/pictures/ann.png", picture)
        try folder.write("mocks/ann.json", #"{"nick": "Ann"}"#)
        try folder.write("mocks/page.html", "<p>page")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/mocks/out.png", withDestinationPath: "\(outside.path)/secret.png")
        #expect(mkfifo("\(folder.path)/mocks/pipe", 0o600) == 0)
        let file = try folder.write("mocks/mocks.json", Self.replies)
        // Names are relative to the folder of the file that has them, wherever the gateway is started.
        let program = try Program.product("drawbridge", ["-p", "0", "--replies", file])
        let address = try await program.address()
        func call(_ name: String) async throws -> String {
            try await curl("-i", "\(address)/\(name)?_mobile_bridge=1")
        }

        // As a player asks for a video.
        let part = try await curl("-i", "-H", "Range: bytes=2-4", "\(address)/picture?_mobile_bridge=1")
        #expect(part.contains("206 ") && part.hasSuffix("\r\n\r\nPNG"))
        #expect(part.lowercased().contains("content-range: bytes 2-4/\(picture.utf8.count)"))
        let nothing = try await curl(
            "-i", "-H", "Range: bytes=9999999-", "\(address)/picture?_mobile_bridge=1")
        #expect(nothing.contains("416 "))

        let shown = try await call("picture")
        #expect(shown.contains("200 OK") && shown.lowercased().contains("content-type: image/png"))
        #expect(shown.hasSuffix(picture))
        let user = try await call("user")
        #expect(user.contains(" 201 ") && user.contains("X-A: b") && user.hasSuffix(#"{"nick": "Ann"}"#))
        #expect(user.lowercased().contains("content-type: application/json"))
        #expect(try await call("own").lowercased().contains("content-type: text/x-own"))
        // Opened as a document, it is not of this origin.
        #expect(try await call("page").contains("Content-Security-Policy: sandbox"))
        try folder.write("mocks/ann.json", #"{"nick": "Eve"}"#)
        #expect(try await call("user").hasSuffix(#"{"nick": "Eve"}"#))

        for name in ["none", "folder", "out", "pipe"] {
            let answer = try await call(name)
            #expect(
                answer.contains(#""code":500"#) && answer.contains("cannot find"), "\(name): \(answer)")
            #expect(!answer.contains("secret"))
        }
        _ = try await program.line(
            with:
                "error: reply none: cannot find none.png in the folder of the file of mocks; put it there"
        )
        #expect(await program.stop() == 0)
        withExtendedLifetime((folder, outside)) {}
    }

    @Test(arguments: [
        (#"{"$response": {"file": "../a"}}"#, "file is a path below the folder of the file of mocks"),
        (#"{"$response": {"file": "a"}, "$delay": 1}"#, ""),
    ])
    func anAnswerFileCanBeNamedInAFileButNotInAFlag(_ reply: String, _ problem: String) async throws {
        let folder = try Folder()
        let file = try folder.write("mocks.json", "{\"replies\": {\"a\": \(reply)}}")
        let program = try Program.product("drawbridge", ["-p", "0", "--replies", file])
        if problem.isEmpty {
            _ = try await program.address()
        } else {
            _ = try await program.line(with: problem)
        }
        let flag = try Program.product("drawbridge", ["-p", "0", "--reply", "a=\(reply)"])
        _ = try await flag.line(with: "so it is only allowed in one: --replies")
        #expect(await flag.child.exitCode() == 64)
        withExtendedLifetime(folder) {}
    }
}
