import Drawbridge
import HTTPTypes
import Testing

@testable import DrawbridgeServer

@Suite("Fields that are forwarded to an upstream")
struct ForwardingTests {
    private static let caller = sender(address: "192.0.2.7", scheme: "https", authority: "gw.test:8443")
    private static let forwarding = Forwarding(via: Via("drawbridge-t"))
    private static let ours = ["Via: 1.1 drawbridge-t", "X-Forwarded-For: 192.0.2.7"]

    /// What goes on of these lines without what the gateway adds.
    private func kept(_ lines: [String]) throws -> [String] {
        let sent = try Self.forwarding.requestFields(fields(lines), from: Self.caller)
        let added = sent.suffix(Self.ours.count).map(\.description)
        #expect(added == Self.ours)
        return sent.dropLast(Self.ours.count).map(\.description)
    }

    @Test(arguments: [
        [], ["Accept: */*"], ["b: 2", "A: 1", "b: 1", "B: 3"], ["X-EMPTY:"],
        ["Cookie: a=1; b=2", "Cookie: c=3"],
        ["user-agent: x", "ACCEPT: y", "Sec-WebSocket-Key: z"], ["Authorization: Basic x"],
        ["X-Request-Id: 1"],
        ["Forwarded: for=_x"], ["X-Drawbridge-Other: 1"], ["Content-Type: a/b", "Content-Encoding: gzip"],
    ])
    func forwardedFieldsKeepTheirOrderNumberAndCase(lines: [String]) throws {
        #expect(try kept(lines) == lines.map { $0.hasSuffix(":") ? $0 + " " : $0 })
    }

    @Test(arguments: [
        ["Host: a"], ["host: a"], ["Expect: 100-continue"], ["X-Drawbridge-Token: t"],
        ["X-Drawbridge-Page: p"],
        ["X-Drawbridge-Path: /"], ["x-drawbridge-waits: 1"], ["X-Forwarded-Proto: gopher"],
        ["X-Forwarded-Host: evil", "x-forwarded-host: evil"], ["Connection: keep-alive"],
        ["Connection: close, Cookie, X-Forwarded-For", "Cookie: a=1", "X-Forwarded-For: 1.2.3.4"],
        ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"],
        ["Upgrade: h2c", "HTTP2-Settings: AAMAAABk"], ["TE: trailers", "Trailer: X", "Keep-Alive: 5"],
        ["Content-Length: 5"], ["Transfer-Encoding: chunked"], ["Proxy-Authorization: Basic x"],
        ["Proxy-Connection: keep-alive"], ["Connection: Via, X-Forwarded-Proto", "Via: 1.1 drawbridge-t"],
    ])
    func fieldsThatAreNotForTheUpstreamAreDropped(lines: [String]) throws {
        #expect(try kept(["A: 1"] + lines + ["B: 2"]) == ["A: 1", "B: 2"])
    }

    @Test(arguments: [
        (["X-Forwarded-For: 198.51.100.1"], "198.51.100.1, 192.0.2.7"),
        (["X-Forwarded-For: a, b", "A: 1", "x-forwarded-for: c"], "a, b, c, 192.0.2.7"),
        (["X-Forwarded-For:"], "192.0.2.7"), ([], "192.0.2.7"),
    ])
    func theCallersAddressIsAppendedToXForwardedFor(lines: [String], expected: String) throws {
        let sent = try Self.forwarding.requestFields(fields(lines), from: Self.caller)
        #expect(sent[values: HTTPField.Name("X-Forwarded-For")!] == [expected])
    }

    @Test func noAddressOrHostIsForwardedForACallerWithoutOne() throws {
        let caller = sender(address: nil, scheme: "http", authority: nil, isOldVersion: true)
        let lines = ["X-Forwarded-For: a", "X-Forwarded-Host: evil", "Via: 1.0 fred"]
        let sent = try Forwarding(via: Via("drawbridge-t"), keepsHost: true).requestFields(
            fields(lines), from: caller)
        #expect(
            sent.map(\.description) == [
                "Via: 1.0 fred", "Via: 1.0 drawbridge-t", "X-Forwarded-For: a", "X-Forwarded-Proto: http",
            ])
    }

    /// A server compares its own name with the others that it gets; so it gets the gateway's everywhere, or nowhere.
    @Test func originAndRefererNameTheGatewayOnlyIfTheHostIsKept() throws {
        let lines = [
            "Origin: https://gw.test:8443", "Referer: https://gw.test:8443/api/x?q", "Host: gw.test:8443",
        ]
        let kept = try Forwarding(via: Via("drawbridge-t"), keepsHost: true).requestFields(
            fields(lines), from: Self.caller)
        #expect(
            kept.map(\.description) == lines.dropLast() + Self.ours + [
                "X-Forwarded-Proto: https", "X-Forwarded-Host: gw.test:8443",
            ])
        let mapping = OutwardMapping(
            mapping: try UpstreamMapping(parsing: "/api=http://h:81/v2"), caller: Self.caller)
        let sent = try Self.forwarding.requestFields(fields(lines), from: Self.caller, mapping: mapping)
        #expect(
            sent.map(\.description) == ["Origin: http://h:81", "Referer: http://h:81/v2/x?q"] + Self.ours)
    }

    @Test(
        arguments: [
            ("Origin", "https://gw.test:8443", "http://h:81"),
            ("Origin", "HTTPS://GW.test:8443", "http://h:81"),
            ("Origin", "https://gw.test", nil), ("Origin", "http://gw.test:8443", nil),
            ("Origin", "null", nil),
            ("Origin", "https://gw.test:8443.evil", nil), ("Referer", "https://gw.test:8443", "http://h:81/"),
            (
                "Referer", "https://gw.test:8443/a?b=https://gw.test:8443/",
                "http://h:81/a?b=https://gw.test:8443/"
            ),
            ("Referer", "https://other.test/https://gw.test:8443/", nil), ("Referer", "/a", nil),
            ("Destination", "https://gw.test:8443/b", "http://h:81/b"),
            ("Ping-To", "https://gw.test:8443/p", "http://h:81/p"),
            ("Ping-From", "https://gw.test:8443/", "http://h:81/"),
        ] as [(String, String, String?)])
    func fieldsWithTheGatewaysAddressAreRewrittenToTheUpstreams(
        name: String, value: String, expected: String?
    ) throws {
        let mapping = OutwardMapping(
            mapping: try UpstreamMapping(parsing: "http://h:81"), caller: Self.caller)
        let sent = try Self.forwarding.requestFields(
            fields(["\(name): \(value)"]), from: Self.caller, mapping: mapping)
        #expect(sent.first?.value == expected ?? value)
    }

    @Test func fieldsAboutTheCallerCanBeLeftUnchanged() throws {
        let lines = [
            "X-Forwarded-For: a", "X-Forwarded-Host: b", "X-Forwarded-Proto: c", "X-Forwarded-For: d",
        ]
        let forwarding = Forwarding(via: Via("drawbridge-t"), tellsCaller: false)
        let sent = try forwarding.requestFields(fields(lines), from: Self.caller)
        #expect(sent.map(\.description) == lines + ["Via: 1.1 drawbridge-t"])
    }

    @Test(arguments: [
        (false, "gw.test:8443", "h:81"), (true, "gw.test:8443", "gw.test:8443"), (true, nil, "h:81"),
    ])
    func theHostFieldNamesTheUpstreamUnlessItIsKept(keepsHost: Bool, authority: String?, host: String) throws
    {
        let caller = sender(address: nil, scheme: "http", authority: authority)
        #expect(
            try Forwarding(via: Via(), keepsHost: keepsHost).host(
                at: UpstreamURL("http://h:81/x"), for: caller) == host)
    }

    @Test func bytesThatAreNotUTF8AreForwardedUnchanged() throws {
        let bytes: [UInt8] = [0x61, 0xE9, 0x62]
        let sent = Self.forwarding.requestFields(
            HTTPFields([HTTPField(name: .userAgent, value: bytes)]), from: Self.caller)
        #expect(sent[fields: .userAgent].first?.withUnsafeBytesOfValue(Array.init) == bytes)
    }

    @Test(arguments: [
        (["Via: 1.1 drawbridge-t"], true), (["Via: 1.1 fred, 1.0 drawbridge-t (us)"], true),
        (["Via: 1.1 fred", "via: HTTP/1.1\tdrawbridge-t"], true),
        (["Via: 1.1 a,1.1 drawbridge-t,1.1 b"], true),
        (["Connection: Via", "Via: 1.1 drawbridge-t"], true), (["Via: 1.1 drawbridge-tt"], false),
        (["Via: 1.1 drawbridge-other"], false), (["Via: 1.1 fred (drawbridge-t)"], false),
        (["Via: drawbridge-t"], false), (["X-Via: 1.1 drawbridge-t"], false), (["Via:"], false), ([], false),
    ])
    func aRequestThatPassedThisGatewayIsRecognizedByVia(lines: [String], isNamed: Bool) throws {
        #expect(try Via("drawbridge-t").isNamed(in: fields(lines)) == isNamed)
    }

    @Test func aGatewayRecognizesOnlyItsOwnForwardedRequests() {
        let (via, another) = (Gateway().via, Gateway().via)
        let sent = Forwarding(via: via).requestFields([:], from: Self.caller)
        #expect(via.isNamed(in: sent))
        #expect(!another.isNamed(in: sent))
        #expect(sent[.via]?.contains(/^1\.1 drawbridge-[0-9a-f]{32}$/) == true)
    }
}

/// Header fields of lines `Name: value`.
func fields(_ lines: [String]) throws -> HTTPFields {
    try HTTPFields(
        lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPField(name: try #require(HTTPField.Name(String(parts[0]))), value: String(parts[1]))
        })
}

/// A request of this caller.
func sender(address: String?, scheme: String, authority: String?, isOldVersion: Bool = false) -> Request {
    let head = RequestHead(
        .get, scheme: scheme, authority: authority, target: "/", headers: [:], isOldVersion: isOldVersion)
    return Request(head, remoteAddress: address)
}
