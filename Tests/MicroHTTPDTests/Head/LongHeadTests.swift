import EngineSupport
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// Heads that are long, by their cookies most of the time: served, or refused once, and nobody else is.
@Suite(.timeLimit(.minutes(5))) struct LongHeadTests {
    /// A head as a browser sends it.
    private static func head(_ path: String = "/", cookies: String = "a=b", _ more: String = "") -> String {
        """
        GET \(path) HTTP/1.1\r\nHost: localhost:8080\r\nConnection: keep-alive\r\nsec-ch-ua-platform: "Linux"\r\n\
        User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0\r\n\
        Accept: text/html,*/*;q=0.8\r\nSec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n\
        Sec-Fetch-Dest: document\r\nAccept-Encoding: gzip, deflate, br\r\nAccept-Language: en-US\r\n\(more)\
        Cookie: \(cookies)\r\n\r\n
        """
    }

    /// So many bytes of cookies, each of so many.
    private static func cookies(_ count: Int, of each: Int) -> String {
        (0..<count / each).map {
            let name = "c\($0)="
            return name + String(repeating: "v", count: each - 2 - name.utf8.count)
        }.joined(separator: "; ")
    }

    /// Serves by one loop, by http or https, an answer with the cookies and 300 bytes of fields.
    private static func serving(
        isSecure: Bool = false, _ test: @escaping @Sendable (_ connect: () throws -> RawClient) throws -> Void
    ) async throws {
        let certificates = try Certificates()
        let files = try await isSecure ? certificates.make() : nil
        let tls = try files.map { try TLSIdentity(certificateFile: $0.certificate, keyFile: $0.key) }
        try await withServer(tls: tls, loops: 1) { exchange in
            let fields: HTTPFields = [
                .contentType: "text/plain", .server: String(repeating: "s", count: 300),
            ]
            let text = exchange.request.headerFields[.cookie] ?? ""
            exchange.send(HTTPResponse(status: .ok, headerFields: fields), Array(text.utf8))
        } test: { server in
            let port = server.port
            try await blocking {
                try test {
                    let client = try RawClient(port)
                    if isSecure { try client.secure() }
                    return client
                }
            }
        }
    }

    @Test(arguments: [(15_000, 15_000), (15_000, 3750), (11_000, 100), (5500, 20)], [false, true])
    func cookiesThatFitAreServedWhole(_ size: (total: Int, each: Int), _ isSecure: Bool) async throws {
        try await Self.serving(isSecure: isSecure) { connect in
            let client = try connect()
            for cookies in [
                Self.cookies(size.total, of: size.each), "a=b", Self.cookies(size.total, of: size.each),
            ] {
                try client.send(Self.head(cookies: cookies))
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.text == cookies)
            }
        }
    }

    /// Those that the engine reads and whose answer would not fit, those whose cookies the library cannot split, and
    /// those that it cannot read to their end.
    private static let tooLong = [
        head("/long?secret", cookies: cookies(15_400, of: 15_400)),
        head("/long?secret", cookies: cookies(15_800, of: 15_800)),
        head("/long?secret", cookies: cookies(20_000, of: 4000)),
        head("/long?secret", cookies: cookies(12_000, of: 100)),
        head("/long?secret", cookies: cookies(7000, of: 20)),
        head("/long?secret", cookies: "a=b", "X-A: \(String(repeating: "a", count: 31_000))\r\n"),
        head("/long?secret", cookies: cookies(31_900, of: 15_950)),
        head("/long?secret", cookies: cookies(31_900, of: 20)),
    ]

    /// The answer to one that is refused, while others are idle, and others have sent a part of a head.
    @Test(arguments: 0..<8, [false, true])
    func onlyTheAnswerToATooLongHeadNamesTheOption(_ index: Int, _ isSecure: Bool) async throws {
        try await Self.serving(isSecure: isSecure) { connect in
            let (idle, half, other, long) = (try connect(), try connect(), try connect(), try connect())
            try idle.send(Self.head())
            #expect(try idle.reply().status == 200)
            // The library says of this one only that it reads a head, so nobody else may when it does not fit.
            let isWhole = index < 6
            if isWhole { try half.send("GET /half HTTP/1.1\r\nHost: a\r\nX-A: ") }
            try other.send(Self.head())
            #expect(try other.reply().status == 200)
            try long.send(Self.tooLong[index])
            let replies = try long.repliesToEnd()
            #expect(replies.map(\.status) == [431])
            #expect(replies.first?["Content-Type"] == "text/plain")
            #expect(replies.first?.text.contains("--memory-per-connection") == true)
            try half.send(isWhole ? "b\r\n\r\n" : Self.head())
            for client in [idle, other] { try client.send(Self.head()) }
            for client in [idle, other, half] { #expect(try client.reply().status == 200) }
        }
    }

    /// Of two who have sent a part of a head, the library does not say which it refuses.
    @Test func ofTwoUnfinishedHeadsOnlyTheTooLongOneIsRefused() async throws {
        try await Self.serving { connect in
            let (half, long) = (try connect(), try connect())
            try half.send("GET /half HTTP/1.1\r\nHost: a\r\nX-A: ")
            try long.send(Self.tooLong[6])
            #expect(try long.repliesToEnd().map(\.status) == [431])
            try half.send("b\r\n\r\n")
            #expect(try half.reply().status == 200)
            // What follows a body is refused by the same status.
            let body = try connect()
            try half.send("GET /half HTTP/1.1\r\nHost: a\r\nX-A: ")
            try body.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
            try? body.send("X-A: \(String(repeating: "a", count: 60_000))\r\n\r\n")
            _ = try? body.readToEnd()
            try half.send("b\r\n\r\n")
            #expect(try half.reply().status == 200)
        }
    }

    @Test func anAddressThatIsTooLongIsAnsweredInTheGatewaysForm() async throws {
        try await Self.serving { connect in
            let client = try connect()
            try client.send("GET /\(String(repeating: "a", count: 40_000)) HTTP/1.1\r\nHost: a\r\n\r\n")
            let replies = try client.repliesToEnd()
            #expect(replies.map(\.status) == [414])
            #expect(replies.first?["Content-Type"] == "text/plain")
        }
    }

    @Test(arguments: [
        (1 << 20, 16 << 30, 20_000), (1000, 16 << 30, 500),
        (1 << 20, 1 << 30, 7710),
        (1 << 20, 64 << 20, 481), (0, 0, 4),
    ])
    func theNumberOfConnectionsIsBoundedByDescriptorsAndMemory(
        _ files: Int, _ memory: Int, _ connections: Int
    ) {
        #expect(HTTPServer.connectionLimit(files: files, memory, 32 << 10) == connections)
    }
}
