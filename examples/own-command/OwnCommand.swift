// swift run own-command --help
// curl 'http://127.0.0.1:8080/greet?_mobile_bridge=1&name=Ann'
import Drawbridge
import DrawbridgeCommand

struct GreetHandler: JSONHandler {
    struct Input: Decodable { var name: String }
    struct Output: Encodable { var greeting: String }

    func handle(_ input: Input) async throws -> Output { Output(greeting: "Hello, \(input.name)!") }
}

@main
struct OwnCommand {
    static func main() async throws {
        try await GatewayCommand.run { gateway in
            gateway.register(GreetHandler.self, at: "/greet")
        }
    }
}
