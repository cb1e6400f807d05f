import Drawbridge
import DrawbridgeServer
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// The same request by `HEAD`, behind others, or in pieces (RFC 9110, section 9.3.2; RFC 9112, section 9.3).
@Suite("Hostile 19: HEAD everywhere, fifty at once, one byte at a time", .timeLimit(.minutes(5)))
struct DeliveryTests {
    /// Takes `GET`, and so `HEAD`.
    private struct Both: Handler {
        static let options = HandlerOptions(methods: [.get])

        func handle(_ request: Request) async throws -> Response {
            guard request.query["kind"] == "stream" else { return try Response(output: "both") }
            return Response(contentType: "text/plain", length: 3) { client in
                for part in ["a", "b", "c"] { try await client.didLoad(part) }
            }
        }
    }

    private struct Echo: JSONHandler {
        func handle(_ input: JSON) async throws -> JSON { input }
    }

    private static func gateway(_ folder: Folder) throws -> Gateway {
        try folder.write("index.html", "<p>page</p>")
        try folder.write("large.txt", String(repeating: "x", count: 300_000))
        try folder.write("folder/index.html", "<p>page</p>")
        let gateway = Gateway.quiet(passThrough: [.staticFiles(folder.path)])
        try gateway.register(Both.self, at: "/both")
        try gateway.register(Echo.self, at: "/echo")
        return gateway
    }

    @Test(arguments: [
        ("/", ""), ("/index.html", ""), ("/large.txt", ""), ("/folder", ""), ("/folder/", ""),
        ("/missing", ""),
        ("/index.html", "If-None-Match: *"), ("/index.html", "If-Match: \"x\""), ("/../x", ""),
        ("/both?_mobile_bridge=1", ""), ("/both?_mobile_bridge=1&kind=stream", ""),
        ("/__jsbridge__/both", ""), ("/__drawbridge__/health", ""), ("/__drawbridge__/nothing", ""),
        ("/both?_mobile_bridge=1", "Sec-Fetch-Site: cross-site"), ("/both?_mobile_bridge=1", "Expect: x"),
        ("/both?_mobile_bridge=1", "Host: localhost"), ("/nobody?_mobile_bridge=1", ""),
    ])
    func aHeadRequestGetsTheHeadersOfGETAndNoBody(_ target: String, _ line: String) async throws {
        let folder = try Folder()
        try await serving(Self.gateway(folder)) { port in
            let get = String(get(target, line.isEmpty ? "X: y" : line))
            let whole = try await replies(port, get.utf8)
            let head = try await blocking {
                let client = try RawClient(port)
                try client.send("HEAD" + get.dropFirst(3))
                let reply = try client.reply(toHead: true)
                // Not a byte comes behind the head.
                #expect(try client.readToEnd().isEmpty)
                return reply
            }
            #expect(whole.map(\.status) == [head.status])
            #expect(Self.lasting(head) == Self.lasting(whole[0]))
        }
    }

    /// The headers that are the same for two requests of the same thing.
    private static func lasting(_ reply: RawAnswer) -> [String] {
        let passing = ["date", "x-request-id", "server-timing"]
        return reply.headers.filter { !passing.contains($0.name.lowercased()) }.map {
            "\($0.name): \($0.value)"
        }
        .sorted()
    }

    @Test func aHandlerThatDoesNotAskForHEADIsNotStartedByIt() async throws {
        let folder = try Folder()
        try await serving(Self.gateway(folder)) { port in
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "HEAD /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                let reply = try client.reply(toHead: true)
                #expect(try client.readToEnd().isEmpty)
                return reply
            }
            #expect(reply["Allow"]?.contains("HEAD") == false)
        }
    }

    @Test func fiftyPipelinedRequestsForFilesAndHandlersAreAnsweredInOrder() async throws {
        let folder = try Folder()
        try await serving(Self.gateway(folder)) { port in
            var (requests, expected) = ("", [String]())
            for number in 0..<50 {
                switch number % 4 {
                case 0: (requests, expected) = (requests + "GET /index.html", expected + ["<p>page</p>"])
                case 1:
                    (requests, expected) = (
                        requests + "GET /both?_mobile_bridge=1&kind=stream", expected + ["abc"]
                    )
                default:
                    requests += "GET /echo?_mobile_bridge=1&number=\(number)"
                    expected.append(#"{"code":200,"data":{"number":"\#(number)"},"message":""}"#)
                }
                requests +=
                    " HTTP/1.1\r\nHost: localhost\r\n\(number == 49 ? "Connection: close\r\n" : "")\r\n"
            }
            let texts = try await replies(port, requests.utf8).map(\.text)
            #expect(texts == expected)
        }
    }

    @Test(arguments: [
        String(get("/echo?_mobile_bridge=1&a=b")),
        String(decoding: post("/__jsbridge__/echo", "a=b".utf8), as: UTF8.self),
        // libmicrohttpd 1.0.1 refuses extensions (`chunkExtensionsAreIgnored`).
        "POST /__jsbridge__/echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2\(HeadLayout.fault(of: .nothing) == nil ? ";x" : "")\r\na=\r\n1\r\nb\r\n0\r\nX: y\r\n\r\n",
    ])
    func aRequestByteByByteHasTheSameResult(_ request: String) async throws {
        let folder = try Folder()
        try await serving(Self.gateway(folder)) { port in
            let whole = try await replies(port, request.utf8)
            let inPieces = try await blocking {
                let client = try RawClient(port)
                for byte in request.utf8 { try client.send([byte]) }
                return try client.repliesToEnd()
            }
            #expect(whole.map(\.text) == [#"{"code":200,"data":{"a":"b"},"message":""}"#])
            #expect(inPieces.map(\.text) == whole.map(\.text))
            #expect(inPieces.map(Self.lasting) == whole.map(Self.lasting))
        }
    }
}
