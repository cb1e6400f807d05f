import Testing

@testable import DrawbridgeServer

@Suite("Mapping of paths to an upstream")
struct UpstreamMappingTests {
    @Test(arguments: [
        // Without a path in the URL: as it was sent.
        ("http://h", "/", "/"), ("http://h", "/a/b?q=1&r", "/a/b?q=1&r"), ("http://h", "//a//b", "//a//b"),
        ("http://h", "/%2e%2E/%zz", "/%2e%2E/%zz"), ("http://h", "/a/../b/./?", "/a/../b/./?"),
        ("http://h", "*", "*"),
        ("/api=http://h", "/api", "/api"), ("/api=http://h", "/api/x?q", "/api/x?q"),
        ("/api=http://h", "/api?q", "/api?q"), ("/api=http://h", "/api/", "/api/"),
        ("/api=http://h", "/apix", nil),
        ("/api=http://h", "/ap", nil), ("/api=http://h", "/", nil), ("/api=http://h", "/x/api", nil),
        ("/api=http://h", "/%61pi", nil), ("/api=http://h", "/API", nil), ("/api=http://h", "*", nil),
        ("/api=http://h", "//api", nil), ("/api/=http://h", "/api", "/api"),
        ("/a/b=http://h", "/a/b/c", "/a/b/c"),
        ("/a/b=http://h", "/a", nil), ("/=http://h", "/x", "/x"), ("/a%2fb=http://h", "/a%2fb/c", "/a%2fb/c"),
        ("/a%2fb=http://h", "/a/b/c", nil), ("/a:b=http://h", "/a:b/c", "/a:b/c"),
        // With one: in place of the prefix.
        ("/api=http://h/v2", "/api/x?q", "/v2/x?q"), ("/api=http://h/v2", "/api", "/v2"),
        ("/api=http://h/v2", "/api/", "/v2/"), ("/api=http://h/v2", "/api?q", "/v2?q"),
        ("/api=http://h/v2", "/apix", nil), ("/api=http://h/v2", "/api/a%2Fb//c", "/v2/a%2Fb//c"),
        ("/api=http://h/v2/", "/api/x", "/v2/x"), ("/api=http://h/v2/", "/api", "/v2/"),
        ("/api=http://h/v2/", "/api/", "/v2/"), ("/api=http://h/", "/api/x", "/x"),
        ("/api=http://h/", "/api", "/"),
        ("/api=http://h/", "/api/", "/"), ("/api=http://h/", "/api?q", "/?q"),
        ("/api=http://h/", "/api//x", "//x"),
        ("/api=http://h/", "/api/../x", "/../x"), ("http://h/", "/x?q", "/x?q"), ("http://h/v2", "/", "/v2/"),
        ("http://h/v2", "/x", "/v2/x"), ("http://h/v2", "*", "*"), ("/=http://h/v2", "/x", "/v2/x"),
        ("/api=unix:/a.sock", "/api/x", "/api/x"), ("/api=unix:/a.sock:/v2", "/api/x", "/v2/x"),
    ])
    func targetsAreMappedAsByProxyPassOfNginx(mapping: String, target: String, expected: String?) throws {
        #expect(try UpstreamMapping(parsing: mapping).target(for: target) == expected)
    }

    @Test(arguments: [
        ("http://h", "/", "/"), ("http://h", "/a?q", "/a?q"), ("/api=http://h", "/api/x", "/api/x"),
        ("/api=http://h", "/login", nil), ("/api=http://h", "/apix", nil),
        ("/api=http://h/v2", "/v2/x?q", "/api/x?q"),
        ("/api=http://h/v2", "/v2", "/api"), ("/api=http://h/v2", "/v2/", "/api/"),
        ("/api=http://h/v2", "/v2x", nil),
        ("/api=http://h/v2", "/", nil), ("/api=http://h/v2", "/api/x", nil),
        ("/api=http://h/v2/", "/v2/x", "/api/x"),
        ("/api=http://h/v2/", "/v2", "/api"), ("/api=http://h/", "/x", "/api/x"),
        ("/api=http://h/", "/", "/api/"),
        ("http://h/v2", "/v2/x", "/x"), ("http://h/v2", "/v2", "/"), ("http://h/v2", "/v2?q", "/?q"),
        ("http://h/v2", "/x", nil), ("http://h/", "/x", "/x"), ("http://h", "*", nil),
        ("http://h/", "*", nil),
        ("http://h/v2", "/v2//x", "//x"), ("http://h", "", nil), ("/api=http://h/", "", nil),
    ])
    func targetsOfTheUpstreamAreMappedBack(mapping: String, target: String, expected: String?) throws {
        #expect(try UpstreamMapping(parsing: mapping).gatewayTarget(for: target) == expected)
    }

    @Test(arguments: [
        ("/api", "has no URL; write /api=http://host:port"),
        ("api=http://h", "has a prefix that is not a path; write /api=http://h"),
        ("=http://h", "has a prefix that is not a path; write /=http://h"),
        ("/a?b=http://h", "has a prefix that no path begins with; write it percent-encoded"),
        ("/a#b=http://h", "has a prefix that no path begins with; write it percent-encoded"),
        ("/a b=http://h", "has a prefix that no path begins with; write it percent-encoded"),
        ("/é=http://h", "has a prefix that no path begins with; write it percent-encoded"),
    ])
    func aWrongMappingIsReportedWithAHint(text: String, problem: String) {
        let error = #expect(throws: InvalidUpstream.self) { try UpstreamMapping(parsing: text) }
        #expect(error?.description == "the upstream \(text) \(problem)")
    }

    @Test func theErrorOfAWrongUpstreamURLLeavesOutItsPathPrefix() {
        let error = #expect(throws: InvalidUpstream.self) { try UpstreamMapping(parsing: "/api=localhost:1") }
        #expect(error?.description == "the upstream localhost:1 has no scheme; write http://localhost:1")
        #expect(throws: InvalidUpstream.self) { try UpstreamMapping(parsing: "/api=") }
    }
}
