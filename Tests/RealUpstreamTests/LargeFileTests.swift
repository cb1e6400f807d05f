import Foundation
import TestSupport
import Testing

/// Large files, both ways, through a gateway that is a process of its own.
@Suite("Large files", .serialized, .timeLimit(.minutes(5))) struct LargeFileTests {
    /// 1 GB with all tests.
    private static let size = getenv("DRAWBRIDGE_ALL") == nil ? 256 << 20 : 1 << 30
    /// More than this must not come on top of what the gateway has when it begins.
    private static let room = 32 << 20

    /// A file with holes, and every 16 MB something that is nowhere else.
    private static func make(in folder: Folder) throws -> String {
        let path = try folder.write("large.bin", "")
        guard let file = FileHandle(forUpdatingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
        try file.truncate(atOffset: UInt64(size))
        for start in stride(from: 0, to: size, by: 16 << 20) {
            try file.seek(toOffset: UInt64(start + start >> 10))
            try file.write(contentsOf: Data("here begins \(start)".utf8))
        }
        try file.close()
        return path
    }

    /// The first word of what a command prints.
    private static func word(of command: String, _ arguments: String...) async throws -> String {
        let program = try Program("sh", ["-c", command, "sh"] + arguments)
        return await program.wholeOutput().split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
    }

    private static func hash(of path: String) async throws -> String {
        try await word(of: #"sha256sum < "$1""#, path)
    }

    /// Runs a test with a gateway in front of a server, and looks at the gateway's memory.
    private static func atFlatMemory(
        _ upstream: String, _ test: (_ address: String) async throws -> Void
    ) async throws {
        let gateway = try Program.product("fronting-server", [upstream])
        let address = try await gateway.address()
        // Its first request makes what every later one uses.
        _ = try await curl("\(address)/missing")
        let process = "\(gateway.child.processIdentifier)"
        let before = residentBytes(of: process)
        try await test(address)
        let grown = peakBytes(of: process) - before
        #expect(grown < room, "\(grown >> 20) MB more than \(before >> 20) MB")
        _ = await gateway.stop()
    }

    @Test func aFileOfNginxArrivesWhole() async throws {
        let nginx = try await Nginx()
        try await Self.download(from: nginx.address, nginx.files)
        withExtendedLifetime(nginx) {}
    }

    @Test func aFileOfPythonArrivesWhole() async throws {
        let python = try await PythonFiles()
        try await Self.download(from: python.address, python.files)
        withExtendedLifetime(python) {}
    }

    private static func download(from server: String, _ files: Folder) async throws {
        let path = try make(in: files)
        let expected = try await hash(of: path)
        try await atFlatMemory(server) { address in
            let command = #"curl -sS --max-time 300 "$1" | sha256sum"#
            let hash = try await word(of: command, "\(address)/large.bin")
            #expect(hash == expected)
        }
    }

    @Test(arguments: ["PUT", "POST"]) func aFileForNodeIsSentWhole(_ method: String) async throws {
        let node = try await DevServer()
        let files = try Folder()
        let path = try Self.make(in: files)
        let expected = try await Self.hash(of: path)
        try await Self.atFlatMemory(node.address) { address in
            let answer = try await Program(
                "curl", ["-sS", "--max-time", "300", "-X", method, "-T", path, "\(address)/sum"]
            ).wholeOutput()
            #expect(answer == "\(method) \(Self.size) \(expected)\n")
        }
        withExtendedLifetime(node) {}
    }

    /// Its length is known to nobody.
    @Test func aFileInChunksIsSentWhole() async throws {
        let node = try await DevServer()
        let files = try Folder()
        let path = try Self.make(in: files)
        let expected = try await Self.hash(of: path)
        try await Self.atFlatMemory(node.address) { address in
            let command = #"curl -sS --max-time 300 -T - "$2" < "$1""#
            let program = try Program("sh", ["-c", command, "sh", path, "\(address)/sum"])
            #expect(await program.wholeOutput() == "PUT \(Self.size) \(expected)\n")
        }
        withExtendedLifetime(node) {}
    }
}
