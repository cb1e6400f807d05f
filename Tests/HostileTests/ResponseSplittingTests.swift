import Drawbridge
import DrawbridgeServer
import HTTPTypes
import TestSupport
import Testing

/// A line that ends where a caller, or a handler, says so (RFC 9110, section 5.5).
@Suite("Hostile 15: no header of an answer is split", .timeLimit(.minutes(5)))
struct ResponseSplittingTests {
    /// Puts what it is given into the headers of its answer.
    private struct Careless: Handler {
        func handle(_ request: Request) async throws -> Response {
            let text = request.query["to"] ?? ""
            var response = Response(text: "here", contentType: "text/plain; name=\(text)")
            response.headers[.location] = text
            response.headers[.setCookie] = "name=\(text)"
            response.headers[.contentDisposition] = text
            return response
        }
    }

    /// As before, by the initializer that promises to take anything.
    private struct Lenient: Handler {
        func handle(_ request: Request) async throws -> Response {
            var response = Response(text: "here")
            let bytes = Array((request.query["to"] ?? "").utf8)
            response.headers.append(HTTPField(name: .location, lenientValue: bytes))
            return response
        }
    }

    private static let attacks = [
        "a%0d%0aX-Evil:%20b", "a%0aX-Evil:%20b", "a%0dX-Evil:%20b", "%0d%0aX-Evil:%20b", "a%0d%0a%0d%0aevil",
        "a%00b", "a%00%0d%0aX-Evil:%20b", "a%0d%0a%20X-Evil:%20b", "a%0b%0cX-Evil:%20b", "a%7f",
        // Characters whose last byte is a line end, and line ends of Unicode.
        "a%c4%8d%c4%8aX-Evil:%20b", "a%e5%98%8d%e5%98%8aX-Evil:%20b", "a%e2%80%a8X-Evil:%20b",
        "a%c2%85X-Evil:%20b",
        "a%0d%0aContent-Length:%200%0d%0a%0d%0aHTTP/1.1%20200%20OK%0d%0aX-Evil:%20b%0d%0a%0d%0a",
    ]

    @Test(
        arguments: attacks,
        [
            // A handler's headers, the hint, the message of a 404, a redirect, a header of the request.
            "/careless?_mobile_bridge=1&to=", "/lenient?_mobile_bridge=1&to=", "/__jsbridge__/careles/", "/",
            "/folder/", "/alive?_mobile_bridge=1&callback=",
        ])
    func textFromACallerCannotEndAHeaderLine(_ attack: String, _ target: String) async throws {
        let folder = try Folder()
        try folder.write("folder/index.html", "page")
        let gateway = Gateway.quiet(passThrough: [.staticFiles(folder.path)])
        try gateway.register(Careless.self, at: "/careless")
        try gateway.register(Lenient.self, at: "/lenient")
        try await serving(gateway) { port in
            // The client takes no control character in a head, and no byte behind its reply.
            let replies = try await replies(port, get(target + attack))
            #expect(replies.count == 1)
            #expect(replies[0]["X-Evil"] == nil)
            #expect(replies[0].all("Content-Length").count == 1)
        }
    }
}
