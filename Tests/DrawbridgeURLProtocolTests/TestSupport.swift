import Dispatch
import Drawbridge
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import Logging
import Synchronization
import TestSupport
import Testing

/// Something that happens once; whoever waits for it goes on then.
final class Event: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func happen() { continuation.finish() }

    /// Waits for it, also in a task that is cancelled.
    func wait() async {
        await Task { for await _ in stream {} }.value
    }
}

/// Notes what happened, in order, from any thread.
final class Journal: Sendable {
    private let notes = Mutex<[String]>([])

    func note(_ text: String) { notes.withLock { $0.append(text) } }

    var entries: [String] { notes.withLock { $0 } }

    /// Waits until so many notes are there; the time limit of the test ends what never comes.
    func wait(for count: Int) async {
        await until { self.entries.count >= count }
    }
}

/// Goes on when the condition holds, which nothing tells; the time limit of the test ends what never comes, and then the
/// line that waited is named.
///
/// Between two looks it sleeps: what it waits for needs the processor.
func until(_ condition: @Sendable () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
    while !condition() {
        if Task.isCancelled {
            Issue.record("what this line waits for never came", sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .milliseconds(1))
    }
}

extension Gateway {
    /// A gateway that logs nothing.
    static func testing(
        passThrough: [any Responder] = [], middleware: [any Middleware] = [], unhandled: Unhandled = .answer,
        access: AccessPolicy = AccessPolicy(), bodyLimit: Int = Gateway.defaultBodyLimit
    ) -> Gateway {
        Gateway(
            passThrough: passThrough, middleware: middleware, unhandled: unhandled, access: access,
            bodyLimit: bodyLimit, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// A gateway with the class that does what tests say.
    static func scripted(_ redirects: Redirects = .sent, deadline: Duration? = .seconds(60)) -> Gateway {
        let gateway = Gateway.testing()
        gateway.register(ScriptedProtocol.self, redirects: redirects, deadline: deadline)
        return gateway
    }

    func answer(at path: String, _ answer: @escaping @Sendable (Request) async throws -> Response) {
        surely { try register(at: path) { Answering(answer: answer) } }
    }
}

/// A handler out of a closure.
struct Answering: Handler {
    let answer: @Sendable (Request) async throws -> Response

    func startLoading(_ request: Request) async throws -> Response { try await answer(request) }
}

/// The chunks of a body, one after the other, for a test that gives them out.
final class Chunks: ChunkSource {
    private let chunks: Mutex<ArraySlice<[UInt8]>>

    init(_ chunks: [[UInt8]]) { self.chunks = Mutex(chunks[...]) }

    func next() async throws -> [UInt8]? { chunks.withLock { $0.popFirst() } }
}
