import Drawbridge
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A handler class of `BOURLProtocol` at a path of the gateway's, where every bridge reaches it.
///
/// ```swift
/// try gateway.register(at: "/alert") { BOHandler(type: Alert.self, request: $0) }
/// ```
struct BOHandler: JSONHandler {
    static let options = HandlerOptions(deadline: nil)

    let type: any BORequestHandler.Type
    let request: Request

    func handle(_ input: JSON) async throws -> String? {
        guard let url = URL(string: "http://localhost\(request.head.path ?? "/")") else {
            throw HTTPError(.badRequest, "\(request.path) is not a URL")
        }
        var asked = URLRequest(url: url)
        asked.httpMethod = request.method.rawValue
        asked.httpBody = Data(input.bytes)
        // The instance is not used by this task again, only kept until it has answered.
        nonisolated(unsafe) let handler = type.init()
        defer { withExtendedLifetime(handler) {} }
        let (code, message, data) = await withCheckedContinuation { answer in
            handler.handleURLProtocolRequest(asked) { answer.resume(returning: ($0, $1, $2)) }
        }
        guard code == 200 else { throw HTTPError(.badRequest, message, code: code) }
        return data
    }
}
