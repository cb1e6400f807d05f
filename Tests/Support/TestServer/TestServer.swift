import CLinux
import Drawbridge
import DrawbridgeCommand
import Glibc
import Logging
import Synchronization

/// A gateway with handlers that only tests need.
@main
struct TestServer {
    static func main() async throws {
        try await GatewayCommand.run(version: "1.2.3") { gateway in
            try gateway.register(Wait.self, at: "/wait")
            try gateway.register(Ticks.self, at: "/ticks")
            try gateway.register(Takes.self, at: "/takes")
            try gateway.register(Stays.self, at: "/stays")
            try gateway.register(Soon.self, at: "/soon")
            try gateway.register(Turn.self, at: "/turn")
            try gateway.register(Block.self, at: "/block")
            try gateway.register(Counts.self, at: "/counts")
            try gateway.register(at: "/heap") { [journal = gateway.journal] in Heap(journal: journal) }
            try gateway.register(Witness.self, at: "/witness")
            try gateway.register(AsksBack.self, at: "/asksBack")
            try gateway.register(AsksPerson.self, at: "/asksPerson")
            try Faults.register(on: gateway)
        }
    }
}

/// Never answers of its own accord.
struct Wait: Handler {
    static let options = HandlerOptions(deadline: nil)

    func handle(_ request: Request) async throws -> Response {
        Counts.started.add(1, ordering: .relaxed)
        request.logger.notice("wait has begun")
        // A cancelled sleep would stay in memory until its hour.
        let (nothing, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in nothing {}
        continuation.finish()
        return Response(text: "too late")
    }

    func stopLoading() { Counts.stopped.add(1, ordering: .relaxed) }
}

/// How many have waited, and how many of them were told that nobody waits for them.
struct Counts: JSONHandler {
    static let started = Atomic<Int>(0)
    static let stopped = Atomic<Int>(0)

    func handle(_ input: Nothing) async throws -> [Int] {
        [Self.started.load(ordering: .relaxed), Self.stopped.load(ordering: .relaxed)]
    }
}

/// How many bytes of its heaps are in use, and how many of them the journal counts as its own.
struct Heap: JSONHandler {
    let journal: Journal

    func handle(_ input: Nothing) async throws -> [Int] { [mallinfo2().uordblks, journal.keptBytes] }
}

/// Gives back the body that it has got.
struct Takes: Handler {
    func handle(_ request: Request) async throws -> Response {
        Response(bytes: request.body.bytes ?? [], contentType: "text/plain")
    }
}

/// Begins a stream, and does not end when it is cancelled.
struct Stays: Handler {
    func handle(_ request: Request) async throws -> Response {
        Response(contentType: "text/plain") { client in
            try await client.didLoad("begun")
            request.logger.notice("stays has begun")
            await Task { try? await Task.sleep(for: .seconds(600)) }.value
        }
    }
}

/// Answers after half a second, and says when it begins.
struct Soon: JSONHandler {
    let request: Request

    func handle(_ input: Nothing) async throws -> String {
        request.logger.notice("soon has begun")
        try await Task.sleep(for: .milliseconds(500))
        return "done"
    }
}

/// Holds its loop for ever, as no handler may.
struct Block: JSONHandler {
    let request: Request

    func handle(_ input: Nothing) async throws -> Nothing {
        request.logger.notice("block has begun")
        while true { usleep(100_000) }
    }
}

/// Streams until its reader leaves.
struct Ticks: Handler {
    func handle(_ request: Request) async throws -> Response {
        Response(contentType: "text/event-stream") { client in
            while true {
                try await client.didLoad("data: tick\n\n")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }
}
