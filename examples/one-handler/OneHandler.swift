// swift run one-handler, and open http://127.0.0.1:8080/
// curl 'http://127.0.0.1:8080/greet?_mobile_bridge=1&name=Ann'
import DrawbridgeServer
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking

/// The one handler: for curl, for a page, and for the app's own code.
struct GreetHandler: JSONHandler {
    struct Input: Decodable { var name: String? }
    struct Output: Codable { var greeting: String }

    func handle(_ input: Input) async throws -> Output {
        Output(greeting: "Hello, \(input.name ?? "world")!")
    }
}

/// What the app has always asked by URL; nothing in it knows of a gateway.
struct GreetingService {
    let session: URLSession

    func greeting(for name: String) async throws -> String {
        // No host of that name is asked: the flag means native.
        let url = URL(string: "https://api.example/greet?_mobile_bridge=1&name=\(name)")!
        let (data, _) = try await session.data(from: url)
        return try JSONDecoder().decode(Reply.self, from: data).data.greeting
    }

    private struct Reply: Decodable { var data: GreetHandler.Output }
}

func say(_ text: String) {
    print(text)
    fflush(nil)
}

@main
struct OneHandler {
    static func main() async throws {
        let gateway = Gateway(passThrough: [GreetingPage()])
        try gateway.register(GreetHandler.self, at: "/greet")
        gateway.register(LegacyProtocol.self)

        DrawbridgeURLProtocol.gateway = gateway
        // For URLSession.shared, and before there is any session.
        _ = URLProtocol.registerClass(DrawbridgeURLProtocol.self)
        let configuration = URLSessionConfiguration.default
        configuration.protocolClasses = [DrawbridgeURLProtocol.self]
        for (name, session) in [("Bob", URLSession(configuration: configuration)), ("Dora", .shared)] {
            say("the app is told: \(try await GreetingService(session: session).greeting(for: name))")
        }

        // A port as the first argument, for tests; 0 is any.
        let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 8080
        try await gateway.run(.init(port: port))
    }
}
