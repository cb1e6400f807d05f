import HTTPTypes
import Testing

@testable import Drawbridge

/// A gateway that keeps a journal, and a program that asks it.
struct JournalProgram {
    let gateway: Gateway

    /// - Parameter files: what answers requests that are not for native.
    init(_ gateway: Gateway = Gateway(keepsJournal: true), withHandlers: Bool = true) {
        self.gateway = gateway
        if withHandlers { PageHandlers.register(on: gateway) }
    }

    func ask(
        _ method: HTTPRequest.Method, _ target: String, _ body: String = "", headers: HTTPFields = [:]
    ) async -> Response {
        var headers = headers
        headers[.authorization] = "Bearer \(gateway.testerToken.text)"
        headers[.contentType] = "application/json"
        return await gateway.respond(
            to: Request(method, "/__drawbridge__/\(target)", headers: headers, body: .init(body)))
    }

    func calls(_ query: String = "") async throws -> [JSON] {
        let answer = try await ask(.get, "calls\(query)").json()
        return try #require(answer["data"]?["calls"]?.arrayValue, "\(answer)")
    }

    /// What a page or a program calls by a request.
    func call(_ target: String, _ body: String = "", headers: HTTPFields = [:]) async {
        var headers = headers
        if !body.isEmpty, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        _ = await gateway.respond(to: Request(.post, target, headers: headers, body: .init(body)))
    }
}
