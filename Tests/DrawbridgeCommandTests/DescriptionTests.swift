import Drawbridge
import DrawbridgeHandlers
import FoundationEssentials
import HTTPTypes
import Testing

@testable import DrawbridgeCommand

/// `handlers/openapi.json` says what the standard handlers take and answer; here it cannot fall behind.
@Suite struct DescriptionTests {
    private let description: JSON
    private let gateway: Gateway

    init() throws {
        let file = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        description = try JSON(file: "/\(file)/handlers/openapi.json")
        let answers: [String: JSON] = [
            "alert": "ok", "makeACall": "ok", "openURL": "cancel", "pay": "ok", "share": "done",
        ]
        gateway = Gateway(presenter: ScriptedPresenter(answers))
        try BuiltIns(for: gateway, store: StorageHandler.Store()).follow([])
    }

    @Test func theOpenAPIDescriptionListsExactlyTheStandardHandlersByBothBridges() {
        let described = description["paths"]?.objectValue?.map(\.key) ?? []
        let registered = gateway.registered.keys
        #expect(Set(described) == Set(registered).union(registered.map { "/__jsbridge__" + $0 }))
    }

    @Test func examplesInTheOpenAPIDescriptionAreAnsweredAsItSays() async throws {
        for (path, operations) in try #require(description["paths"]?.objectValue) {
            let operation = try #require(operations.objectValue?.first { _ in true })
            let reply = try await reply(to: operation.key, path, operation.value)
            #expect(reply["code"] == 200, "\(path): \(reply)")

            let name = try #require(path.split(separator: "/").last)
            let response = description["components"]?["responses"]?[String(name)]
            let schema = try #require(response?["content"]?["text/json"]?["schema"])
            #expect(fits(reply, schema["anyOf"]?[0] ?? schema), "\(path): \(reply) is not what is described")
        }
    }

    @Test func aRequestWithoutARequiredMemberIsRefused() async throws {
        for (path, operations) in try #require(description["paths"]?.objectValue) {
            let content = operations["post"]?["requestBody"]?["content"]?["application/json"]
            guard let content, let schema = content["schema"], schema["type"] == "object" else { continue }
            for name in schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
                var example = try #require(content["example"]?.objectValue)
                example[name] = nil
                let request = Request(.post, path, body: .init(JSON.object(example).bytes))
                let reply = try JSON(parsing: await gateway.respond(to: request).body.collect())
                #expect(reply["code"] == 400, "\(path) does without \(name): \(reply)")
            }
        }
    }

    /// Asks with the examples that the operation has.
    private func reply(to method: String, _ path: String, _ operation: JSON) async throws -> JSON {
        var target = path
        if method == "get" {
            var query = Query("_mobile_bridge=1")
            for parameter in operation["parameters"]?.arrayValue ?? [] {
                guard let name = parameter["name"]?.stringValue else { continue }
                query[name] = parameter["example"]?.stringValue
            }
            target += "?" + query.text
        }
        let example = operation["requestBody"]?["content"]?["application/json"]?["example"]
        let method = try #require(HTTPRequest.Method(method.uppercased()))
        let request = Request(method, target, body: .init(example?.bytes ?? []))
        return try JSON(parsing: await gateway.respond(to: request).body.collect())
    }

    /// As much of JSON Schema as the answers are described with.
    private func fits(_ value: JSON, _ schema: JSON) -> Bool {
        if let reference = schema["$ref"]?.stringValue {
            let target = reference.split(separator: "/").dropFirst().reduce(description as JSON?) {
                $0?[String($1)]
            }
            return target.map { fits(value, $0) } ?? false
        }
        if let choices = schema["anyOf"]?.arrayValue { return choices.contains { fits(value, $0) } }
        if let constant = schema["const"] { return value == constant }
        if let choices = schema["enum"]?.arrayValue { return choices.contains(value) }
        switch schema["type"] {
        case "string": return value.stringValue != nil
        case "array": return value.arrayValue?.allSatisfy { fits($0, schema["items"] ?? [:]) } ?? false
        case "object":
            guard let members = value.objectValue else { return false }
            let required = schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
            return required.allSatisfy { members[$0] != nil }
                && members.allSatisfy { name, member in
                    schema["properties"]?[name].map { fits(member, $0) } ?? false
                }
        default: return true
        }
    }
}
