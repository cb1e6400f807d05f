import Dispatch
import Drawbridge
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import Logging
import Synchronization
import TestSupport
import Testing

extension Gateway {
    /// A gateway that logs nothing.
    static func testing(
        passThrough: [any Responder] = [], middleware: [any Middleware] = [], unhandled: Unhandled = .answer,
        access: AccessPolicy = AccessPolicy(), bodyLimit: Int = 8 << 20
    ) -> Gateway {
        Gateway(
            passThrough: passThrough, middleware: middleware, unhandled: unhandled, access: access,
            bodyLimit: bodyLimit, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// A gateway with the class that does what tests say.
    static func scripted(deadline: Duration? = .seconds(60)) -> Gateway {
        let gateway = Gateway.testing()
        gateway.register(ScriptedProtocol.self, deadline: deadline)
        return gateway
    }

    func answer(at path: String, _ answer: @escaping @Sendable (Request) async throws -> Response) {
        surely { try register(at: path) { Answering(answer: answer) } }
    }
}

/// A handler out of a closure.
struct Answering: Handler {
    let answer: @Sendable (Request) async throws -> Response

    func handle(_ request: Request) async throws -> Response { try await answer(request) }
}

/// The chunks of a body, one after the other, for a test that gives them out.
final class Chunks: ChunkSource {
    private let chunks: Mutex<ArraySlice<[UInt8]>>

    init(_ chunks: [[UInt8]]) { self.chunks = Mutex(chunks[...]) }

    func next() async throws -> [UInt8]? { chunks.withLock { $0.popFirst() } }
}

/// Keeps what is logged.
struct Log: LogHandler {
    let messages = Observed<[String]>([])
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { messages.change { $0.append("\(event.message)") } }
}
