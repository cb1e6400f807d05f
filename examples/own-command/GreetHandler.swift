import Drawbridge

struct GreetHandler: JSONHandler {
    struct Input: Decodable { var name: String }
    struct Output: Encodable { var greeting: String }

    func handle(_ input: Input) async throws -> Output { Output(greeting: "Hello, \(input.name)!") }
}
