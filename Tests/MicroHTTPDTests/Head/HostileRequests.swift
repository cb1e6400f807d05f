import MicroHTTPD

/// The raw requests of ``HostileRequestTests``.
enum HostileRequests {
    typealias Case = HostileRequestTests.Case

    /// What a smuggler would like to see answered.
    private static let second = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let closed = 0

    static let refused: [Case] =
        smuggling + lengths + lines + framing + hosts + versions + requestLines + sizes + expectations

    // MARK: Two ends of one body

    private static let smuggling: [Case] =
        [
            "Content-Length: 4\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 4",
            "content-length: 4\r\ntransfer-encoding: chunked",
            "TRANSFER-ENCODING: CHUNKED\r\nCONTENT-LENGTH: 4",
            "cOnTeNt-LeNgTh: 4\r\nTrAnSfEr-EnCoDiNg: ChUnKeD",
            "Content-Length: 0\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 0",
            "Content-Length: 4\r\nTransfer-Encoding: identity",
            "Transfer-Encoding: identity\r\nContent-Length: 4",
            "Content-Length: 4\r\nX: y\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
            "Content-Length: 4\r\nTransfer-Encoding : chunked",
            "Content-Length: 4\r\nTransfer-Encoding\t: chunked",
            "Content-Length: 4\r\n Transfer-Encoding: chunked",
            "Content-Length: 4\r\nX: y\r\n Transfer-Encoding: chunked",
            "Content-Length: 4\r\nTransfer-Encoding:\r\n chunked",
            "Content-Length: 4\r\nTransfer-Encoding: chunked, identity",
            "Content-Length: 4\nTransfer-Encoding: chunked",
            "Content-Length: 4\rTransfer-Encoding: chunked",
            "Content-Length: 4\r\nX: y\nTransfer-Encoding: chunked",
            "Content-Length: 4\r\nTransfer-Encoding: \u{0B}chunked",
            "Content-Length: 4\r\nTransfer-Encoding:\0chunked",
            "Content-Length: 4\r\nTransfer-Encoding: chunked\0",
            "Content-Length: 4\r\nTransfer\0-Encoding: chunked",
        ].map {
            Case(
                "smuggling: " + shown($0), "POST / HTTP/1.1\r\nHost: a\r\n\($0)\r\n\r\n0\r\n\r\n" + second,
                [400, 501])
        }
        + [
            Case(
                "smuggling with GET",
                "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                    + second),
            Case(
                "smuggling with HTTP/1.0",
                "POST / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                    + second),
            Case(
                "smuggling behind a HEAD",
                "HEAD / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"
                    + second),
        ]

    // MARK: Content-Length

    private static let lengths: [Case] =
        [
            "Content-Length: 5\r\nContent-Length: 6",
            "Content-Length: 5\r\nContent-Length: 5",
            "Content-Length: 5\r\ncontent-length: 0",
            "Content-Length: 5, 5",
            "Content-Length: 5,6",
            "Content-Length: +5",
            "Content-Length: -5",
            "Content-Length: 0x5",
            "Content-Length:",
            "Content-Length: ",
            "Content-Length: 5 x",
            "Content-Length: 5 5",
            "Content-Length: 5.0",
            "Content-Length: 5e0",
            "Content-Length: \"5\"",
            "Content-Length: five",
            "Content-Length: \u{661}",
            "Content-Length: 5\u{0B}",
            "Content-Length: 5\0",
            "Content-Length: \05",
            "Content-Length : 5",
            "Content-Length\t: 5",
        ].map { Case("length: " + shown($0), "POST / HTTP/1.1\r\nHost: a\r\n\($0)\r\n\r\nhello" + second) }
        + [
            Case(
                "length: 2^64+5",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551621\r\n\r\nhello" + second,
                [413, 400]),
            Case(
                "length: 2^63",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775808\r\n\r\nhello" + second,
                [413]),
            Case(
                "length: 2^64-1",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\nhello" + second,
                [413]),
            Case(
                "length: 400 digits",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(String(repeating: "9", count: 400))\r\n\r\nhello"
                    + second, [413, 400]),
        ]

    // MARK: Header lines

    private static let lines: [Case] =
        [
            "X : y", "X\t: y", " X: y", "\tX: y", "X: y\r\n folded", "X: y\r\n\tfolded", "X: y\r\n ", ": y",
            " : y", "X", "X y",
            "[X]: y", "(X): y", "X\"Y: z", "X/Y: z", "X@Y: z", "X{: y", "\u{FC}: y", "X\u{FC}: y",
            "X: a\u{01}b", "X: a\u{1B}b", "X: a\u{7F}b", "X: a\u{08}", "X\u{01}: y",
            "X: a\0b", "X\0: y", "X:\0", "X: y\0", "\0X: y", "X: y\0\r\nZ: z", "X\0Y: z",
            "X: a\rb", "X: y\r", "X\r: y", "\rX: y",
            "X: y\nZ: z", "\nX: y", "X: y\n",
        ].map { Case("line: " + shown($0), "GET / HTTP/1.1\r\nHost: a\r\n\($0)\r\n\r\n" + second) }
        + [
            Case("bare LF everywhere", "GET / HTTP/1.1\nHost: a\n\n" + second),
            Case("bare LF behind the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n" + second),
            Case("bare LF at the end of the head", "GET / HTTP/1.1\r\nHost: a\r\n\n" + second),
            Case("bare CR behind the request line", "GET / HTTP/1.1\rHost: a\r\n\r\n" + second),
            Case("bare CR at the end of the head", "GET / HTTP/1.1\r\nHost: a\r\n\r" + second),
            Case("CR CR LF", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n" + second),
            Case("first header folded", "GET / HTTP/1.1\r\n Host: a\r\n\r\n" + second),
            // As the library leaves lines in its memory.
            Case("a line made of NULs", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0\0Y\0 b\r\n\r\n" + second),
            Case("the only Host in NULs", "GET / HTTP/1.1\r\nX: a\0\0Host\0 a\r\n\r\n" + second),
            Case(
                "a Content-Length in NULs",
                "POST / HTTP/1.1\r\nHost: a\r\nX: a\0\0Content-Length\0 5\r\n\r\n" + second),
            Case(
                "a request line with NULs", "GET /\0HTTP/1.1\0\0X HTTP/1.1\r\nHost: a\r\n\r\n" + second,
                [400, closed]),
        ]

    // MARK: Transfer-Encoding

    private static let framing: [Case] = [
        "gzip", "gzip, chunked", "chunked, gzip", "identity", "xchunked", "chunk", "chunked;q=1",
        "\"chunked\"", "chunked,",
        ",chunked", "chunked, chunked", "cow", "chunked x", "", "compress\r\nX: chunked", "deflate",
    ].map {
        Case(
            "coding: " + shown($0),
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \($0)\r\n\r\n0\r\n\r\n" + second, [400, 501])
    }

    // MARK: Host

    private static let hosts: [Case] =
        [
            "X: y", "Host: a\r\nHost: b", "Host: a\r\nHost: a", "Host: a\r\nhost: a", "Host: a, b",
            "Host: a,b", "Host: u@h",
            "Host: u:p@h", "Host: a:b", "Host: a:99999", "Host: a:-1", "Host: a:+1", "Host: a:1:2",
            "Host: a b", "Host: a\tb",
            "Host: a/b", "Host: http://a", "Host: a?b", "Host: a#b", "Host: a\\b", "Host: [::1", "Host: ::1",
            "Host: [::g]",
            "Host: [::1]x", "Host: []", "Host: :80", "Host: <a>", "Host: a\u{FC}", "Host: a\0b", "Host : a",
            "H\0ost: a",
        ].map { Case("host: " + shown($0), "GET / HTTP/1.1\r\n\($0)\r\n\r\n" + second) }
        + [
            Case("absolute form with user name", "GET http://u@h/ HTTP/1.1\r\nHost: a\r\n\r\n" + second),
            Case("absolute form without host", "GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n" + second),
            Case("absolute form without Host header", "GET http://a/ HTTP/1.1\r\n\r\n" + second),
            Case("absolute form with bad port", "GET http://a:x/ HTTP/1.1\r\nHost: a\r\n\r\n" + second),
            Case("absolute form of a file", "GET file:///etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n" + second),
            Case(
                "absolute form with two Hosts",
                "GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + second),
        ]

    // MARK: Versions and other protocols

    private static let versions: [Case] =
        [
            "HTTP/0.9", "HTTP/1.10", "HTTP/1.2", "HTTP/2.0", "HTTP/2", "HTTP/11", "HTTP/1.", "HTTP/.1",
            "HTTP/", "HTTP", "http/1.1",
            "Http/1.1", "HTTP/1,1", "HTTP/01.1", "HTTP/1.01", "HTTP/1.1x", "HTTP /1.1", "HTTPS/1.1", "ICY",
            "HTTP/9999999999.1",
        ].map { Case("version: \($0)", "GET / \($0)\r\nHost: a\r\n\r\n" + second, [400, 505]) }
        + [
            Case("no version", "GET /\r\nHost: a\r\n\r\n" + second, [400, 505, closed]),
            Case("HTTP/0.9 request", "GET /\r\n\r\n", [400, 505, closed]),
            Case(
                "HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u{04}\0\0\0\0\0", [400, 405, 505]),
            Case(
                "TLS hello",
                [0x16, 0x03, 0x01, 0x00, 0x40, 0x01, 0x00, 0x00, 0x3C, 0x03, 0x03]
                    + [UInt8](repeating: 0xA5, count: 58), [400, closed]),
            Case("1 KB of noise", noise(1024), [400, 505, closed]),
            Case("1 KB of noise with line ends", noise(1024) + Array("\r\n\r\n".utf8), [400, 505, closed]),
            Case(
                "1 KB of NUL", [UInt8](repeating: 0, count: 1024) + Array("\r\n\r\n".utf8),
                [400, 505, closed]),
            Case("100 KB of noise without a line end", noise(100 << 10), [400, 414, 431, 505, closed]),
            Case("a reply", "HTTP/1.1 200 OK\r\nHost: a\r\n\r\n", [400, 405, 505]),
        ]

    // MARK: Request lines

    private static let requestLines: [Case] =
        [
            "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET\t/ HTTP/1.1", "GET /\tHTTP/1.1", "GET / HTTP/1.1 ",
            "GET / HTTP/1.1\t",
            " GET / HTTP/1.1", "\tGET / HTTP/1.1", "GET /a b HTTP/1.1", "GET /a\tb HTTP/1.1",
            "GET /#a HTTP/1.1", "GET /a#b HTTP/1.1",
            "GET * HTTP/1.1", "POST * HTTP/1.1", "GET a HTTP/1.1", "GET HTTP/1.1", "GET  HTTP/1.1",
            "GET a:80 HTTP/1.1", "GET \\ HTTP/1.1",
            "GET /\u{FC} HTTP/1.1", "GET /\u{7F} HTTP/1.1", "GET /\u{01} HTTP/1.1", "GET /\u{0B} HTTP/1.1",
            "G\0ET / HTTP/1.1", "\0GET / HTTP/1.1", "GET\0 / HTTP/1.1", "GET /\0 HTTP/1.1",
            "GET /a\0b HTTP/1.1", "GET /?\0 HTTP/1.1",
            "GET /?a\0b HTTP/1.1", "GET / HTTP/1.1\0", "GET / HTTP/1\0.1", "GET /\rHTTP/1.1",
            "GET /a\rb HTTP/1.1", "GET /?a b HTTP/1.1",
            "GET /?a=1 &b HTTP/1.1", "GET\u{A0}/ HTTP/1.1", "G(T / HTTP/1.1", "G\u{FC}T / HTTP/1.1",
            "[GET] / HTTP/1.1", "GET", "",
            "GET / HTTP/1.1 HTTP/1.1", "GET ? HTTP/1.1", "GET ?a HTTP/1.1", "GET /?# HTTP/1.1",
        ].map {
            let isEmpty = $0.isEmpty
            return Case(
                "request line: " + shown($0), "\($0)\r\nHost: a\r\n\r\n" + second,
                isEmpty ? [400, closed] : [400, 505, closed])
        }
        + [
            Case("method of 17", "ABCDEFGHIJKLMNOPQ / HTTP/1.1\r\nHost: a\r\n\r\n" + second, [501]),
            Case(
                "method of 4,000",
                "\(String(repeating: "A", count: 4000)) / HTTP/1.1\r\nHost: a\r\n\r\n" + second, [501]),
            Case("TRACE", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n" + second, [405]),
            Case("CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n" + second, [405]),
            Case("CONNECT with a path", "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n" + second, [405, 400]),
        ]

    // MARK: Sizes

    private static let sizes: [Case] = [
        Case(
            "target of 100 KB",
            "GET /\(String(repeating: "a", count: 100 << 10)) HTTP/1.1\r\nHost: a\r\n\r\n" + second,
            [414, 431, closed]),
        Case(
            "target over the limit",
            "GET /\(String(repeating: "a", count: 8000)) HTTP/1.1\r\nHost: a\r\n\r\n" + second, [414]),
        Case(
            "query over the limit",
            "GET /?\(String(repeating: "a", count: 8000)) HTTP/1.1\r\nHost: a\r\n\r\n" + second, [414]),
        Case(
            "header of 100 KB",
            "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 100 << 10))\r\n\r\n" + second,
            [431, 413, closed]),
        Case(
            "header over the limit",
            "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 31 << 10))\r\n\r\n" + second,
            [431]),
        Case(
            "name of 100 KB",
            "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "a", count: 100 << 10)): y\r\n\r\n" + second,
            [431, 413, closed]),
        Case(
            "5,000 headers",
            "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 5000))\r\n" + second,
            [431, 413, closed]),
        Case(
            "101 headers",
            "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 100))\r\n" + second, [431]),
        Case(
            "5,000 empty lines first", String(repeating: "\r\n", count: 5000) + "X\r\n\r\n",
            [400, 505, closed]),
    ]

    // MARK: Expectations

    private static let expectations: [Case] = [
        "Expect: 200-ok", "Expect: 100-continue, x", "Expect: x", "Expect: 100-continue\r\nExpect: x",
        "Expect: 100", "Expect: \"100-continue\"",
    ].map {
        Case($0, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\($0)\r\n\r\nhello" + second, [417])
    }

    // MARK: Broken chunks

    /// The head is in order, the body is not; whatever comes behind is never a request.
    static let bodies: [Case] =
        [
            "0x5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n",
            "00000000000000005g\r\nhello\r\n0\r\n\r\n",
            "10000000000000005\r\nhello\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
            "5\r\nhello0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n",
            "\r\nhello\r\n0\r\n\r\n", "g\r\nhello\r\n0\r\n\r\n", "5 5\r\nhello\r\n0\r\n\r\n",
            " \r\nhello\r\n0\r\n\r\n", ";a\r\nhello\r\n0\r\n\r\n",
            "5\0\r\nhello\r\n0\r\n\r\n", "\u{661}\r\nhello\r\n0\r\n\r\n", "5,\r\nhello\r\n0\r\n\r\n",
            "4\r\nhello\r\n0\r\n\r\n",
            "7\r\nhello\r\n0\r\n\r\n", "5\r\n\r\nhello\r\n0\r\n\r\n",
            "5;\(String(repeating: "x", count: 40 << 10))\r\nhello\r\n0\r\n\r\n",
            "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n", "5h\r\nhello\r\n0\r\n\r\n",
            "5\u{0B}\r\nhello\r\n0\r\n\r\n", "5\u{A0}\r\nhello\r\n0\r\n\r\n", "0x\r\n\r\n",
            "5\r\nhello\r\n-0\r\n\r\n", "5\r\nhello\r\n0x0\r\n\r\n", "5\r\nhello\r\n+0\r\n\r\n",
            "5\r\nhello\r\n \r\n\r\n", "5\r\nhello\r\n\r\n\r\n", "\u{FF15}\r\nhello\r\n0\r\n\r\n",
            "5.0\r\nhello\r\n0\r\n\r\n", "\"5\"\r\nhello\r\n0\r\n\r\n", "[5]\r\nhello\r\n0\r\n\r\n",
            "5=5\r\nhello\r\n0\r\n\r\n", "5hello\r\n0\r\n\r\n", "hello\r\n0\r\n\r\n", "\0\r\n\r\n",
        ].map {
            Case(
                "chunk: " + shown(String($0.prefix(24))),
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\($0)" + second,
                [400, 413, closed])
        }

    // MARK: Unusual and valid

    static let served: [Case] = [
        Case("no space behind the colon", "GET / HTTP/1.1\r\nHost:a\r\nX:y\r\n\r\n"),
        Case("spaces and tabs around a value", "GET / HTTP/1.1\r\nHost: \t a \t\r\nX: \t y \t\r\n\r\n"),
        Case("empty value", "GET / HTTP/1.1\r\nHost: a\r\nX:\r\nY: \r\n\r\n"),
        Case("empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        Case("IPv6 Host", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"),
        Case("Host with a dot at its end", "GET / HTTP/1.1\r\nHost: localhost.:80\r\n\r\n"),
        Case("Host with an underscore", "GET / HTTP/1.1\r\nHost: __jsbridge__\r\n\r\n"),
        Case("UTF-8 in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: \u{FC}\u{1F600}\r\n\r\n"),
        Case(
            "Latin-1 in a value",
            Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xFC, 0xFF, 0x80] + Array("\r\n\r\n".utf8)),
        Case("tab inside a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\tb\r\n\r\n"),
        Case("all token characters", "GET / HTTP/1.1\r\nHost: a\r\n!#$%&'*+-.^_`|~09az: y\r\n\r\n"),
        Case("empty line first", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n"),
        Case("an unknown method", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case(
            "odd characters in the target",
            "GET /%00%zz%2e%2e/;a=b&c'()!$,:@[]{}|^`\"<>\\?%00&&&==?/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("question marks", "GET /??? HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("absolute form without path", "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("absolute form with query and no path", "GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case(
            "target at the limit", "GET /\(String(repeating: "a", count: 7999)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("99 headers", "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 99))\r\n"),
        Case(
            "head near the limit",
            "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 30_000))\r\n\r\n"),
        Case(
            "50 cookies",
            "GET / HTTP/1.1\r\nHost: a\r\nCookie: \(String(repeating: "a=\(String(repeating: "b", count: 70)); ", count: 50))\r\n\r\n"
        ),
        Case(
            "one long cookie",
            "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=\(String(repeating: "b", count: 15_000))\r\n\r\n"),
        Case(
            "cookies that are none",
            "GET / HTTP/1.1\r\nHost: a\r\nCookie: ;;==,\"a; b\"=;\\ ,,;\r\nCookie:\r\nCookie: =\r\n\r\n"),
        Case(
            "2,000 query arguments",
            "GET /?\((0..<2000).map { "a\($0)=1" }.joined(separator: "&")) HTTP/1.1\r\nHost: a\r\n\r\n",
            limits: {
                $0.target = 40_000
                $0.pool = 128 << 10
            }),
        Case(
            "2,000 short arguments",
            "GET /?\(String(repeating: "a&", count: 2000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("a GET with a body", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"),
        Case(
            "leading zeros in the length",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0000000005\r\n\r\nhello"),
        Case(
            "chunk with leading zeros",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0005\r\nhello\r\n0\r\n\r\n"),
        Case("no body, chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"),
        Case(
            "Upgrade to h2c",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
        ),
        Case("Connection naming Host", "GET / HTTP/1.1\r\nHost: a\r\nConnection: Host, close\r\n\r\n"),
        Case(
            "Expect in capitals",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 0\r\n\r\n"),
    ]

    /// With what cannot be seen as its number.
    static func shown(_ text: String) -> String {
        String(
            text.unicodeScalars.flatMap {
                $0.value < 0x20 || $0.value > 0x7E
                    ? Array("<\(String($0.value, radix: 16))>") : [Character($0)]
            })
    }

    /// The same bytes every time.
    private static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            let byte = UInt8(truncatingIfNeeded: state >> 32)
            return byte == UInt8(ascii: "\n") ? 0 : byte
        }
    }
}
