// swift run hello
// curl 'http://127.0.0.1:8080/hello?_mobile_bridge=1&name=Ann'
import DrawbridgeCommand

struct HelloHandler: JSONHandler {
    struct Input: Decodable { var name: String? }
    struct Output: Encodable { var greeting: String }

    func handle(_ input: Input) async throws -> Output {
        Output(greeting: "Hello, \(input.name ?? "world")!")
    }
}

try await GatewayCommand.run { gateway in
    try gateway.register(HelloHandler.self, at: "/hello")
}
