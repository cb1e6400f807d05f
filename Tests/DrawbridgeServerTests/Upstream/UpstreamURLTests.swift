import Testing

@testable import DrawbridgeServer

@Suite("The URL of an upstream")
struct UpstreamURLTests {
    @Test(arguments: [
        ("http://127.0.0.1:5173", "http", "127.0.0.1", 5173, nil),
        ("http://h", "http", "h", 80, nil), ("https://h", "https", "h", 443, nil),
        ("http://h/", "http", "h", 80, "/"), ("http://h:/", "http", "h", 80, "/"),
        ("https://h:8443/v2", "https", "h", 8443, "/v2"),
        ("HTTPS://Example.COM.", "https", "example.com", 443, nil),
        ("http://h/a/b/", "http", "h", 80, "/a/b/"), ("http://h/%2f=x:y", "http", "h", 80, "/%2f=x:y"),
        ("http://[::1]", "http", "::1", 80, nil), ("http://[FE80::1]:81/p", "http", "fe80::1", 81, "/p"),
        ("http://unix", "http", "unix", 80, nil),
        ("http://h/a@b", "http", "h", 80, "/a@b"),
    ])
    func anUpstreamURLNamesAHost(text: String, scheme: String, host: String, port: Int, path: String?) throws
    {
        let url = try UpstreamURL(text)
        #expect(url.scheme == scheme)
        #expect(url.host == host)
        #expect(url.isIPv6 == host.contains(":"))
        #expect(url.port == port)
        #expect(url.path == path)
        #expect(url.socketPath == nil)
    }

    @Test(arguments: [
        ("unix:/run/app.sock", "/run/app.sock", nil), ("http://unix:/run/app.sock", "/run/app.sock", nil),
        ("unix:/a", "/a", nil), ("http://unix:/run/app.sock:/v2", "/run/app.sock", "/v2"),
        ("unix:/run/app.sock:/", "/run/app.sock", "/"), ("unix:/run/a:b", "/run/a:b", nil),
        ("unix:/run/a=b", "/run/a=b", nil),
    ])
    func anUpstreamURLMayNameAUnixSocket(text: String, socket: String, path: String?) throws {
        let url = try UpstreamURL(text)
        #expect(url.socketPath == socket)
        #expect(url.path == path)
        #expect(url.origin == "http://localhost")
    }

    @Test(arguments: [
        ("http://h", "h", "http://h"), ("http://H:80", "h", "http://h"),
        ("https://h:443/x", "h", "https://h"),
        ("http://h:443", "h:443", "http://h:443"), ("https://h:80", "h:80", "https://h:80"),
        ("http://[::1]:5173/x", "[::1]:5173", "http://[::1]:5173"),
        ("https://[::1]", "[::1]", "https://[::1]"),
    ])
    func theAuthorityOfAnUpstreamURLOmitsTheUsualPort(text: String, authority: String, origin: String) throws
    {
        let url = try UpstreamURL(text)
        #expect(url.authority == authority)
        #expect(url.origin == origin)
    }

    @Test(arguments: [
        ("localhost:5173", "has no scheme; write http://localhost:5173"),
        ("5173", "has no scheme; write http://5173"),
        ("", "has no scheme; write http://"),
        ("ftp://h", "has to begin with http:// or https://; WebSockets are forwarded too"),
        ("ws://h", "has to begin with http:// or https://; WebSockets are forwarded too"),
        ("http://ann:secret@h:1/x", "has a user name, which is not sent; write http://h:1/x"),
        ("http://ann@h", "has a user name, which is not sent; write http://h"),
        ("http://h/x?q=1", "has a query or a fragment, which only requests may have; write http://h/x"),
        ("http://h?q", "has a query or a fragment, which only requests may have; write http://h"),
        ("http://h/#top", "has a query or a fragment, which only requests may have; write http://h/"),
        ("unix:/a.sock?q", "has a query or a fragment, which only requests may have; write unix:/a.sock"),
        (
            "https://unix:/a.sock",
            "is a socket of this machine, which has no TLS; write http://unix:/a.sock"
        ),
        ("unix:a.sock", "has no path of a socket; write its whole path, unix:/path/to.sock"),
        ("unix:/", "has no path of a socket; write its whole path, unix:/path/to.sock"),
        ("unix:/:/v2", "has no path of a socket; write its whole path, unix:/path/to.sock"),
        ("http://", "names no host; write http://host or http://host:port"),
        ("http:///x", "names no host; write http://host or http://host:port"),
        ("https://:443", "names no host; write https://host or https://host:port"),
        ("http://h:0", "names no host; write http://host or http://host:port"),
        ("http://h:65536", "names no host; write http://host or http://host:port"),
        ("http://h:8o", "names no host; write http://host or http://host:port"),
        ("http://::1", "names no host; write http://host or http://host:port"),
        ("http://[::1", "names no host; write http://host or http://host:port"),
        ("http://a,b", "names no host; write http://host or http://host:port"),
        ("http://h/a b", "has a character that must be percent-encoded"),
        ("http://h/é", "has a character that must be percent-encoded"),
        ("http://h\r\nX: y", "has a character that must be percent-encoded"),
    ])
    func aWrongUpstreamURLIsReportedWithAHint(text: String, problem: String) {
        let error = #expect(throws: InvalidUpstream.self) { try UpstreamURL(text) }
        let shown = text.replacing("ann:secret", with: "ann:[removed]")
        #expect(error?.description == "the upstream \(shown) \(problem)")
    }
}
