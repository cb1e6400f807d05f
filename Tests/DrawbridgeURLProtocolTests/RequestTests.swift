import Drawbridge
import DrawbridgeTesting
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import HTTPTypes
import Testing

/// What a `URLProtocol` class sees of a request.
@Suite(.timeLimit(.minutes(5))) struct RequestTests {
    @Test func urlMethodHeadersAndCookiesAreTheCallers() async throws {
        let path = ScriptedProtocol.script { scripted in
            let request = scripted.request
            let fields = ["X-Own", "Cookie", "Accept"].map { request.value(forHTTPHeaderField: $0) ?? "-" }
            scripted.answer("\(request.httpMethod ?? "") \(request.url!) \(fields)")
        }
        var headers: HTTPFields = [HTTPField.Name("X-Own")!: "1", .accept: "text/html"]
        headers.append(HTTPField(name: .cookie, value: "a=b"))
        headers.append(HTTPField(name: .cookie, value: "c=d"))
        let request = Request(
            .put, "\(path)?_mobile_bridge=1&x=%20", authority: "localhost:8080", headers: headers)
        #expect(
            try await Gateway.scripted().respond(to: request).text()
                == "PUT http://localhost:8080\(path)?_mobile_bridge=1&x=%20 [\"1\", \"a=b; c=d\", \"text/html\"]"
        )
    }

    @Test func theInstanceGetsTheCanonicalRequest() async throws {
        let path = ScriptedProtocol.script(canonical: { request in
            var canonical = request
            canonical.setValue("yes", forHTTPHeaderField: "X-Canonical")
            return canonical
        }) { scripted in
            scripted.answer(scripted.request.value(forHTTPHeaderField: "X-Canonical") ?? "no")
        }
        #expect(try await Gateway.scripted().respond(to: Request(path)).text() == "yes")
    }

    /// Foundation on Linux loses them with every copy of its own requests.
    @Test func propertiesOfARequestAreSetReadAndRemoved() async throws {
        let path = ScriptedProtocol.script(canonical: { request in
            let changed = (request as NSURLRequest).mutableCopy() as! NSMutableURLRequest
            URLProtocol.setProperty("kept", forKey: "a", in: changed)
            URLProtocol.setProperty("removed", forKey: "b", in: changed)
            URLProtocol.removeProperty(forKey: "b", in: changed)
            var canonical = changed as URLRequest
            canonical.setValue("1", forHTTPHeaderField: "X-Own")
            return canonical
        }) { scripted in
            let values = ["a", "b"].map { URLProtocol.property(forKey: $0, in: scripted.request) as? String }
            scripted.answer("\(values[0] ?? "-") \(values[1] ?? "-") \(scripted.request.httpMethod ?? "")")
        }
        let gateway = Gateway.scripted()
        #expect(try await gateway.respond(to: Request(.post, path)).text() == "kept - POST")
        #expect(try await gateway.respond(to: Request(path)).text() == "kept - GET")
    }

    @Test func aCollectedBodyIsGivenAsData() async throws {
        let path = ScriptedProtocol.script { scripted in
            scripted.answer(String(decoding: scripted.request.httpBody ?? Data(), as: UTF8.self))
        }
        let gateway = Gateway.scripted()
        #expect(try await gateway.respond(to: Request(.post, path, body: .init("body"))).text() == "body")
        let coming = Request(.post, path, body: .init(Chunks([Array("bo".utf8), Array("dy".utf8)])))
        #expect(try await gateway.respond(to: coming).text() == "body")
    }

    /// Reads `httpBodyStream` to its end in small pieces, as its documentation has it.
    private static let readingPath = ScriptedProtocol.script { scripted in
        guard let stream = scripted.request.httpBodyStream else { return scripted.answer("no stream") }
        stream.open()
        var sum = 0
        var buffer = [UInt8](repeating: 0, count: 1000)
        while stream.hasBytesAvailable {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count < 0 { return scripted.fail(stream.streamError ?? URLError(.unknown)) }
            sum += buffer.prefix(count).reduce(0) { $0 + Int($1) }
        }
        let isAtEnd = stream.streamStatus == .atEnd
        stream.close()
        scripted.answer("\(sum) \(isAtEnd)")
    }

    @Test func aBodyOfMoreThanTheGatewayCollectsIsAStream() async throws {
        let gateway = Gateway.testing(bodyLimit: 1000)
        gateway.register(ScriptedProtocol.self)
        let chunks = [[UInt8]](repeating: [UInt8](repeating: 1, count: 30_000), count: 100)
        let request = Request(.post, Self.readingPath, body: .init(Chunks(chunks)))
        #expect(try await gateway.respond(to: request).text() == "3000000 true")
    }

    @Test func aBodyThatBreaksOffIsAnErrorOfItsStream() async throws {
        final class Broken: ChunkSource {
            let rest = Chunks([[1, 2, 3]])
            func next() async throws -> [UInt8]? {
                guard let chunk = try await rest.next() else {
                    throw HTTPError(.badRequest, "the caller has gone")
                }
                return chunk
            }
        }
        let gateway = Gateway.testing(bodyLimit: 1)
        gateway.register(ScriptedProtocol.self)
        let response = await gateway.respond(to: Request(.post, Self.readingPath, body: .init(Broken())))
        #expect(try await response.json()["message"] == "the caller has gone")
    }
}
