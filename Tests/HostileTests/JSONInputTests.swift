import Drawbridge
import TestSupport
import Testing

/// Invalid JSON, or JSON that no value of Swift can hold (RFC 8259); more texts are tried in `JSONParserTests`.
@Suite("Hostile 21: hostile JSON is a clear 400 in the envelope", .timeLimit(.minutes(5)))
struct JSONInputTests {
    private struct Number: JSONHandler {
        struct Input: Decodable { var n: Int }

        func handle(_ input: Input) async throws -> Int { input.n }
    }

    private struct Fraction: JSONHandler {
        struct Input: Decodable { var n: Double }

        func handle(_ input: Input) async throws -> Double { input.n }
    }

    private struct Text: JSONHandler {
        struct Input: Decodable { var n: String }

        func handle(_ input: Input) async throws -> String { input.n }
    }

    private static func nested(_ open: String, _ close: String) -> [UInt8] {
        Array((String(repeating: open, count: 100_000) + "1" + String(repeating: close, count: 100_000)).utf8)
    }

    private static func member(_ value: String) -> [UInt8] { Array(#"{"n":\#(value)}"#.utf8) }

    private static let texts: [(name: String, body: [UInt8], reason: String)] = [
        ("arrays, 100,000 deep", nested("[", "]"), "the body is not JSON: line 1, column "),
        ("objects, 100,000 deep", nested(#"{"n":"#, "}"), "the body is not JSON: line 1, column "),
        ("100,000 that open", Array(String(repeating: "[", count: 100_000).utf8), "the body is not JSON"),
        ("duplicate keys", Array(#"{"n":1,"n":2}"#.utf8), #"two members with the name "n""#),
        (
            "duplicate keys, one escaped", Array(#"{"n":1,"\u006e":2}"#.utf8),
            #"two members with the name "n""#
        ),
        ("invalid UTF-8", Array(#"{"n":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8), "not UTF-8"),
        ("half of a character", Array(#"{"n":""#.utf8) + [0xF0, 0x9F] + Array(#""}"#.utf8), "not UTF-8"),
        (
            "a surrogate in UTF-8", Array(#"{"n":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8),
            "not UTF-8"
        ),
        ("UTF-16", [0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "UTF-8"),
        ("NaN", member("NaN"), "expected a value"), ("Infinity", member("Infinity"), "expected a value"),
        ("-Infinity", member("-Infinity"), "expected a digit"),
        ("a trailing comma", Array(#"{"n":1,}"#.utf8), "expected the name of a member"),
        ("a trailing comma in an array", Array("[1,]".utf8), "expected a value after ','"),
        ("a comment", Array(#"{/**/"n":1}"#.utf8), "expected"),
        ("a control character", member("\"a\u{01}b\""), "control character"),
        ("a NUL behind it", member("1") + [0], "nothing after the value"),
        ("two values", member("1") + member("2"), "nothing after the value"),
        ("an open string", Array(#"{"n":"a"#.utf8), "does not end"),
        ("an open object", Array("{".utf8), "the end"),
    ]

    @Test(arguments: texts.indices) func invalidJSONIsRefusedWithTheReason(_ index: Int) async throws {
        let (name, body, reason) = Self.texts[index]
        for target in ["/text?_mobile_bridge=1", "/__jsbridge__/text", "/__jsbridge__"] {
            try await Self.isRefused(target, body, reason, name)
        }
    }

    /// What is JSON, and too much for the type that the handler asks for.
    @Test(arguments: [
        ("/number", "1e999"), ("/number", "-1e999"), ("/number", "1e-999"),
        ("/number", "9223372036854775808"),
        ("/number", "1.5"), ("/number", "1e99999999999999999999"), ("/fraction", "1e999"),
        ("/fraction", "-1e999"),
        ("/fraction", "1e99999999999999999999"), ("/number", "null"), ("/number", "\"9\\u0000\""),
        ("/text", "1"),
    ])
    func aNumberThatNoTypeHoldsIsRefusedWithItsField(_ path: String, _ value: String) async throws {
        try await Self.isRefused("\(path)?_mobile_bridge=1", Self.member(value), "n", value)
    }

    @Test(arguments: ["/number", "/fraction"]) func eightMegabytesOfDigitsAreRefusedToo(_ path: String)
        async throws
    {
        let digits = [UInt8](repeating: UInt8(ascii: "9"), count: (8 << 20) - 6)
        let body = Array(#"{"n":"#.utf8) + digits + Array("}".utf8)
        try await Self.isRefused("\(path)?_mobile_bridge=1", body, "n", "8 MB of digits")
    }

    private static func isRefused(_ target: String, _ body: [UInt8], _ reason: String, _ name: String)
        async throws
    {
        let gateway = Gateway.quiet()
        try gateway.register(Number.self, at: "/number")
        try gateway.register(Fraction.self, at: "/fraction")
        try gateway.register(Text.self, at: "/text")
        try await serving(gateway) { port in
            let replies = try await replies(port, post(target, body))
            #expect(replies.map(\.status) == [200], "\(name)")
            let envelope = try JSON(parsing: replies[0].body)
            #expect(envelope["code"] == 400, "\(name)")
            let message = try #require(envelope["message"]?.stringValue)
            #expect(message.contains(reason) && message.utf8.count < 400, "\(name): \(message)")
        }
    }
}
