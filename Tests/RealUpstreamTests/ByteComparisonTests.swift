import Drawbridge
import DrawbridgeServer
import TestSupport
import Testing

/// The same request, sent directly and through the gateway: nobody can tell which way it went.
@Suite("Answers of real servers, byte for byte", .timeLimit(.minutes(5))) struct ByteComparisonTests {
    /// A request without `Host`; `ETAG` and `DATE` mean what the server says of its `/file.txt`.
    private struct Case: Sendable {
        let line: String
        var fields: [String] = []
        var body = ""
        /// What must come back at least, lest two faults be called equal.
        var status = 200

        var expectsContinue: Bool { fields.contains("Expect: 100-continue") }
    }

    private static let files: [Case] = [
        Case(line: "GET /file.txt"),
        Case(line: "GET /file.txt?a=%20&&b=%2F../"),
        Case(line: "HEAD /file.txt"),
        Case(line: "GET /page.html"),
        Case(line: "GET /large.bin"),
        Case(line: "GET /%66ile.txt"),
        Case(line: "GET /file.txt", fields: ["If-Modified-Since: DATE"], status: 304),
        Case(line: "GET /missing", status: 404),
        Case(line: "HEAD /missing", status: 404),
        Case(line: "GET /folder", status: 301),
        Case(line: "GET /folder/", fields: ["Accept-Language: de, en;q=0.5", "Cookie: a=1; b=2"]),
    ]

    private static let conditional: [Case] = [
        Case(line: "GET /file.txt", fields: ["Range: bytes=2-5"], status: 206),
        Case(line: "GET /file.txt", fields: ["Range: bytes=0-1,4-5"], status: 206),
        Case(line: "GET /file.txt", fields: ["Range: bytes=99999-"], status: 416),
        Case(line: "GET /file.txt", fields: ["If-None-Match: ETAG"], status: 304),
        Case(line: "GET /file.txt", fields: ["If-Match: \"other\""], status: 412),
        Case(line: "GET /file.txt", fields: ["If-Range: ETAG", "Range: bytes=2-5"], status: 206),
        Case(line: "GET /file.txt", fields: ["Accept-Encoding: gzip"]),
        // Without a body: it answers before it has read one, and then the rest need not be sent.
        Case(line: "POST /file.txt", fields: ["Content-Length: 0"], status: 405),
        Case(line: "OPTIONS /file.txt", status: 405),
        Case(line: "GET /moved?to=here", status: 302),
        Case(
            line: "GET /file.txt", fields: (0..<8).map { "X-\($0): " + String(repeating: "v", count: 1000) }),
    ]

    private static let answers: [Case] = [
        Case(line: "GET /chunked"),
        Case(line: "HEAD /chunked"),
        Case(line: "GET /gzip", fields: ["Accept-Encoding: gzip, br"]),
        Case(line: "GET /fields"),
        Case(line: "HEAD /fields"),
        Case(line: "GET /empty", status: 204),
        Case(line: "GET /teapot", status: 418),
        Case(line: "GET /broken", status: 500),
        Case(line: "GET //two//slashes/%2e%2e/..;x?y", status: 404),
        Case(line: "GET /sum", fields: ["x-lower: 1", "X-UPPER: 2", "X-Twice: a", "X-Twice: b", "X-Empty:"]),
        Case(line: "GET /sum", fields: ["User-Agent: test/1", "Accept: */*", "Referer: http://a/?b"]),
        Case(line: "POST /sum", fields: ["Content-Type: text/plain"], body: "some text"),
        Case(line: "POST /sum", fields: ["Content-Length: 0"]),
        Case(line: "PUT /sum", body: String(repeating: "put", count: 30_000)),
        Case(line: "DELETE /sum", body: "why"),
        Case(line: "PATCH /sum", fields: ["Transfer-Encoding: chunked"], body: "in pieces"),
        Case(line: "GET /sum", body: "a body of a GET"),
        Case(line: "OPTIONS /sum", fields: ["Origin: http://127.0.0.1:1"]),
        Case(line: "PROPFIND /sum"),
        Case(line: "POST /sum", fields: ["Expect: 100-continue"], body: "expected"),
    ]

    @Test func filesOfNginxArriveUnchanged() async throws {
        let nginx = try await Nginx()
        try Self.fill(nginx.files)
        try await Self.compare(Self.files + Self.conditional, at: nginx.port)
        withExtendedLifetime(nginx) {}
    }

    /// It speaks HTTP/1.0, and ends its bodies with the connection.
    @Test func filesOfPythonArriveUnchanged() async throws {
        let python = try await PythonFiles()
        try Self.fill(python.files)
        try await Self.compare(Self.files, at: python.port)
        withExtendedLifetime(python) {}
    }

    @Test func answersOfNodeArriveUnchanged() async throws {
        let node = try await DevServer()
        try await Self.compare(Self.answers, at: node.port)
        withExtendedLifetime(node) {}
    }

    /// What is not a document passes by the page runtime too.
    @Test func thePageRuntimeTouchesDocumentsOnly() async throws {
        let node = try await DevServer()
        let cases = Self.answers.filter { !$0.line.hasSuffix("/broken") }
        try await Self.compare(cases, at: node.port, pageRuntime: PageRuntime())
        withExtendedLifetime(node) {}
    }

    @Test func aRedirectOfNginxLeadsToTheGateway() async throws {
        let nginx = try await Nginx()
        try nginx.files.write("folder/index.html", "")
        try await fronting(nginx.address) { port in
            for (path, home) in [("/folder", "/folder/"), ("/moved?a", "/elsewhere?from=/moved?a")] {
                let reply = try await Self.ask(port, Case(line: "GET \(path)"))
                #expect(reply["Location"] == "http://127.0.0.1:\(port)\(home)")
            }
        }
        withExtendedLifetime(nginx) {}
    }

    private static func fill(_ files: Folder) throws {
        try files.write("file.txt", String(repeating: "0123456789", count: 100))
        try files.write("page.html", "<!doctype html><html><head><title>A page</title></head></html>")
        try files.write("folder/index.html", "in the folder")
        try files.write("large.bin", String(repeating: "0123456789abcdef", count: 60_000))
    }

    /// Sends each both ways, and compares what the server saw, and what came back.
    private static func compare(
        _ cases: [Case], at server: Int, pageRuntime: PageRuntime? = nil
    ) async throws {
        let recorder = try Recorder(before: server)
        var options = Upstream.Options()
        options.rewritesAddresses = false
        let known = try await ask(recorder.port, Case(line: "GET /file.txt"))
        _ = try await recorder.takeRequest()
        try await fronting("http://127.0.0.1:\(recorder.port)", options, pageRuntime: pageRuntime) { port in
            for single in cases {
                let direct = try await ask(recorder.port, single, known)
                let directRequest = try await recorder.takeRequest()
                #expect(direct.status == single.status, "\(single.line)")
                let passed = try await ask(port, single, known)
                let passedRequest = try await recorder.takeRequest()
                expectNone(
                    directRequest.differences(to: passedRequest),
                    but: single.expectsContinue ? unexpected : nil, "the request \(single)")
                expectNone(
                    Message(direct).differences(to: Message(passed)),
                    but: single.status == 304 ? lengthOfNothing : nil, "the answer to \(single)")
                // The gateway was on the way.
                #expect(passedRequest.value("via") != nil && passed["Via"] != nil)
                #expect(passedRequest.value("x-forwarded-for") == "127.0.0.1")
            }
        }
    }

    /// Libmicrohttpd gives a 304 the length of the body that it was made with (RFC 9110, section 8.6, wants the
    /// document's or none).
    private static let lengthOfNothing = ["Content-Length: [] became [\"0\"]"]
    /// The gateway answers it by itself, and does not ask the server (RFC 9110, section 10.1.1).
    private static let unexpected = ["Expect: [\"100-continue\"] became []"]

    /// - Parameter known: what is not as it should be yet; nil where all is.
    private static func expectNone(_ differences: [String], but known: [String]?, _ what: Comment) {
        guard let known else {
            #expect(differences == [], what)
            return
        }
        withKnownIssue {
            #expect(differences == [], what)
        } matching: { _ in
            differences == known
        }
    }

    /// Sends a request by itself, and reads its answer.
    private static func ask(_ port: Int, _ single: Case, _ known: RawAnswer? = nil) async throws -> RawAnswer
    {
        var lines = ["\(single.line) HTTP/1.1", "Host: 127.0.0.1:\(port)"]
        for field in single.fields {
            lines.append(
                field.replacing("ETAG", with: known?["ETag"] ?? "")
                    .replacing("DATE", with: known?["Last-Modified"] ?? ""))
        }
        var body = single.body
        if single.fields.contains("Transfer-Encoding: chunked") {
            body =
                "4\r\n\(body.prefix(4))\r\n" + String(body.count - 4, radix: 16)
                + "\r\n\(body.dropFirst(4))\r\n0\r\n\r\n"
        } else if !body.isEmpty {
            lines.append("Content-Length: \(body.utf8.count)")
        }
        let head = lines.joined(separator: "\r\n") + "\r\n\r\n"
        let (text, isHead) = (body, single.line.hasPrefix("HEAD"))
        let mayWait = single.expectsContinue
        return try await blocking {
            let client = try RawClient(port)
            try client.send(head)
            if mayWait {
                guard try client.head().status == 100 else { throw RawClient.Failure.malformed("no 100") }
            }
            try client.send(text)
            return try client.reply(toHead: isHead).withoutBoundary
        }
    }
}

extension RawAnswer {
    /// The same where a server has another boundary between parts in each of its answers.
    fileprivate var withoutBoundary: RawAnswer {
        guard let boundary = self["Content-Type"]?.split(separator: "boundary=").dropFirst().first else {
            return self
        }
        var reply = self
        reply.headers = headers.map { ($0.name, $0.value.replacing(boundary, with: "BOUNDARY")) }
        reply.body = Array(text.replacing(boundary, with: "BOUNDARY").utf8)
        return reply
    }
}
