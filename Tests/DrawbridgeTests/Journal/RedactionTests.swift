import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages

/// What is a secret in whatever is shown, by its name or by its form.
@Suite("Secrets in texts", .timeLimit(.minutes(5))) struct RedactionTests {
    @Test(arguments: [
        ("token=A&x=1", "token=[removed]&x=1"), ("/a?x=1&session_id=A#b", "/a?x=1&session_id=[removed]"),
        ("/a;jsessionid=A?x=1", "/a;jsessionid=[removed]"), ("a%5Bpwd%5D=A&x", "a%5Bpwd%5D=[removed]&x"),
        ("user[pwd]=A&x", "user[pwd]=[removed]&x"), ("PHPSESSID=A; path=/", "PHPSESSID=[removed]; path=/"),
        ("https://a.example/b#access_token=A&x=1", "https://a.example/b#access_token=[removed]&x=1"),
        ("next=%2Fb%3Ftoken%3DA&x=1", "next=%2Fb%3Ftoken%3D%5Bremoved%5D&x=1"),
        ("realm=\"a b\", signature=\"A B\", c", "realm=\"a b\", signature=\"[removed]\", c"),
        ("X-A: 1\r\nCookie: a=A; b=A\r\nX-B: 2", "X-A: 1\r\nCookie: [removed]\r\nX-B: 2"),
        ("Authorization: Basic A=", "Authorization: [removed]"),
        ("say bearer A.b_c=", "say bearer [removed]"),
        ("at http://ann:A@a.example/b:1:2", "at http://ann:[removed]@a.example/b:1:2"),
        ("<a><pwd type='b'>A</pwd><c>1</c></a>", "<a><pwd type='b'>[removed]</pwd><c>1</c></a>"),
        ("the eyJhbGciOi.eyJzdWIiOi.AB_-1 one", "the [removed] one"),
        (#"{"a": 1, "pin": 1234, "b"#, #"{"a": 1, "pin": [removed]"#),
        (#"{token: "A", x"#, #"{token: "[removed]"#),
        (#"asked {\"otp\":\"A\"}"#, #"asked {\"otp\":\"[removed]"#),
        (#"[{"a":{"b":"c=1&jwt=A"}}]"#, #"[{"a":{"b":"c=1&jwt=[removed]"}}]"#),
        (#"{"Cookie: A\r\nb":1}"#, #"{"Cookie: [removed]\r\nb":"[removed]"}"#),
    ]) func aTextIsShownWithoutThem(_ text: String, _ shown: String) {
        #expect(Redaction.usual.removed(fromText: text) == shown)
        #expect(Redaction.usual.removed(fromText: shown) == shown, "a second time")
    }

    @Test(arguments: [
        "", "ok", "12:30 and 9:45", "https://a.example/b?x=1&tokenCount=3&author=b", "mailto:a@b.example",
        "the password is needed", "Enter password:", "pinned=1; spinner: on", "a=b%20c&d=%7B%22e%22%3A1%7D",
        "eyJ", "J. S. Bach", "http://ann@a.example:80/b", "<pwd></pwd>", "auth://pay?x=1",
        #"{"a": {"b": [1, "c d", null]}}"#, #"{"a": 1, "b": "#,
        "\u{1F600}=\u{301}&é=ü", "a=%", "=", ":", "name=\"",
    ]) func otherTextsStayAsTheyAre(_ text: String) {
        #expect(Redaction.usual.removed(fromText: text) == text)
    }

    /// Texts that people and attackers write take a time that grows with their length alone.
    @Test(arguments: [
        "a=", "token=", "a:", "%", "a%25=", "\\\"", "bearer ", "eyJ.", "{", "name=\"a\"", "a=%7B",
        "<pwd>", "<pwd", "a://b:c@", "://",
    ])
    func longTextsAreNoTrap(_ part: String) {
        let text = String(repeating: part, count: 50_000)
        #expect(Redaction.usual.removed(fromText: text).utf8.count > 0)
    }

    @Test func aMisfitTellsNothingThatTheJournalDoesNot() throws {
        let condition = Condition.equals("x")
        let misfit = condition.misfit(ReplyInput(.string("token=A&x=1")), .usual)
        #expect(misfit == #"the input is "token=[removed]&x=1", wanted exactly "x""#)
        #expect(condition.misfit(ReplyInput(.string("token=A")), nil)?.contains("=A") == true)
    }
}
