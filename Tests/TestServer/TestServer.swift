import Drawbridge
import DrawbridgeCommand
import Logging

/// A gateway with handlers that only tests need.
@main
struct TestServer {
    static func main() async {
        await GatewayCommand.run { gateway in
            gateway.register(Wait.self, at: "/wait")
            gateway.register(Ticks.self, at: "/ticks")
            gateway.register(Soon.self, at: "/soon")
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
