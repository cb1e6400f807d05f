/// Requests that two readers in a row could frame or route differently (RFC 9112, sections 2, 3, 6 and 11.2).
///
/// Severe: one reader sees a second request where another sees a body. Ambiguous: they could disagree on what is asked,
/// of whom, or where a line ends. Each is refused, and its connection closed.
enum DesyncRequests {
    typealias Case = HostileRequestTests.Case

    /// What a smuggler would like to see answered.
    private static let second = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

    static let severe: [Case] = lengths + codings + both + old
    static let ambiguous: [Case] = requestLines + targets + authorities + fields

    // MARK: Severe

    private static let lengths = [
        // Numbers that only some readers take.
        "Content-Length: 5;6", "Content-Length: 5\t6", "Content-Length: 0,5", "Content-Length: ,5",
        "Content-Length: 5,", "Content-Length: 0b101", "Content-Length: 0o5", "Content-Length: 5L",
        "Content-Length: 1_0", "Content-Length: \u{FF15}", "Content-Length: (5)", "Content-Length: [5]",
        "Content-Length: 5\u{A0}", "Content-Length: \u{A0}5", "Content-Length: 5\u{0C}",
        "Content-Length: \u{0B}5", "Content-Length: =5", "Content-Length: NaN", "Content-Length: 0x0",
        "Content-Length: --5", "Content-Length: 5-", "Content-Length: 5%30", "Content-Length: 5\u{2028}",
        // Two of them.
        "Content-Length: 5\r\nContent-Length:", "Content-Length: 5\r\nContent-Length: 05",
        "Content-Length: 05\r\nContent-Length: 5", "Content-Length: 0\r\nX: y\r\nContent-Length: 5",
        "CONTENT-LENGTH: 5\r\ncontent-length: 5", "Content-Length: 5\r\nContent-Length : 0",
        // Lines that only some readers take for one.
        "Content-Length: 5\r\r\nX: y", "Content-Length: 5\r\n\tX: y", "Content-Length:\r\n 5",
        "Content-Length: 5\r\n 5", "Content-Length\u{0B}: 5", "Content-Length\u{0C}: 5",
        "Content-Length\0: 5", "\u{0B}Content-Length: 5", "Content-Length\r: 5", "Content-Length\n: 5",
        "Content-Length=5", "Content Length: 5", "Content-Length\u{A0}: 5", "\"Content-Length\": 5",
        "X: y\rContent-Length: 5", "X: y\0\r\nContent-Length: 5", "X\nContent-Length: 5",
    ].map { smuggling($0, "hello", [400]) }

    private static let codings = [
        "'chunked'", "chunked;", "chunked; q=0.5", "chunked\u{A0}", "\u{A0}chunked", "ch\u{FC}nked",
        "\u{FF43}hunked", "chun\u{212A}ed", "Chunked, Chunked", "chunked chunked", "gzip chunked",
        "chunked\tidentity", "identity, chunked, identity", "null", "*", "0", "chunked=1", "x-chunked",
        "trailers, chunked", ": chunked", "chunked\\", "%63hunked", "chunked#", "chu nked", "[chunked]",
    ].map { smuggling("Transfer-Encoding: \($0)", "0\r\n\r\n", [400, 501]) }

    private static let both = [
        "Transfer-Encoding: chunked\u{0B}", "Transfer-Encoding: chunked\u{0C}",
        "Transfer-Encoding: \u{0C}chunked", "Transfer-Encoding: \u{7F}chunked",
        "Transfer-Encoding:\u{0B}chunked", "Transfer-Encoding: chunked\r\n , identity",
        "Transfer-Encoding:\r\n\tchunked", "Transfer-Encoding: identity\r\n chunked",
        "Transfer-Encoding\u{0B}: chunked", "Transfer-Encoding\u{A0}: chunked", "Transfer Encoding: chunked",
        "\tTransfer-Encoding: chunked", "\u{0B}Transfer-Encoding: chunked", "Transfer\r-Encoding: chunked",
        "Transfer-Encoding\r: chunked", "Transfer-\0Encoding: chunked", "Transfer-Encoding;: chunked",
        "{Transfer-Encoding}: chunked", "Transfer-Encoding: chunked\n", "\nTransfer-Encoding: chunked",
        "X: y\r\rTransfer-Encoding: chunked", "X\rTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nConnection: Content-Length",
        "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding:",
        "Transfer-Encoding:\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nX: \0", "Transfer-Encoding: chunked\r\nTE: trailers",
        "Transfer-Encoding: chunked\r\nUpgrade: h2c\r\nConnection: Upgrade",
        "Transfer-Encoding: chunked\r\nExpect: 100-continue",
    ].flatMap {
        [
            smuggling("Content-Length: 5\r\n\($0)", "0\r\n\r\n", [400, 501]),
            smuggling("\($0)\r\nContent-Length: 5", "0\r\n\r\n", [400, 501]),
        ]
    }

    private static let old = ["Connection: close", "Connection: keep-alive", "X: y"].map {
        Case(
            "coding in HTTP/1.0: \($0)",
            "POST / HTTP/1.0\r\nHost: a\r\n\($0)\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
            [400])
    }

    private static func smuggling(_ lines: String, _ body: String, _ statuses: Set<Int>) -> Case {
        Case(
            "severe: " + HostileRequests.shown(lines),
            "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n\(body)" + second, statuses)
    }

    // MARK: Ambiguous

    private static let requestLines = [
        "GET / HTTP/1.1\u{0B}", "GET\u{0B}/ HTTP/1.1", "GET\u{0C}/ HTTP/1.1", "GET /\u{0C}HTTP/1.1",
        "GET / HTTP/1.1\r", "GET / HTTP/1.1;", "GET / HTTP/ 1.1", "GET / HTTP/1 .1", "GET / HTTP/-1.1",
        "GET / HTTP/+1.1", "GET / HTTP/0x1.1", "GET / HTTP/1.1.1", "GET / HTTP\\1.1", "GET / XTTP/1.1",
        "GET / HTTP/\u{FF11}.1", "GET / RTSP/1.0", "GET / SIP/2.0", "GE\tT / HTTP/1.1", "GET: / HTTP/1.1",
        "\"GET\" / HTTP/1.1", "GET, / HTTP/1.1", "GET/ HTTP/1.1", "GET /HTTP/1.1", "GET / / HTTP/1.1",
        "GET / HTTP/1.1 / HTTP/1.1", "GET\r / HTTP/1.1", "GET /a\u{85}b HTTP/1.1", "GET /\u{A0}HTTP/1.1",
        "GET /?a\u{0C}b HTTP/1.1", "GET /?a\r HTTP/1.1", "GET HTTP/1.1 /", "HTTP/1.1 GET /",
    ].map { line("request line", "\($0)\r\nHost: a", [400, 405, 501, 505, 0]) }

    private static let targets = [
        "http:/a", "http:a", "http://", "http://?a", "http://:80/", "http://@a/", "http://a@b@c/",
        "http://a b/", "http://a\tb/", "http://[::1", "http://[::1]x/", "http://a:99999/", "http://a:80:80/",
        "http://a,b/", "http://a\\b/", "http://a#b/", "ftp://a/", "javascript://a/", "data:,x", "mailto:a@b",
        "http//a/", "://a/", "a/b", "a?b", "?", "&", "**", "*a", "*?a", "*/", ".", "..", "\\\\a\\b", "~",
    ].map { line("target", "GET \($0) HTTP/1.1\r\nHost: a", [400, 505]) }

    private static let authorities = [
        "a@", "@a", "a:80,b", "a:8 0", "a:80:", "[::1]:99999", "[::1]:80:80", "[::1%25eth0]", "[v1.a]",
        "[[::1]]", "a]", "[a", "\"a\"", "a|b", "a^b", "a`b", "{a}", "a\u{0B}", "a\u{0C}", "\u{0B}a",
        "a\u{200B}", "a\r\n b", "a\u{7F}", "a\u{85}", "a:\u{661}", "a:0x50", "a:80/", "a?", "//a", "*:80:*",
    ].map { line("host", "GET / HTTP/1.1\r\nHost: \($0)", [400]) }

    private static let fields = [
        "=: y", "X,Y: z", "X;Y: z", "X=Y: z", "X?Y: z", "<X>: y", "X\\Y: z", "X\u{2028}: y", "X: a\u{07}b",
        "X: a\u{0C}b", "X: a\u{0B}", "X: \u{01}", ":X: y", "X: y\r\n:", "X: y\r\n\u{0B}", "X: y\r\n\r",
        "Host\u{A0}: b", "Host\t: b", "\u{FEFF}X: y", "X: y\r\n\u{FEFF}", "X\u{7F}: y", "\u{1F}X: y",
        "Connection: close\u{01}", "Cookie: a\0=b", "Origin: a\0b", "X-Forwarded-For : 127.0.0.1",
    ].map { line("field", "GET / HTTP/1.1\r\nHost: a\r\n\($0)", [400]) }

    private static func line(_ kind: String, _ lines: String, _ statuses: Set<Int>) -> Case {
        Case("ambiguous \(kind): " + HostileRequests.shown(lines), "\(lines)\r\n\r\n" + second, statuses)
    }
}
