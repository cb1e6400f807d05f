import Drawbridge

/// All actions of `http://__jsbridge__`, with action and data in the body: the class chooses status, type and bytes.
///
/// ```swift
/// try gateway.register(at: "/*") { JSBridgeHandler { action, data in … } }
/// ```
struct JSBridgeHandler: Handler {
    typealias Answer = (status: Int, mimeType: String, data: [UInt8])

    let answer: @Sendable (_ action: String, _ data: JSON) async throws -> Answer

    func handle(_ request: Request) async throws -> Response {
        let action = request.parameters["*"] ?? ""
        let (status, mimeType, data) = try await answer(action, try await request.input(as: JSON.self))
        return Response(.init(code: status), headers: [.contentType: mimeType], body: .bytes(data))
    }
}
