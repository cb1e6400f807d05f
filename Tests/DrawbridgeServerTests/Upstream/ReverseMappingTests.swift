import Drawbridge
import HTTPTypes
import Testing

@testable import DrawbridgeServer

@Suite("Rewriting redirects and cookies of upstreams")
struct ReverseMappingTests {
    private static let caller = sender(address: nil, scheme: "https", authority: "gw.test:8443")
    private static let plainCaller = sender(address: nil, scheme: "http", authority: "gw.test")

    /// A field as the caller gets it.
    private func mapped(
        _ name: HTTPField.Name, _ value: String, _ text: String, for caller: Request = caller,
        keepsHost: Bool = false
    ) throws -> String? {
        let mapping = try ReverseMapping(
            mapping: UpstreamMapping(parsing: text), caller: caller, keepsHost: keepsHost)
        return Forwarding(via: Via()).responseFields([name: value], mapping: mapping)[name]
    }

    private static let gateway = "https://gw.test:8443"

    @Test(arguments: [
        // The whole upstream.
        ("http://h", "http://h/x?q#f", gateway + "/x?q#f"), ("http://h", "http://h", gateway + "/"),
        ("http://h", "http://h?q", gateway + "/?q"), ("http://h", "http://h#f", gateway + "/#f"),
        ("http://h", "http://h:80/x", gateway + "/x"), ("http://h:80", "HTTP://H./x", gateway + "/x"),
        ("http://h", "//h/x", gateway + "/x"), ("http://h:81", "//h:81/x", gateway + "/x"),
        ("https://h", "https://h:443/x", gateway + "/x"), ("https://h", "//h/x", gateway + "/x"),
        ("http://[::1]:81", "http://[::1]:81/x", gateway + "/x"),
        ("unix:/a.sock", "http://localhost/x", gateway + "/x"),
        ("http://h", "http://h//e/x", gateway + "//e/x"),
        ("http://h", "http://h/é", gateway + "/é"), ("http://h", "http://h/%zz?%", gateway + "/%zz?%"),
        // Other places.
        ("http://h", "http://h:81/x", nil), ("http://h", "https://h/x", nil),
        ("http://h", "http://hh/x", nil),
        ("http://h", "http://x.h/x", nil), ("http://h", "//h:443/x", nil), ("https://h", "//h:80/x", nil),
        ("http://h", "http://u@h/x", nil), ("http://h", "http://h\\@e/x", nil),
        ("http://h", "http://h\\x", nil),
        ("http://h", "ftp://h/x", nil), ("http://h", "http:/h/x", nil), ("http://h", "http:x", nil),
        ("http://h", "mailto:a@h", nil), ("http://[::1]", "http://::1/x", nil), ("http://h", "/x", nil),
        ("http://h", "x", nil), ("http://h", "../x", nil), ("http://h", "?q", nil), ("http://h", "#f", nil),
        ("http://h", "", nil), ("http://h", "//", nil), ("http://h", "http://", nil),
        ("http://h", "//e/x", nil),
        // Below a prefix, with another path there.
        ("/api=http://h/v2", "http://h/v2/x?/v2", gateway + "/api/x?/v2"),
        ("/api=http://h/v2", "/v2/x?q#f", "/api/x?q#f"),
        ("/api=http://h/v2", "/v2", "/api"), ("/api=http://h/v2", "/v2?q", "/api?q"),
        ("/api=http://h/v2", "/v2#f", "/api#f"), ("/api=http://h/v2", "http://h/v2", gateway + "/api"),
        ("/api=http://h/v2", "/v2x", nil), ("/api=http://h/v2", "/other", nil),
        ("/api=http://h/v2", "http://h/other", nil), ("/api=http://h/v2", "x", nil),
        ("/api=http://h/v2", "../v2/x", nil),
        ("/api=http://h/", "/x", "/api/x"), ("/api=http://h/", "/", "/api/"),
        ("/api=http://h/", "http://h", gateway + "/api/"),
        ("/api=http://h", "/api/x", nil), ("/api=http://h", "http://h/api/x", gateway + "/api/x"),
        ("/api=http://h", "http://h/x", nil), ("http://h/v2", "/v2/x", "/x"), ("http://h/v2", "/v2", "/"),
        // A path for the upstream that would be a host for a browser.
        ("http://h/v2", "/v2//e/x", gateway + "//e/x"), ("http://h/v2", "/v2/\\e/x", gateway + "/\\e/x"),
        ("http://h/v2", "/v2/\t/e/x", gateway + "/\t/e/x"), ("/api=http://h/", "//e/x", nil),
        ("/api=http://h/", "/\\e/x", nil),
    ])
    func aLocationOfTheUpstreamLeadsThroughTheGateway(text: String, location: String, expected: String?)
        throws
    {
        #expect(try mapped(.location, location, text) == expected ?? location)
        #expect(try mapped(.contentLocation, location, text) == expected ?? location)
    }

    @Test(arguments: [
        ("http://h", "http://h/x", "/x"), ("/api=http://h/", "//h/x", "/api/x"),
        ("/api=http://h/", "/x", "/api/x"),
        // Nothing but a host could be said before it.
        ("http://h", "http://h//e/x", "http://h//e/x"), ("http://h/v2", "/v2//e/x", "/v2//e/x"),
    ])
    func aCallerWithoutAHostGetsRedirectsAsPaths(text: String, location: String, expected: String) throws {
        let caller = sender(address: nil, scheme: "http", authority: nil, isOldVersion: true)
        #expect(try mapped(.location, location, text, for: caller) == expected)
    }

    @Test(arguments: [
        ("http://gw.test:8443/v2/x", true, gateway + "/x"),
        ("https://gw.test:8443/v2/x", true, gateway + "/x"),
        ("http://h/v2/x", true, gateway + "/x"), ("http://gw.test/v2/x", true, "http://gw.test/v2/x"),
        ("http://gw.test:8443/v2/x", false, "http://gw.test:8443/v2/x"),
    ])
    func redirectsToTheCallersHostAreRewrittenIfTheHostIsKept(
        location: String, keepsHost: Bool, expected: String
    ) throws {
        #expect(try mapped(.location, location, "http://h/v2", keepsHost: keepsHost) == expected)
    }

    @Test(arguments: [
        ("5; url=http://h/x", "5; url=https://gw.test:8443/api/x"), ("0;URL='/x'", "0;URL='/api/x'"),
        ("1.5 ,  uRl =\t\"/x\" rest", "1.5 ,  uRl =\t\"/api/x\" rest"), ("3; /x", "3; /api/x"),
        ("3;url=\"/x", "3;url=\"/api/x"), ("3; url /x", "3; url /x"), ("3", "3"), ("3;", "3;"), ("", ""),
        ("3; url=http://e/x", "3; url=http://e/x"), ("3; url=x", "3; url=x"), ("3; url=''", "3; url=''"),
    ])
    func aRefreshOfTheUpstreamLeadsThroughTheGateway(refresh: String, expected: String) throws {
        #expect(try mapped(HTTPField.Name("Refresh")!, refresh, "/api=http://h/") == expected)
    }

    @Test(arguments: [
        // Domain, of upstreams with several names.
        ("http://app.h.test", "a=b; Domain=app.h.test; Path=/", "a=b; Path=/"),
        ("http://app.h.test", "a=b;domain=.H.Test ;X", "a=b;X"),
        ("http://app.h.test", "a=b; DOMAIN = test", "a=b"),
        ("http://app.h.test", "a=b; Domain=.app.h.test", "a=b"),
        ("http://app.h.test", "a=b; Domain=pp.h.test", nil),
        ("http://app.h.test", "a=b; Domain=x.app.h.test", nil),
        ("http://app.h.test", "a=b; Domain=e.test", nil),
        ("http://app.h.test", "a=b; Domain=", nil), ("http://app.h.test", "a=b; Domain", nil),
        ("http://app.h.test", "a=b; Domain=.", nil), ("http://app.h.test", "a=b; Domain=..h.test", nil),
        ("http://app.h.test", "Domain=h.test; x", nil), ("http://10.0.0.1", "a=b; Domain=10.0.0.1", "a=b"),
        ("http://10.0.0.1", "a=b; Domain=0.0.1", nil), ("http://[::1]", "a=b; Domain=::1", "a=b"),
        ("http://app.h.test", "a=b; Domain=h.test; Domain=e.test", "a=b; Domain=e.test"),
        // Path.
        ("/api=http://h/v2", "a=b; Path=/v2/x ; HttpOnly", "a=b; Path=/api/x ; HttpOnly"),
        ("/api=http://h/v2", "a=b;path=\t/v2", "a=b;path=\t/api"),
        ("/api=http://h/v2", "a=b; Path=/v2/", "a=b; Path=/api/"),
        ("/api=http://h/v2", "a=b; Path=/", nil), ("/api=http://h/v2", "a=b; Path=/v2x", nil),
        ("/api=http://h/v2", "a=b; Path=", nil), ("/api=http://h/v2", "a=b; Path=\"/v2\"", nil),
        ("/api=http://h/v2", "a=/v2; b=/v2", nil), ("/api=http://h/", "a=b; Path=/", "a=b; Path=/api"),
        ("/api=http://h/", "a=b; Path=/x", "a=b; Path=/api/x"), ("/api=http://h", "a=b; Path=/api/x", nil),
        ("http://h/v2", "a=b; Path=/v2", "a=b; Path=/"), ("http://h", "a=b; Path=/x", nil),
        // Everything else.
        ("http://h", "a=b; Secure; SameSite=None; Partitioned", nil), ("http://h", "a", nil),
        ("http://h", "", nil),
        ("http://h", "a=b;;  ; =x;Secure=1", nil),
        ("http://h", "a=\"b;c\"; Expires=Sun, 06 Nov 1994 08:49:37 GMT", nil),
        ("/api=http://h/", "__Host-a=b; Secure; Path=/", nil),
        ("/api=http://h/", "__HOST-a=b; Path=/; Domain=h", nil),
        ("/api=http://h/", "__Secure-a=b; Domain=h; Path=/x; Secure", "__Secure-a=b; Path=/api/x; Secure"),
    ])
    func aCookieOfTheUpstreamIsRewrittenForTheGateway(text: String, cookie: String, expected: String?) throws
    {
        #expect(try mapped(.setCookie, cookie, text) == expected ?? cookie)
    }

    @Test(arguments: [
        ("a=b; Secure", "a=b"), ("a=b; secure; HttpOnly", "a=b; HttpOnly"),
        ("a=b;SECURE=x;Max-Age=1", "a=b;Max-Age=1"),
        ("a=b; SameSite=None; Secure; Partitioned; Path=/", "a=b; Path=/"),
        ("a=b; Secure; samesite = NONE ; partitioned", "a=b"),
        ("a=b; Secure; SameSite=Lax", "a=b; SameSite=Lax"),
        ("a=b; SameSite=None", nil), ("a=b; Partitioned", nil), ("Secure=b; c", nil), ("a=Secure", nil),
        ("__Secure-a=b; Secure; SameSite=None; Partitioned", nil), ("__secure-a=b; Secure", nil),
        ("__Host-a=b; Secure; Path=/", nil),
        ("a=__Secure-; Secure", "a=__Secure-"),
        ("__Secur-a=b; Secure", "__Secur-a=b"),
    ])
    func aCookieForACallerByHTTPLosesSecure(cookie: String, expected: String?) throws {
        #expect(try mapped(.setCookie, cookie, "https://h", for: Self.plainCaller) == expected ?? cookie)
    }

    @Test func eachSetCookieFieldStaysSeparateAndInOrder() throws {
        let mapping = try ReverseMapping(
            mapping: UpstreamMapping(parsing: "http://h"), caller: Self.plainCaller)
        let sent = try fields([
            "set-cookie: a=1; Domain=h", "A: 1", "Set-Cookie: b=2", "SET-COOKIE: c=3; Secure",
        ])
        let received = Forwarding(via: Via("drawbridge-t")).responseFields(sent, mapping: mapping)
        #expect(
            received.map(\.description) == [
                "set-cookie: a=1", "A: 1", "Set-Cookie: b=2", "SET-COOKIE: c=3", "Via: 1.1 drawbridge-t",
            ])
    }

    @Test func bytesOfACookieThatAreNotUTF8AreKept() throws {
        let mapping = try ReverseMapping(
            mapping: UpstreamMapping(parsing: "/api=http://h/"), caller: Self.plainCaller)
        let cookie = Array("a=".utf8) + [0xE9] + Array("; Domain=h; Path=/".utf8) + [0xE9]
        let field = HTTPField(name: .setCookie, value: cookie)
        let received = Forwarding(via: Via()).responseFields(HTTPFields([field]), mapping: mapping)
        let bytes = received[fields: .setCookie].first?.withUnsafeBytesOfValue(Array.init)
        #expect(bytes == Array("a=".utf8) + [0xE9] + Array("; Path=/".utf8) + [0xE9])
    }

    @Test(arguments: [
        "Connection: close, X-Secret", "X-Secret: 1", "Keep-Alive: timeout=5", "Proxy-Authenticate: Basic",
        "Transfer-Encoding: chunked", "Content-Length: 5", "Trailer: X", "Upgrade: h2", "TE: x",
    ])
    func hopByHopFieldsOfTheUpstreamAreDropped(line: String) throws {
        let sent = try fields(["Connection: X-Secret", "b: 2", line, "A: 1", "b: 1"])
        let received = Forwarding(via: Via("drawbridge-t")).responseFields(sent)
        #expect(received.map(\.description) == ["b: 2", "A: 1", "b: 1", "Via: 1.1 drawbridge-t"])
    }

    // MARK: Wherever else a server names itself

    /// A server has more than one name for itself, and more than four fields to say one in.
    @Test(
        arguments: [
            (
                "Link", "<http://h/a>; rel=preload, <https://e/http://h/>; rel=x",
                "<https://gw.test:8443/a>; rel=preload, <https://e/http://h/>; rel=x"
            ),
            ("Access-Control-Allow-Origin", "http://h", "https://gw.test:8443"),
            (
                "Reporting-Endpoints", "main=\"http://h/r\", b=\"http://e/\"",
                "main=\"https://gw.test:8443/r\", b=\"http://e/\""
            ),
            ("SourceMap", "http://h/a.map?b#c", "https://gw.test:8443/a.map?b#c"),
            ("X-Socket", "ws://h/s wss://h/s", "wss://gw.test:8443/s wss://h/s"),
            (
                "X-Others", "http://hh/ http://h.e/ http://u@h/ http://h:81/ xhttp://h/ //h/ http://h\\@e/",
                nil
            ),
            ("Service-Worker-Allowed", "/", nil),
        ] as [(String, String, String?)])
    func theUpstreamsNameIsRewrittenInEveryField(name: String, value: String, expected: String?) throws {
        let field = try #require(HTTPField.Name(name))
        #expect(try mapped(field, value, "http://h") == expected ?? value)
    }

    @Test(arguments: [
        ("Link", "<http://h/v2/a>, <http://h/b>", "<https://gw.test:8443/api/a>, <http://h/b>"),
        ("Service-Worker-Allowed", "/v2/", "/api/"),
    ])
    func theUpstreamsPathsAreRewrittenInEveryField(name: String, value: String, expected: String) throws {
        let field = try #require(HTTPField.Name(name))
        #expect(try mapped(field, value, "/api=http://h/v2") == expected)
    }

    @Test(arguments: [
        ("http://127.0.0.1:81", "http://localhost:81/x"), ("http://localhost:81", "http://[::1]:81/x"),
        ("http://localhost:81", "http://127.0.0.1:81/x"), ("http://0.0.0.0:81", "http://localhost:81/x"),

    ])
    func aLocalServerIsRecognizedByAnyOfItsNames(text: String, location: String) throws {
        #expect(try mapped(.location, location, text) == Self.gateway + "/x")
        #expect(try mapped(.location, location.replacing(":81", with: ":82"), text) != Self.gateway + "/x")
    }

    @Test(
        arguments: [
            ("default-src 'none'; img-src http://h", "default-src 'none'; img-src http://h 'self'"),
            ("img-src h:80 *.e", "img-src h:80 *.e 'self'"),
            ("img-src http://h/pictures/", "img-src http://h/pictures/ https://gw.test:8443/pictures/"),
            ("connect-src ws://h", "connect-src ws://h wss://gw.test:8443"),
            (
                "connect-src 'self' http://h ws://h:*",
                "connect-src 'self' http://h ws://h:* wss://gw.test:8443"
            ),
            ("img-src http://e h.e *.h https:", nil), ("img-src *", nil),
            (
                "report-uri http://h/r; img-src 'self' h",
                "report-uri https://gw.test:8443/r; img-src 'self' h"
            ),
            ("upgrade-insecure-requests; img-src 'self'", nil),
        ] as [(String, String?)])
    func aPolicyThatNamesTheUpstreamAllowsTheGateway(policy: String, expected: String?) throws {
        for name in [HTTPField.Name.contentSecurityPolicy, .contentSecurityPolicyReportOnly] {
            #expect(try mapped(name, policy, "http://h") == expected ?? policy)
        }
    }

    @Test(
        arguments: [
            ("img-src https: data:", "img-src https: data: 'self'"),
            ("connect-src 'self' wss:", "connect-src 'self' wss: ws://gw.test"), ("img-src http:", nil),
        ] as [(String, String?)])
    func aSchemeSourceInAPolicyStillAllowsTheGateway(policy: String, expected: String?) throws {
        let mapped = try mapped(.contentSecurityPolicy, policy, "https://h", for: Self.plainCaller)
        #expect(mapped == expected ?? policy)
    }

    @Test(arguments: [
        ("localhost", "a=1"), ("127.0.0.1", "a=1"), ("app.localhost", "a=1; Domain=app.localhost"),
    ])
    func aCookieOfALocalServerIsRecognizedByAnyOfItsNames(domain: String, expected: String) throws {
        #expect(try mapped(.setCookie, "a=1; Domain=\(domain)", "http://127.0.0.1:81") == expected)
    }

    @Test func redirectsToOtherLocalHostsAreNotRewritten() throws {
        for location in ["http://auth.localhost/x", "http://127.0.0.2/x", "http://__jsbridge__/x"] {
            #expect(try mapped(.location, location, "http://app.localhost") == location)
            #expect(try mapped(.location, location, "http://localhost") == location)
        }
    }

    @Test func pagesByHTTPAreNotUpgradedToHTTPS() throws {
        let policy = "default-src 'self'; upgrade-insecure-requests; img-src *.test"
        #expect(
            try mapped(.contentSecurityPolicy, policy, "https://app.test", for: Self.plainCaller)
                == "default-src 'self'; img-src *.test 'self'")
    }

    /// Browsers keep it for all that has the gateway's name, and for a year.
    @Test func fieldsThatBrowsersKeepForTheWholeHostAreDropped() throws {
        let mapping = try ReverseMapping(mapping: UpstreamMapping(parsing: "https://h"), caller: Self.caller)
        let sent = try fields([
            "Strict-Transport-Security: max-age=31536000", "Alt-Svc: h3=\":443\"", "Public-Key-Pins: x",
            "Public-Key-Pins-Report-Only: x", "Expect-CT: x", "NEL: {}", "A: 1",
        ])
        let received = Forwarding(via: Via("drawbridge-t")).responseFields(sent, mapping: mapping)
        #expect(received.map(\.description) == ["A: 1", "Via: 1.1 drawbridge-t"])
    }

    /// Browsers delete cookies for all ports of a host, so a page would lose its session and a device its admission.
    @Test(
        arguments: [
            (#""cookies""#, nil), (#""cache", "cookies","storage""#, #""cache", "storage""#),
            (#""*""#, #""cache", "storage", "executionContexts""#), (#""storage""#, #""storage""#),
        ] as [(String, String?)])
    func aServerThatClearsCookiesClearsItsOwn(sent: String, received: String?) throws {
        var caller = Self.caller
        caller.headers[.cookie] = "sid=1; theme=dark"
        let mapping = try ReverseMapping(mapping: UpstreamMapping(parsing: "https://h"), caller: caller)
        let fields = try Forwarding(via: Via("drawbridge-t")).responseFields(
            fields(["Clear-Site-Data: \(sent)"]), mapping: mapping)
        #expect(fields[.clearSiteData] == received)
        let deleted = ["sid", "theme"].map { "\($0)=; Path=/; Max-Age=0; Secure" }
        #expect(fields[values: .setCookie] == (sent == received ? [] : deleted))
    }

    @Test func withoutAMappingNothingIsChanged() throws {
        let lines = [
            "Location: http://h/x", "Set-Cookie: a=b; Domain=h; Secure", "Refresh: 0; url=http://h/",
        ]
        let received = try Forwarding(via: Via("drawbridge-t")).responseFields(
            fields(lines), isOldVersion: true)
        #expect(received.map(\.description) == lines + ["Via: 1.0 drawbridge-t"])
    }
}
