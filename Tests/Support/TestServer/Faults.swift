import Drawbridge
import Glibc
import Synchronization

/// What a handler can do wrong.
enum Faults {
    static func register(on gateway: Gateway) throws {
        try gateway.register(Throws.self, at: "/throws")
        try gateway.register(Leaks.self, at: "/leaks")
        try gateway.register(Late.self, at: "/late")
        try gateway.register(TwiceStreaming.self, at: "/twice")
        try gateway.register(Huge.self, at: "/huge")
        try gateway.register(Blocks.self, at: "/blocks")
        try gateway.register(Unblocks.self, at: "/unblocks")
        try gateway.register(Holds.self, at: "/holds")
    }

    private struct Broken: Error {}

    struct Throws: JSONHandler {
        func handle(_ input: Nothing) async throws -> Nothing { throw Broken() }
    }

    /// Forgets whom to answer.
    struct Leaks: JSONHandler {
        static let options = HandlerOptions(deadline: .milliseconds(200))

        func handle(_ input: Nothing) async throws -> Nothing {
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            return Nothing()
        }
    }

    /// Ignores its cancellation, and answers when it is told that the deadline has answered for it.
    struct Late: JSONHandler {
        static let options = HandlerOptions(deadline: .milliseconds(100))

        private let told = AsyncStream.makeStream(of: Void.self)

        func handle(_ input: Nothing) async throws -> String {
            let stream = told.stream
            await Task.detached { for await _ in stream {} }.value
            return "again"
        }

        func stopLoading() { told.continuation.finish() }
    }

    /// Writes on when its stream has ended.
    struct TwiceStreaming: Handler {
        func handle(_ request: Request) async throws -> Response {
            Response(contentType: "text/plain") { client in
                try await client.didLoad("first")
                Task {
                    try await Task.sleep(for: .milliseconds(500))
                    try await client.didLoad("again")
                }
            }
        }
    }

    /// A hundred megabytes.
    struct Huge: Handler {
        func handle(_ request: Request) async throws -> Response {
            Response(bytes: [UInt8](repeating: 0x61, count: 100 << 20), contentType: "text/plain")
        }
    }

    /// Blocks until ``Unblocks`` is asked, and says so.
    struct Blocks: JSONHandler {
        static let options = HandlerOptions(execution: .thread)
        let request: Request

        func handle(_ input: Nothing) async throws -> String {
            request.logger.notice("blocks has begun")
            while !Unblocks.isAsked.load(ordering: .relaxed) { usleep(1000) }
            return "blocked"
        }
    }

    /// Lets go on all that block, from now on.
    struct Unblocks: JSONHandler {
        static let isAsked = Atomic(false)

        func handle(_ input: Nothing) async throws -> Nothing {
            Self.isAsked.store(true, ordering: .relaxed)
            return Nothing()
        }
    }

    /// Blocks for a moment, and does not say so.
    struct Holds: JSONHandler {
        func handle(_ input: Nothing) async throws -> Nothing {
            usleep(120_000)
            return Nothing()
        }
    }
}
