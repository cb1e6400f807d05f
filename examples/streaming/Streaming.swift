// swift run streaming
// curl -N 'http://127.0.0.1:8080/countdown?_mobile_bridge=1&from=3'
import Drawbridge
import DrawbridgeCommand

/// An event stream, as `new EventSource('/countdown?_mobile_bridge=1')` reads it.
struct CountdownHandler: Handler {
    struct Input: Decodable { var from: Int? }

    func handle(_ request: Request) async throws -> Response {
        let start = try await request.input(as: Input.self).from ?? 10
        guard (0...3600).contains(start) else {
            throw HTTPError(.badRequest, "from: count down from 0 to 3600")
        }
        return Response(contentType: "text/event-stream") { client in
            for second in (0...start).reversed() {
                // Waits for a slow reader, and throws when it has gone.
                try await client.didLoad("data: \(second)\n\n")
                if second > 0 { try await Task.sleep(for: .seconds(1)) }
            }
        }
    }
}

@main
struct Streaming {
    static func main() async throws {
        try await GatewayCommand.run { gateway in
            try gateway.register(CountdownHandler.self, at: "/countdown")
        }
    }
}
