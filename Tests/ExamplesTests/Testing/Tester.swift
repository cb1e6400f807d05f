import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The command as a tester starts it, with a token of their own, and the programs that test against it.
struct Tester {
    /// `examples/testing`.
    static let examples = Manual.root.appending(path: "examples/testing").path()
    /// The clients, as they are packed.
    static let clients = Manual.root.appending(path: "clients").path()
    static let shop = Manual.root.appending(path: "examples/shop").path()
    private static let token = String(repeating: "t", count: 32)

    let gateway: Program
    let address: String

    init(_ arguments: String...) async throws {
        gateway = try .product(
            "drawbridge", ["-p", "0"] + arguments, environment: ["DRAWBRIDGE_TOKEN": Self.token])
        address = try await gateway.address()
    }

    /// Runs a program in a folder until it ends.
    func run(
        _ command: [String], in folder: Folder, environment: [String: String] = [:]
    ) async throws -> (output: String, code: Int32) {
        let usual = [
            "DRAWBRIDGE_TOKEN": Self.token, "DRAWBRIDGE_URL": address, "HOME": folder.path,
            "PYTHONDONTWRITEBYTECODE": "1",
        ]
        let program = try Program(
            "env", ["-C", folder.path] + command, environment: usual.merging(environment) { $1 })
        return (await program.wholeOutput(), await program.child.exitCode())
    }

    /// What pytest is started by; where it is missing the test is skipped, and says so.
    static func pytest() throws -> [String] {
        let program = Manual.root.appending(path: ".build/testing-venv/bin/pytest").path()
        guard isInstalled("python3"), access(program, X_OK) == 0 else {
            try skip("pytest is not there; run scripts/venv testing examples/testing/requirements.txt")
        }
        return [program, "-p", "no:cacheprovider", "-q", "--tb=short"]
    }

    /// Node as it runs tests.
    static let node = ["node", "--test", "--test-reporter=tap"]

    /// Ends a test as skipped.
    static func skip(_ reason: String) throws -> Never {
        // That a single case is skipped, Swift Testing does not print.
        print("➜ skipped: \(reason)")
        try Test.cancel("\(reason)")
    }

    // MARK: Requests

    /// Sends a request exactly as it is said.
    func send(
        _ method: String, _ target: String, _ fields: [(name: String, value: String)],
        _ body: [UInt8]? = nil
    ) async throws -> RawAnswer {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(address.dropFirst("http://".count))\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        let bytes = Array("\(head)\r\n".utf8) + (body ?? [])
        let port = try await gateway.port()
        return try await blocking {
            let client = try RawClient(port)
            try client.send(bytes)
            return try client.reply(toHead: method == "HEAD")
        }
    }

    /// Asks the tester's API.
    func ask(_ path: String) async throws -> RawAnswer {
        try await send("GET", "/__drawbridge__/\(path)", [("Authorization", "Bearer \(Self.token)")])
    }
}

extension Folder {
    /// The names of all that is in it.
    var names: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? [] }

    /// Copies a file or a folder into it, to a place for which it makes the folders.
    func copy(_ source: String, to name: String) throws {
        let place = URL(filePath: path).appending(path: name)
        let parent = place.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: source, toPath: place.path())
    }
}
