import Drawbridge
import Foundation
import Synchronization
import TestSupport
import Testing

/// One Chromium with several contexts, each with cookies and storage of its own as a profile has them; its developer tools
/// open pages there and look into them.
///
/// One task at a time uses it.
final class ContextBrowser: Sendable {
    /// A page that is alone in its context.
    struct Page: Sendable { fileprivate let session: String }

    private let profile: Folder
    private let program: Program
    private let tools: WebSocketClient
    private let last = Mutex(0)

    /// Starts the browser with a fresh profile, and ends it when the work is done.
    ///
    /// Where it is missing, the test is skipped, and says so.
    static func drive<Value: Sendable>(_ work: (ContextBrowser) async throws -> Value) async throws -> Value {
        try Browser.chromium.skipWhereMissing()
        let profile = try Folder()
        let program = try Program(
            "setsid",
            [
                "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--no-proxy-server", "--user-data-dir=\(profile.path)",
                "--remote-debugging-port=0", "about:blank",
            ], environment: ["HOME": profile.path, "TMPDIR": profile.path])
        let outcome = await Result { try await work(ContextBrowser(profile, program)) }
        // It leads its process group, and has nothing to keep.
        kill(-program.child.processIdentifier, SIGKILL)
        _ = await program.child.exitCode()
        return try outcome.get()
    }

    private init(_ profile: Folder, _ program: Program) async throws {
        (self.profile, self.program) = (profile, program)
        // Port and path of its tools, as soon as both are there.
        var lines: [Substring] = []
        _ = await eventually {
            lines = (try? profile.read("DevToolsActivePort").split(separator: "\n")) ?? []
            return lines.count == 2
        }
        guard lines.count == 2, let port = Int(lines[0]) else {
            throw DriverFailure(description: "Chromium has no developer tools: \(program.output)")
        }
        tools = try await blocking { [path = String(lines[1])] in
            try WebSocketClient.open(port, path, host: "127.0.0.1:\(port)")
        }
    }

    /// Opens a page in a context of its own; it returns before that has loaded.
    func open(_ url: String) async throws -> Page {
        let context = try await send("Target.createBrowserContext")["browserContextId"] ?? .null
        let page =
            try await send(
                "Target.createTarget", ["url": .string(url), "browserContextId": context])["targetId"]
            ?? .null
        let session = try await send("Target.attachToTarget", ["targetId": page, "flatten": true])[
            "sessionId"]
        return Page(session: try #require(session?.stringValue))
    }

    /// Goes to an address in the same context, and returns when its document has come.
    func go(to url: String, in page: Page) async throws {
        let answer = try await send("Page.navigate", ["url": .string(url)], to: page)
        guard answer["errorText"] == nil else { throw DriverFailure(description: "\(url): \(answer)") }
    }

    /// The JSON value of an expression in the page; a promise is awaited.
    @discardableResult
    func evaluate(_ expression: String, in page: Page) async throws -> JSON {
        let answer = try await send(
            "Runtime.evaluate",
            ["expression": .string(expression), "awaitPromise": true, "returnByValue": true], to: page)
        guard answer["exceptionDetails"] == nil else {
            throw DriverFailure(description: "\(answer) in \(expression)")
        }
        return answer["result"]?["value"] ?? .null
    }

    /// Waits until an expression gives this value; where it never does, that is an issue.
    func expect(
        _ expression: String, _ value: JSON, in page: Page,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var seen: JSON = .null
        let end = now() + 120
        repeat {
            // A document that goes has no values.
            seen = (try? await evaluate(expression, in: page)) ?? .null
            if seen == value { return }
            try await Task.sleep(for: .milliseconds(20))
        } while now() < end
        Issue.record("\(seen), and not \(value), in \(expression)", sourceLocation: sourceLocation)
    }

    /// Clicks on an element where it is on the screen, as soon as nothing lies over it.
    func click(_ element: String, in page: Page) async throws {
        let look = """
            (() => {
                const element = \(element);
                const { x, y, width, height } = element?.getBoundingClientRect() ?? {};
                const place = [x + width / 2, y + height / 2];
                return element?.contains(element.getRootNode().elementFromPoint(...place)) ? place : null;
            })()
            """
        try await expect("\(look) !== null", true, in: page)
        let place = try await evaluate(look, in: page)
        for type in ["mousePressed", "mouseReleased"] {
            let event: JSON = [
                "type": .string(type), "x": place[0] ?? 0, "y": place[1] ?? 0, "button": "left",
                "clickCount": 1,
            ]
            _ = try await send("Input.dispatchMouseEvent", event, to: page)
        }
    }

    /// Sends a command of the developer tools' protocol, and gives its result.
    private func send(_ method: String, _ parameters: JSON = [:], to page: Page? = nil) async throws -> JSON {
        let number = JSON.number(
            .init(
                last.withLock { last in
                    last += 1
                    return last
                }))
        var command: JSON.Object = ["id": number, "method": .string(method), "params": parameters]
        if let page { command["sessionId"] = .string(page.session) }
        return try await blocking {
            [tools, text = String(decoding: JSON.object(command).bytes, as: UTF8.self)] in
            try tools.send(text)
            while true {
                // Others are events, which nobody asked for.
                let answer = try JSON(parsing: try tools.receive().payload)
                guard answer["id"] == number else { continue }
                guard let result = answer["result"] else {
                    throw DriverFailure(description: "\(method): \(answer)")
                }
                return result
            }
        }
    }
}
