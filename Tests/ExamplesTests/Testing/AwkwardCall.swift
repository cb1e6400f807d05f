import Drawbridge
import Testing

/// A call that a shell, curl or a language could read as something else than it is.
struct AwkwardCall: Sendable {
    let title: String
    let method: String
    /// Path and query, as they are sent.
    let target: String
    let type: String?
    let body: [UInt8]?

    private init(
        _ title: String, _ method: String, _ target: String, _ type: String?, _ body: [UInt8]?
    ) {
        (self.title, self.method, self.target, self.type, self.body) = (title, method, target, type, body)
    }

    /// A flagged request with a body.
    private static func sends(
        _ title: String, _ body: String, as type: String? = "application/json", to path: String = "/pay",
        by method: String = "POST", query: String = ""
    ) -> Self {
        .init(title, method, "\(path)?\(query)_mobile_bridge=1", type, Array(body.utf8))
    }

    /// A flagged request with bytes that are not text.
    private static func bytes(_ title: String, _ body: [UInt8], as type: String?) -> Self {
        .init(title, "POST", "/pay?_mobile_bridge=1", type, body)
    }

    /// A flagged request without a body.
    private static func asks(
        _ title: String, _ path: String, query: String = "", by method: String = "GET"
    ) -> Self {
        .init(title, method, "\(path)?\(query)_mobile_bridge=1", nil, nil)
    }

    /// A call whose name is in the body, where it may be any text.
    private static func calls(_ title: String, _ name: String) -> Self {
        let body: JSON = ["action": .string(name), "data": ["a": 1]]
        return .init(title, "POST", "/__jsbridge__", "application/json", body.bytes)
    }

    private static func nested(_ open: String, _ close: String) -> String {
        String(repeating: open, count: 90) + "1" + String(repeating: close, count: 90)
    }

    static let all = inputs + bodies + requests + names

    /// What JSON may say.
    private static let inputs: [Self] = [
        sends("single quotes", #"{"a": "it's '' '", "b'": 1}"#),
        sends("a single quote with an accent", "{\"a\": \"'\u{301}; touch x; '\u{301}\"}"),
        sends("double quotes", #"{"a": "\"x\"", "\"": 1}"#),
        sends("backslashes", #"{"a": "\\ \\\\ \\n \\u0041", "\\": "\\"}"#),
        sends("substitutions", #"{"a": "$(touch x)", "$(touch y)": "${HOME} $HOME"}"#),
        sends("backticks", #"{"`touch x`": "`touch y`"}"#),
        sends("the end of a command", #"{"a": "'; touch x #", "b": "\"; touch y; #"}"#),
        sends("an option", #""-o""#),
        sends("a file", #""@/etc/passwd""#),
        sends("formats", #"{"a": "%s%n%d%%", "%": "%1$s"}"#),
        sends("line ends", "{\"a\":\n1,\r\n\"b\": \"x\\ny\\r\\n\"}\r"),
        sends("tabs", "{\t\"a\":\t\"\\t\"}"),
        sends("escaped controls", #"{"a": "\u0000\u0007\u001b[31m", "\u0000": "\u001f"}"#),
        sends(
            "DEL, and controls beyond ASCII", "{\"a\": \"\u{7F}\u{85}\u{9B}31m\", \"\u{7F}\": \"\\u007f\"}"),
        sends("U+2028 and U+2029", "{\"a\": \"\u{2028}\u{2029}\", \"\u{2028}\": 1}"),
        sends("emoji", #"{"👩‍👩‍👧": "😀🇩🇪", "e": "\ud83d\ude00"}"#),
        sends("turned lines", "{\"a\": \"\u{202E}evil\u{202C} \u{2066}x\u{2069}\u{200F}\", \"\u{FEFF}\": 1}"),
        sends("half a pair of surrogates", #"{"a": "\ud800", "b": "x\udc00y"}"#),
        sends("deep arrays", nested("[", "]")),
        sends("deep objects", nested("{\"a\":", "}")),
        sends("many members", "{\((0..<300).map { "\"k\($0)'\": \"v\\\\\($0)\"" }.joined(separator: ","))}"),
        sends("many elements", "[\((0..<1500).map(String.init).joined(separator: ","))]"),
        sends("big numbers", #"{"a": 12345678901234567890123, "b": 1e308, "c": -0, "d": 1e-400, "e": 1.0}"#),
        sends("what objects inherit from", #"{"__proto__": {"a": 1}, "constructor": 1, "toString": null}"#),
        sends("words of languages", #"{"True": "True", "None": null, "class": true, "NaN": "undefined"}"#),
        sends("the end of a script", #"{"a": "</script><script>alert(1)</script><!--", "<b>": "]]>"}"#),
        sends("templates", ##"{"a": "${x}", "b": "{x}", "#{x}": "{{uuid}}", "`": "${process.exit()}"}"##),
        sends("words of replies", #"{"$silence": true, "$reply": 1}"#, to: "/bare"),
        sends("templates beside words of replies", #"{"$a": "{{nothing}} {{uuid}}"}"#, to: "/bare"),
        sends("an error with quotes", #"{"text": "'; touch x #`$(touch y)\n\u0000"}"#, to: "/fails"),
        sends("an error with templates", #"{"text": "{{uuid}} {{{nothing}}}"}"#, to: "/fails"),
    ]

    /// What bodies may be.
    private static let bodies: [Self] = [
        bytes("all bytes", Array(0...255), as: "application/octet-stream"),
        bytes("all bytes, as JSON", Array(0...255), as: "application/json"),
        bytes("NUL", [0x61, 0, 0x62, 1], as: "text/plain"),
        sends("a text", #"It's a text, 100%: "$HOME" `x` \"#, as: "text/plain"),
        sends("a text like an option", "--output=x", as: "text/plain"),
        sends("lines like an option", "-o\nx\n\\055%s%n", as: "text/plain"),
        sends("a text like a file", "@/etc/passwd", as: "text/plain"),
        sends("CR alone", "a\rb", as: "text/plain"),
        sends("a text without a type", "some text", as: nil),
        sends("a number without a type", "17", as: nil),
        sends("a number as a form", "17", as: "application/x-www-form-urlencoded"),
        sends("blanks before JSON without a type", #" {"a": 1}"#, as: nil),
        sends("a form", "a=1&b=%20+x&a=2&c&=d&%00=%0A", as: "application/x-www-form-urlencoded"),
        sends("an odd form", "@a='&b=$(touch x)&c=%zz&&;", as: "application/x-www-form-urlencoded"),
        sends(
            "parts", "--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--\r\n",
            as: "multipart/form-data; boundary=x"),
        sends("a type with quotes", "a=1", as: "text/plain; x='$(touch x)'\\\"`touch y`"),
        sends("no JSON", #"{'a': "#),
        sends("nothing", ""),
        sends("null", "null"),
        sends("a mark of the byte order", "\u{FEFF}{\"a\": 1}"),
    ]

    /// What is before bodies.
    private static let requests: [Self] = [
        asks("no input", "/pay"),
        asks("marks in a query", "/pay", query: "a=%23&b=%3F&%26=%2B+x&c=%00&d=%2F&e=%25&"),
        asks("a shell's words in a query", "/pay", query: "a=$(touch%20x)&b=;touch&c=!*&d=[1-3]{a,b}&e=~&"),
        asks("what curl counts up", "/a[1-3]{b,c}"),
        asks("a call without a body", "/pay", by: "POST"),
        asks("a call to delete", "/pay", by: "DELETE"),
        asks("a call for the head", "/pay", by: "HEAD"),
        sends("a call to put", #"{"a": 1}"#, by: "PUT"),
        sends("a call to delete, with a body", #"{"a": 1}"#, by: "DELETE"),
        sends("a call to get, with a body", #"{"a": 1}"#, by: "GET"),
        sends("a method of its own", #"{"a": 1}"#, by: "X-PAY!$"),
        sends("query and body", #"{"a": 1}"#, query: "b=2&a=3&"),
    ]

    /// What names may be.
    private static let names: [Self] = [
        sends("a name in parts", "{}", to: "/a/b"), sends("a name with a dot", "{}", to: "/ns.method"),
        sends("a name like an option", "{}", to: "/-o"), sends("an encoded slash", "{}", to: "/a%2Fb"),
        sends("an encoded NUL", "{}", to: "/a%00b"), sends("an encoded line end", "{}", to: "/a%0D%0Ab"),
        sends("encoded marks", "{}", to: "/a%3Fb%23c%26%2B+d%2525"),
        sends("an encoded quote", "{}", to: "/%27%3B%20touch%20x%20%23"),
        sends("a shell's words in a path", "{}", to: "/';touch$IFS$x;!*(a)'"),
        sends("no UTF-8", "{}", to: "/a%FFb"),
        sends("letters beyond ASCII", "{}", to: "/z%C3%BCrich/%E6%94%AF"),
        sends("dots", "{}", to: "/a/../b/."), sends("encoded dots", "{}", to: "/a/%2e%2e/b"),
        sends("empty parts", "{}", to: "//a//b/"), sends("no name", "{}", to: "/"),
        sends("a pattern", "{}", to: "/:id/*"), sends("stars between parts", "{}", to: "/a/*/b"),
        calls("a name with a quote", "it's"), calls("a name with a command", "'; touch x #"),
        calls("a name with substitutions", "$(touch x)`touch y`"),
        calls("a name like a file", "@/etc/passwd"),
        calls("a name with a format", "%s%n"), calls("a name with line ends", "a\nb\r\nc\td"),
        calls("a name with controls", "a\0b\u{7F}\u{1B}"),
        calls("a name that turns the line", "a\u{2028}b\u{202E}"),
        calls("a name of emoji", "😀👩‍👩‍👧"), calls("a name with marks", "a?b=1&c#d+e%20%2F"),
        calls("a name that leads up", "../../etc/passwd"), calls("a name that ends a script", "</script>"),
        calls("a name with templates", "x${x}{x}{{input}}"), calls("a name with backslashes", #"a\b\"#),
        calls("a name of JavaScript's", "__proto__"), calls("a name of Python's", "True"),
        calls("a name like a test", "def test(native): pass"), calls("a name with blanks", " pay "),
        calls("a name like ours", "__drawbridge__/calls"),
        calls("a name like the bridge's", "__jsbridge__/pay"),
        calls("a name with the flag", "pay?_mobile_bridge=1"),
    ]
}
