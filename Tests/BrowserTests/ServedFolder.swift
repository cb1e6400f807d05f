import Drawbridge
import Foundation
import TestSupport
import Testing

/// The command that serves a folder, and a tester who sees and clicks what a person would.
struct ServedFolder {
    let program: Program
    let address: String
    /// The field that opens the tester's API.
    let token: String
    private let pages: String

    init(_ folder: String, _ arguments: String...) async throws {
        try await self.init(folder, more: arguments)
    }

    init(_ folder: String, more arguments: [String]) async throws {
        let port = arguments.contains("-p") ? [] : ["-p", "0"]
        program = try .product("drawbridge", port + ["--root", folder] + arguments)
        address = try await program.address()
        pages = "\(address)/__drawbridge__/pages"
        let line = try await program.line(with: "/__drawbridge__/pages")
        token = try String(#require(line.firstMatch(of: /Authorization: Bearer [0-9a-f]{32}/)).output)
    }

    /// Asks the tester's API, and gives its data; any code but 200 is thrown.
    @discardableResult
    func ask(_ method: String, _ path: String, _ body: String = "") async throws -> JSON {
        let said = try await answer(method, path, body)
        guard said["code"] == 200 else { throw DriverFailure(description: "\(method) \(path): \(said)") }
        return said["data"] ?? .null
    }

    /// Checks what was called, and gives the code of the verdict.
    func verify(_ check: String) async throws -> Int? {
        try await answer("POST", "calls/verify", check)["code"]?.numberValue?.intValue
    }

    /// Asks the tester's API, and gives all that it says.
    func said(_ method: String, _ path: String, _ body: String = "") async throws -> JSON {
        try await answer(method, path, body)
    }

    private func answer(_ method: String, _ path: String, _ body: String) async throws -> JSON {
        let text = try await curl(
            "-X", method, "-H", token, "--data-binary", body, "\(address)/__drawbridge__/\(path)")
        return try JSON(parsing: Array(text.utf8))
    }

    /// The id of the page that came last, as soon as it is another than the one before.
    func page(after last: String? = nil) async throws -> String {
        while true {
            let list = try JSON(parsing: Array(try await curl("-H", token, pages).utf8))
            if let id = list["data"]?[0]?["id"]?.stringValue, id != last { return id }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// What a script in the page gives.
    @discardableResult
    func evaluate(_ script: String, in page: String) async throws -> JSON {
        let body = String(decoding: (["script": .string(script)] as JSON).bytes, as: UTF8.self)
        let text = try await curl("-H", token, "-d", body, "\(pages)/\(page)/evaluate")
        return try JSON(parsing: Array(text.utf8))["data"] ?? .null
    }

    func click(_ id: String, in page: String) async throws {
        try await evaluate("document.getElementById('\(id)').click(), 1", in: page)
    }

    /// Lets native do something by itself.
    func play(_ event: String) async throws {
        let text = try await curl("-X", "POST", "-H", token, "\(address)/__drawbridge__/events/\(event)")
        #expect(try JSON(parsing: Array(text.utf8))["code"] == 200)
    }

    /// Waits until an element's text begins so.
    func expect(_ id: String, begins text: String, in page: String) async throws {
        var shown: JSON = .null
        let end = now() + 60
        repeat {
            shown = try await evaluate("document.getElementById('\(id)').textContent", in: page)
            if shown.stringValue?.hasPrefix(text) == true { return }
            try await Task.sleep(for: .milliseconds(10))
        } while now() < end
        Issue.record("\(id) shows \(shown), and not \(text)\n\(program.output)")
    }
}
