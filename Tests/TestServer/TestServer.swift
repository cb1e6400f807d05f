import Drawbridge
import DrawbridgeCommand
import Glibc
import Logging

/// A gateway with handlers that only tests need.
@main
struct TestServer {
    static func main() async {
        await GatewayCommand.run { gateway in
            gateway.register(Wait.self, at: "/wait")
            gateway.register(Ticks.self, at: "/ticks")
            gateway.register(Soon.self, at: "/soon")
            gateway.register(Block.self, at: "/block")
        }
    }
}

/// Never answers of its own accord.
struct Wait: Handler {
    static var deadline: Duration? { nil }

    func startLoading(_ request: Request) async throws -> Response {
        try await Task.sleep(for: .seconds(3600))
        return Response(text: "too late")
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
    func startLoading(_ request: Request) async throws -> Response {
        Response(contentType: "text/event-stream") { client in
            while true {
                try await client.didLoad("data: tick\n\n")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }
}
