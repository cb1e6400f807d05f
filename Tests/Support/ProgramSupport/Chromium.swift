import Drawbridge
import Foundation
import Synchronization
import TestSupport
import Testing

/// A headless Chromium with one page, driven over its DevTools pipe.
package final class Chromium: Sendable {
    package struct Failure: Error { let message: String }

    private struct State {
        var nextID = 1
        var waiting: [Int: CheckedContinuation<JSON, any Error>] = [:]
        var received: [UInt8] = []
    }

    /// What the thread that reads shares with the browser.
    private final class Arc: Sendable {
        let mutex = Mutex(State())
    }

    private let child: Child
    private let state: Arc
    private let session = Mutex<String?>(nil)
    private let profile: URL

    /// Starts the browser with a fresh profile and opens an empty page of this size; skips the test where it is
    /// missing.
    ///
    /// - Parameters:
    ///   - options: more of the browser's own.
    ///   - prefix: what starts it, as on another machine.
    package init(width: Int = 1000, height: Int = 1100, options: String = "", prefix: String = "")
        async throws
    {
        try Self.skipWhereMissing()
        profile = FileManager.default.temporaryDirectory.appending(path: "chromium-\(UUID().uuidString)")
        let state = Arc()
        self.state = state
        let command = """
            exec \(prefix) chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
            --user-data-dir='\(profile.path())' --window-size=\(width),\(height) \(options) --remote-debugging-pipe \
            about:blank 3<&0 4>&1 1>/dev/null 2>/dev/null 0</dev/null
            """
        child = try Child("sh", ["-c", command]) { Self.take($0, state) }
        let targets = try await send("Target.getTargets")
        guard let target = targets["targetInfos"]?.first(where: { $0["type"] == "page" })?["targetId"] else {
            throw Failure(message: "no page: \(targets)")
        }
        let attached = try await send("Target.attachToTarget", ["targetId": target, "flatten": true])
        session.withLock { $0 = attached["sessionId"]?.stringValue }
    }

    private static func skipWhereMissing() throws {
        if !isInstalled("chromium") { try Test.cancel("chromium is not there; run scripts/setup programs") }
    }

    deinit {
        child.terminate()
        try? FileManager.default.removeItem(at: profile)
    }

    /// Loads a page and waits for its `load` event.
    ///
    /// Other tests put up networks, and Chromium gives up what it loads when a network comes or goes.
    ///
    /// - Throws: where it shows a page of its own instead, with the reason.
    package func open(_ url: String) async throws {
        var problem: JSON?
        repeat {
            problem = try await send("Page.navigate", ["url": .string(url)])["errorText"]
        } while problem == "net::ERR_NETWORK_CHANGED"
        if let problem { throw Failure(message: "\(url): \(problem)") }
        _ = try await evaluate(
            """
            new Promise(done => {
                const look = () => location.href !== 'about:blank' && document.readyState === 'complete'
                    ? done() : setTimeout(look, 10);
                look();
            })
            """)
    }

    /// The value of a script; a promise is awaited.
    @discardableResult
    package func evaluate(_ script: String) async throws -> JSON {
        let answer = try await send(
            "Runtime.evaluate",
            ["expression": .string(script), "awaitPromise": true, "returnByValue": true, "userGesture": true])
        if let exception = answer["exceptionDetails"] { throw Failure(message: "\(exception)") }
        return answer["result"]?["value"] ?? .null
    }

    /// Lays the page out for another width, and light or dark.
    package func show(width: Int, height: Int, scheme: String = "light") async throws {
        _ = try await send(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(.init(width)), "height": .number(.init(height)), "deviceScaleFactor": 1,
                "mobile": false,
            ])
        _ = try await send(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": .string(scheme)]]])
    }

    /// Writes a picture of the page below `artifacts`.
    package func screenshot(_ name: String) async throws {
        let answer = try await send("Page.captureScreenshot", ["captureBeyondViewport": true])
        guard let data = answer["data"]?.stringValue.flatMap({ Data(base64Encoded: $0) }) else {
            throw Failure(message: "no picture")
        }
        let folder = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: "artifacts")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: folder.appending(path: "\(name).png"))
    }

    /// Sends a command and waits for its answer, or until the test's time is over.
    private func send(_ method: String, _ parameters: JSON = [:]) async throws -> JSON {
        let id = state.mutex.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        var message: JSON.Object = [
            "id": .number(.init(id)), "method": .string(method), "params": parameters,
        ]
        if let session = session.withLock({ $0 }) { message["sessionId"] = .string(session) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.mutex.withLock { $0.waiting[id] = continuation }
                child.write(JSON.object(message).bytes + [0])
                if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    private func giveUp(_ id: Int) {
        state.mutex.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: CancellationError())
    }

    private static func take(_ bytes: [UInt8], _ state: Arc) {
        let ready = state.mutex.withLock { state in
            var ready: [(CheckedContinuation<JSON, any Error>, Result<JSON, any Error>)] = []
            if bytes.isEmpty {
                ready = state.waiting.values.map { ($0, .failure(Failure(message: "the browser has ended"))) }
                state.waiting = [:]
            }
            state.received += bytes
            while let end = state.received.firstIndex(of: 0) {
                let message = try? JSON(parsing: Array(state.received[..<end]))
                state.received.removeFirst(end + 1)
                guard let message, let id = message["id"]?.numberValue?.intValue,
                    let continuation = state.waiting.removeValue(forKey: id)
                else { continue }
                if let error = message["error"] {
                    ready.append((continuation, .failure(Failure(message: "\(error)"))))
                } else {
                    ready.append((continuation, .success(message["result"] ?? .null)))
                }
            }
            return ready
        }
        for (continuation, result) in ready { continuation.resume(with: result) }
    }
}

extension JSON {
    fileprivate func first(where isWanted: (JSON) -> Bool) -> JSON? {
        guard case .array(let values) = self else { return nil }
        return values.first(where: isWanted)
    }
}
