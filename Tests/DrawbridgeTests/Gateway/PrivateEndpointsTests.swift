import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("Endpoints about the gateway itself")
struct PrivateEndpointsTests {
    @Test func theHealthEndpointIsReadableAndNotCached() async throws {
        for method in [HTTPRequest.Method.get, .head] {
            let response = await Gateway.testing().respond(to: Request(method, "/__drawbridge__/health"))
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "application/json")
            #expect(response.headers[.cacheControl] == "no-store")
            #expect(response.headers[.xContentTypeOptions] == "nosniff")
            #expect(response.headers[.crossOriginResourcePolicy] == "same-origin")
            let json = try await response.json()
            #expect(json["code"] == 200)
            #expect(json["data"]?["status"] == "ok")
            #expect(json["data"]?["droppedAnswers"]?.numberValue?.intValue != nil)
            #expect(json["data"]?["droppedChunks"]?.numberValue?.intValue != nil)
        }
    }

    @Test(arguments: [
        ("schema.json", "application/schema+json", "$schema"),
        ("api.json", "application/openapi+json", "openapi"),
    ])
    func apiDescriptionsForToolsAreServed(name: String, contentType: String, member: String) async throws {
        let response = await Gateway.testing().respond(to: Request("/__drawbridge__/\(name)"))
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == contentType)
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        #expect(try await response.json()[member]?.stringValue != nil)
    }

    @Test(arguments: [
        "/__drawbridge__", "/__drawbridge__/", "/__drawbridge__/other", "/__drawbridge__/health/x",
    ])
    func unknownEndpointsNeverReachThePagesServer(target: String) async throws {
        let response = await Gateway.testing(passThrough: [Behind()]).respond(to: Request(target))
        #expect(response.status == .notFound)
        #expect(try await response.json()["message"]?.stringValue?.contains("/__drawbridge__/health") == true)
    }

    @Test func theHealthEndpointAcceptsOnlyGETAndHEAD() async {
        let response = await Gateway.testing().respond(to: Request(.post, "/__drawbridge__/health"))
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.allow] == "GET, HEAD")
    }

    @Test func aPathThatOnlyBeginsLikeAnEndpointPassesThrough() async throws {
        let response = await Gateway.testing(passThrough: [Behind()]).respond(to: Request("/__drawbridge__x"))
        #expect(try await response.text() == "behind: GET /__drawbridge__x")
    }
}
