import Drawbridge
import TestSupport
import Testing

/// What becomes of cookies, which all projects of a name share, on their way to a server and beyond what fits.
struct LongHeadTests {
    private static func cookies(_ count: Int, of each: Int) -> String {
        (0..<count / each).map {
            let name = "c\($0)="
            return name + String(repeating: "v", count: each - 2 - name.utf8.count)
        }.joined(separator: "; ")
    }

    @Test(arguments: [(15_000, 15_000), (11_000, 100), (5500, 20)])
    func cookiesThatFitReachTheServerWhole(_ size: (total: Int, each: Int)) async throws {
        let cookies = Self.cookies(size.total, of: size.each)
        let giving: Answering = { connection, head in
            let isWhole = head.contains("\r\nCookie: \(cookies)\r\n")
            try connection.send(ok(isWhole ? "whole" : "not", "Set-Cookie: a=b", "X-A: a"))
        }
        try await proxying(to: giving) { port, _ in
            let reply = try await reply(port, get("/", "Accept: text/html", "Cookie: \(cookies)"))
            #expect(reply.text == "whole")
        }
    }

    /// An answer's fields have the memory that the cookies leave.
    @Test(arguments: [1, 2, 4, 8])
    func answerFieldsThatDoNotFitNextToCookiesAreAnExplainedError(_ kilobytes: Int) async throws {
        let fields = (0..<kilobytes).map { "X-\($0): \(String(repeating: "a", count: 1010))\r\n" }.joined()
        let giving: Answering = { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nok")
        }
        try await proxying(to: giving) { port, _ in
            let cookies = Self.cookies(11_000, of: 100)
            let reply = try await reply(port, get("/", "Cookie: \(cookies)"))
            if kilobytes == 1 { #expect(reply.status == 200) }
            if kilobytes == 8 { #expect(reply.status == 502) }
            #expect(reply.status == 200 ? reply.text == "ok" : reply.text.contains("--memory-per-connection"))
        }
    }

    @Test(arguments: [(15_600, 15_600), (20_000, 4000), (7000, 20), (60_000, 4000)])
    func aHeadThatIsTooLongGivesPeopleAPageAndProgramsTheEnvelope(_ size: (total: Int, each: Int))
        async throws
    {
        let cookies = Self.cookies(size.total, of: size.each)
        let giving: Answering = { connection, _ in try connection.send(ok("reached")) }
        try await proxying(to: giving, by: [.plain]) { port, _ in
            // As browsers do, it has another field between these two: the library knows a field when the next one is whole.
            let page = try await reply(
                port, get("/", "Accept: text/html,*/*;q=0.8", "Accept-Language: en", "Cookie: \(cookies)"))
            #expect(page.status == 431)
            #expect(page["Content-Type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("--memory-per-connection"))
            #expect(page.text.contains("open 127.0.0.1 instead"))
            let answer = try await reply(port, get("/", "Accept: */*", "Cookie: \(cookies)"))
            #expect(answer.status == 431)
            #expect(answer["Content-Type"] == "application/json")
            #expect(answer.text.hasPrefix(#"{"code":431,"#))
            #expect(answer.text.contains("--memory-per-connection"))
        }
    }

    @Test func anAddressThatIsTooLongGivesPeopleAPageToo() async throws {
        let giving: Answering = { connection, _ in try connection.send(ok("reached")) }
        try await proxying(to: giving, by: [.plain]) { port, _ in
            let page = try await reply(
                port, get("/\(String(repeating: "a", count: 9000))", "Accept: text/html"))
            #expect(page.status == 414)
            #expect(page.text.contains("<p>the target has more than 8000 bytes"))
        }
    }
}
