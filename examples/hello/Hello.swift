// swift run hello
// curl 'http://127.0.0.1:8080/hello?_mobile_bridge=1&name=Ann'
import Drawbridge
import DrawbridgeServer
import Glibc

struct HelloHandler: JSONHandler {
    struct Input: Decodable { var name: String? }
    struct Output: Encodable { var greeting: String }

    func handle(_ input: Input) async throws -> Output {
        Output(greeting: "Hello, \(input.name ?? "world")!")
    }
}

@main
struct Hello {
    static func main() async {
        let gateway = Gateway()
        gateway.register(HelloHandler.self, at: "/hello")
        // A port as the first argument, for tests; 0 is any.
        let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 8080
        do {
            try await gateway.run(.init(port: port))
        } catch {
            // An error that leaves main is a crash, and its sentence hard to find in it.
            print("hello: \(error)")
            exit(1)
        }
    }
}
