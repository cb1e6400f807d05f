import Testing

@testable import Drawbridge
@testable import DrawbridgeDocuments
@testable import DrawbridgePageRuntime

@Suite("Content security policies and the page runtime")
struct ContentSecurityPolicyTests {
    private static let socket = "ws://localhost:8080"
    private static let connections = "'self' \(socket)"

    /// What becomes of the policies in one field, and the nonce of the tag.
    private func opened(_ text: String) -> (text: String, access: RuntimeAccess) {
        let bytes = Array(text.utf8)
        let access = RuntimeAccess(ContentSecurityPolicy.list(bytes), socket: Self.socket)
        return (String(decoding: access.opened(bytes) ?? bytes, as: UTF8.self), access)
    }

    @Test(arguments: [
        "", " ", ";", ",", "img-src 'none'", "sandbox allow-scripts; object-src 'none'",
        "upgrade-insecure-requests",
        "script-src 'self'", "script-src 'SELF'", "script-src *", "script-src-elem 'self'; script-src 'none'",
        "default-src *", "default-src 'self' ws:", "default-src 'self' ws://localhost:8080",
        "connect-src *", "connect-src 'self' ws:", "connect-src WS://LOCALHOST:8080 'Self'",
        "default-src 'none'; script-src 'self'; connect-src *", "frame-ancestors 'none'", "report-uri /csp",
        "require-trusted-types-for 'script'", "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "script-src 'nonce-abc'", "script-src 'nonce-abc' 'strict-dynamic'", "script-src 'none' 'self'",
        "script-src 'self'; script-src 'none'", "worker-src 'none'; script-src-attr 'none'", "x-y z",
        "  script-src\t'self' ;; ", "script-src 'nonce-abc', script-src 'nonce-abc' https:",
    ])
    func sufficientPoliciesStayUnchanged(policy: String) { #expect(opened(policy).text == policy) }

    @Test(arguments: [
        // Scripts.
        ("script-src 'none'", "script-src 'self'"), ("script-src", "script-src 'self'"),
        ("script-src 'NONE' ;img-src x", "script-src 'self';img-src x"),
        ("script-src https://cdn.example", "script-src https://cdn.example 'self'"),
        ("script-src 'unsafe-inline'", "script-src 'unsafe-inline' 'self'"),
        ("script-src 'sha256-abc='", "script-src 'sha256-abc=' 'self'"),
        ("script-src 'none'; script-src-elem https:", "script-src 'none'; script-src-elem https: 'self'"),
        ("img-src x; SCRIPT-SRC  a\n b ; font-src y", "img-src x; SCRIPT-SRC a b 'self'; font-src y"),
        ("script-src a; script-src b", "script-src a 'self'; script-src b"),
        ("script-src a, script-src b", "script-src a 'self', script-src b 'self'"),
        // Connections.
        ("connect-src 'none'", "connect-src \(connections)"), ("connect-src", "connect-src \(connections)"),
        ("connect-src 'self'", "connect-src \(connections)"),
        ("connect-src ws:", "connect-src ws: 'self'"),
        ("connect-src wss:", "connect-src wss: \(connections)"),
        ("connect-src ws://localhost:8081", "connect-src ws://localhost:8081 \(connections)"),
        ("connect-src https://api.example", "connect-src https://api.example \(connections)"),
        ("connect-src a; default-src 'self'", "connect-src a \(connections); default-src 'self'"),
        // What falls back.
        ("default-src 'none'", "default-src 'none'; script-src 'self'; connect-src \(connections)"),
        ("default-src", "default-src; script-src 'self'; connect-src \(connections)"),
        ("default-src 'none';", "default-src 'none'; script-src 'self'; connect-src \(connections)"),
        ("default-src 'self'", "default-src 'self'; connect-src \(connections)"),
        (
            "default-src https: data:",
            "default-src https: data:; script-src https: data: 'self'; connect-src https: data: \(connections)"
        ),
        (
            "default-src 'none'; script-src 'self'",
            "default-src 'none'; script-src 'self'; connect-src \(connections)"
        ),
        ("default-src 'none'; connect-src *", "default-src 'none'; connect-src *; script-src 'self'"),
        (
            "default-src 'none', img-src x",
            "default-src 'none'; script-src 'self'; connect-src \(connections), img-src x"
        ),
        (
            "default-src ws: 'unsafe-inline'",
            "default-src ws: 'unsafe-inline'; script-src ws: 'unsafe-inline' 'self'; "
                + "connect-src ws: 'unsafe-inline' 'self'"
        ),
        // A nonce of another form is not taken for one.
        ("script-src 'nonce-a b'", "script-src 'nonce-a b' 'self'"),
        ("script-src 'nonce-'", "script-src 'nonce-' 'self'"),
        ("script-src 'nonce-\"><x'", "script-src 'nonce-\"><x' 'self'"),
        ("script-src nonce-abc", "script-src nonce-abc 'self'"),
    ])
    func policiesGetTheSourcesThatTheyLack(policy: String, result: String) {
        #expect(opened(policy).text == result)
        #expect(opened(result).text == result)
        #expect(opened(policy).access.nonce == nil)
    }

    @Test(arguments: [
        ("script-src 'nonce-abc'", "script-src 'nonce-abc'", "abc"),
        ("script-src 'self' 'NONCE-aB+/_-=='", "script-src 'self' 'NONCE-aB+/_-=='", "aB+/_-=="),
        (
            "script-src 'strict-dynamic' 'nonce-a' 'nonce-b'",
            "script-src 'strict-dynamic' 'nonce-a' 'nonce-b'", "a"
        ),
        ("default-src 'nonce-a'", "default-src 'nonce-a'; connect-src 'nonce-a' \(connections)", "a"),
        (
            "script-src-elem 'nonce-a'; script-src 'nonce-b'",
            "script-src-elem 'nonce-a'; script-src 'nonce-b'", "a"
        ),
        (
            "script-src 'nonce-a', script-src 'nonce-b'",
            "script-src 'nonce-a', script-src 'nonce-b' 'nonce-a'", "a"
        ),
        (
            "script-src 'nonce-a', script-src 'NONCE-A'",
            "script-src 'nonce-a', script-src 'NONCE-A' 'nonce-a'", "a"
        ),
        ("script-src https:, script-src 'nonce-b'", "script-src https: 'self', script-src 'nonce-b'", "b"),
        (
            "script-src 'strict-dynamic' 'sha256-x', script-src 'nonce-b'",
            "script-src 'strict-dynamic' 'sha256-x' 'nonce-b', script-src 'nonce-b'", "b"
        ),
        (
            "script-src 'unsafe-inline', script-src 'nonce-b'",
            "script-src 'unsafe-inline' 'self', script-src 'nonce-b'",
            "b"
        ),
    ])
    func oneNonceSatisfiesAllPolicies(policy: String, result: String, nonce: String) {
        let (text, access) = opened(policy)
        #expect(text == result)
        #expect(access.nonce == nonce)
        #expect(!access.hasOwnNonce)
    }

    @Test(arguments: [
        ("script-src 'strict-dynamic'", "script-src 'strict-dynamic' 'nonce-NONCE'"),
        (
            "script-src 'sha256-x' 'Strict-Dynamic' https:",
            "script-src 'sha256-x' 'Strict-Dynamic' https: 'nonce-NONCE'"
        ),
        (
            "default-src 'strict-dynamic'; connect-src *",
            "default-src 'strict-dynamic'; connect-src *; script-src 'strict-dynamic' 'nonce-NONCE'"
        ),
        (
            "script-src 'strict-dynamic', script-src 'self'",
            "script-src 'strict-dynamic' 'nonce-NONCE', script-src 'self'"
        ),
    ])
    func aNonceIsAddedWhereThePolicyAllowsNoScriptOtherwise(policy: String, result: String) throws {
        let (text, access) = opened(policy)
        let nonce = try #require(access.nonce)
        #expect(access.hasOwnNonce)
        #expect(nonce.count == 32)
        #expect(nonce != opened(policy).access.nonce)
        #expect(text == result.replacing("NONCE", with: nonce))
    }

    @Test(arguments: [
        ("localhost:8080", "ws://localhost:8080"), ("LocalHost", "ws://localhost"),
        ("127.0.0.1:1", "ws://127.0.0.1:1"),
        ("my_host.local:80", "ws://my_host.local"), ("[::1]:8080", nil), ("a;b", nil), ("a,b", nil),
        ("", nil),
        ("a'b", nil), (nil, nil),
    ])
    func theWebSocketOriginComesFromTheHost(authority: String?, socket: String?) {
        #expect(Request("/", authority: authority).socketOrigin == socket)
    }

    @Test func policiesInMetaElementsNeedNoNonce() {
        let access = RuntimeAccess([], socket: nil)
        #expect(access.opened(Array("script-src 'strict-dynamic' 'nonce-a'".utf8)) == nil)
        #expect(
            access.opened(Array("script-src 'nonce-a'".utf8)) == Array("script-src 'nonce-a' 'self'".utf8))
        #expect(access.opened(Array("connect-src".utf8)) == Array("connect-src 'self'".utf8))
        let bytes: [UInt8] = Array("default-src 'none' ".utf8) + [0xC4, 0xE3] + Array("; x ".utf8) + [0xFF]
        let added =
            Array("; script-src ".utf8) + [0xC4, 0xE3] + Array(" 'self'; connect-src ".utf8) + [0xC4, 0xE3]
        #expect(access.opened(bytes) == bytes + added + Array(" 'self'".utf8))
    }
}
