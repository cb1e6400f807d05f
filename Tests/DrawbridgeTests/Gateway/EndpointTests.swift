import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("The gateway's own paths") struct EndpointTests {
    /// What pages and browsers ask, and no program: the page runtime and its bridges, its channel, the link for devices.
    private static let notForPrograms: Set<OwnPath> = [
        .enter, .manual, .script, .global, .ask, .bridge, .token, .call, .messages, .channel,
    ]

    /// Who reads the description finds all that there is, and nothing else.
    @Test func theOpenAPIDescriptionHasEveryMethodOfEveryPath() throws {
        let description = try JSON(parsing: Texts.core["tester-api.openapi.json"])
        let paths = try #require(description["paths"]?.objectValue)
        var described: Set<String> = []
        for (path, verbs) in paths {
            let pattern = path.split(separator: "/").map { $0.first == "{" ? "{}" : $0 }.joined(
                separator: "/")
            for (verb, _) in verbs.objectValue ?? [:] where verb != "parameters" {
                described.insert("\(verb.uppercased()) \(pattern)")
            }
        }
        var answered: Set<String> = []
        for row in Endpoint.table where !Self.notForPrograms.contains(row.path) {
            let below = row.below.map { $0.first == ":" || $0.first == "*" ? "{}" : String($0) }
            let pattern = ([row.path.rawValue] + below).joined(separator: "/")
            for verb in row.answers.map(\.key) where verb != .head { answered.insert("\(verb) \(pattern)") }
        }
        #expect(described == answered)
    }

    @Test func endpointsAreRecognizedWithASubpath() {
        for row in Endpoint.table where !row.below.isEmpty {
            #expect(OwnPath(of: Request("\(row.path.path)/a")) == row.path)
        }
    }

    @Test(arguments: [
        ("calls/1/2/3", "POST /__drawbridge__/calls/NUMBER/resend"),
        ("replies/x", "POST /__drawbridge__/replies/save"),
        ("pages/1/knock", "POST /__drawbridge__/pages/PAGE/evaluate"),
        ("admissions/1/2", "DELETE /__drawbridge__/admissions/DEVICE"),
    ])
    func anUnknownEndpointIsAnsweredWithTheKnownOnes(path: String, line: String) async throws {
        let gateway = Gateway(keepsJournal: true)
        let request = Request(
            "/__drawbridge__/\(path)", headers: [.authorization: "Bearer \(gateway.testerToken.text)"])
        let answer = await gateway.respond(to: request)
        #expect(answer.status == .notFound)
        let message = try await answer.json()["message"]?.stringValue ?? ""
        #expect(message.contains("nothing at /__drawbridge__/\(path); there are "), "\(message)")
        #expect(message.contains(line), "\(message)")
    }

    /// Whoever mistypes a path sends the tester's token with it: no server behind the gateway sees that.
    @Test(arguments: [
        "//__drawbridge__/calls", "/%5f_drawbridge__/calls", "/__drawbridge__%2Fcalls",
        "/./__drawbridge__/calls",
        "/%2E/__drawbridge__", "/__drawbridge_%5F/calls?a=1",
    ])
    func aMisspelledPrefixOfEndpointsIsA404WithAHint(path: String) async throws {
        let gateway = Gateway.testing(passThrough: [Behind()])
        let answer = await gateway.respond(to: Request(path))
        #expect(answer.status == .notFound)
        #expect(
            try await answer.json()["message"]?.stringValue?.hasSuffix("; write /__drawbridge__/…") == true)
    }

    @Test(arguments: [
        "/__drawbridge__x", "/_a", "//a/__drawbridge__", "/.well-known/a", "/%41", "/", "/__drawbridge__x/",
    ])
    func aPathThatOnlyLooksLikeAnEndpointPassesThrough(path: String) async throws {
        let gateway = Gateway.testing(passThrough: [Behind()])
        #expect(try await gateway.respond(to: Request(path)).text() == "behind: GET \(path)")
    }
}
