import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// What is wrong in a text of replies is told with its place, and what to do about it.
@Suite("Reading mocks") struct ReplyReaderTests {
    private static func fault(_ text: String) throws -> ReplyFault {
        try #require(throws: ReplyFault.self) {
            try ReplyFile(LocatedJSON(parsing: Array(text.utf8)))
        }
    }

    /// A reply for `a`, and the end of what is said about it.
    @Test(arguments: [
        (#"{"$replay": 1}"#, "replies.a.$replay: unknown keyword $replay (did you mean $reply?)"),
        (#"{"$xyzzy": 1}"#, "there are $reply, $text, $error"),
        (
            #"{"$reply": 1, "$error": {"code": 1}}"#,
            "replies.a: $reply and $error cannot be used together; keep one"
        ),
        (#"{"$delay": 1}"#, #"replies.a: the answer is missing: add "$reply": …"#),
        (#"{"nick": "Ann", "$delay": 1}"#, #"replies.a.nick: nick cannot be combined with keywords"#),
        (#"{"$reply": 1, "$delay": -1}"#, "replies.a.$delay: $delay is milliseconds"),
        (#"{"$reply": 1, "$delay": [5, 1]}"#, "[100, 900]"),
        (#"{"$reply": 1, "$delay": 86400001}"#, "up to a day"),
        (#"{"$reply": 1, "$when": {}}"#, "replies.a.$when: $when is only allowed in a case"),
        (
            #"{"$reply": "{{inptu.a}}"}"#,
            "replies.a.$reply: unknown template {{inptu.a}}; there are {{input}}"
        ),
        (#"{"$silence": false}"#, "replies.a.$silence: $silence is true or not there"),
        (#"{"$error": 5}"#, #"$error is an object, such as {"code": 1001"#),
        (#"{"$error": {}}"#, "an $error needs a code"),
        (#"{"$error": {"code": "x"}}"#, "replies.a.$error.code: the code of an $error is a whole number"),
        (#"{"$error": {"code": 1, "why": 2}}"#, "and no why; put it into data"),
        (#"{"$sequence": []}"#, "$sequence is an array of replies"),
        (#"{"$sequence": [1, {"$replay": 2}]}"#, "replies.a.$sequence[1].$replay: unknown keyword $replay"),
        (#"{"$pass": true, "$delay": 5}"#, "$delay cannot be combined with $pass"),
        (#"{"$missing": true, "$delay": 5}"#, "combined with $missing; leave one of them out"),
        (#"{"$sequence": [1], "$delay": 5}"#, "combined with $sequence; write it into each of its replies"),
        (#"{"$ask": 5}"#, "$ask is a text that the tester reads"), (#"{"$ask": "?"}"#, "$ask needs $choices"),
        (#"{"$ask": "?", "$choices": {}}"#, "$ask needs $choices"),
        (
            #"{"$ask": "?", "$choices": {"a": {"$replay": 1}}}"#,
            "replies.a.$choices.a.$replay: unknown keyword"
        ),
        (#"{"$ask": "?", "$choices": {"a": 1}, "$delay": 1}"#, "write it into each of $choices"),
        (#"{"$reply": 1, "$within": 1}"#, "$within is only allowed with $ask"),
        (#"{"$reply": 1, "$every": 1}"#, "$every needs $progress"),
        (#"{"$reply": 1, "$progress": 5}"#, "$progress is an array"),
        (#"{"$reply": 1, "$then": {}}"#, "steps are an array"),
        (
            #"{"$reply": 1, "$then": [{"call": "a", "emit": "b"}]}"#,
            "a step has one of call, emit and scenario"
        ),
        (#"{"$reply": 1, "$then": [{"scenario": "a", "data": 1}]}"#, "has scenario, on, after, and no data"),
        (
            #"{"$reply": 1, "$then": [{"call": "a", "after": -1}]}"#,
            "replies.a.$then[0].after: it is milliseconds"
        ),
        (#"{"$response": {"status": 304}}"#, "a status is a number from 200 to 599"),
        (#"{"$response": {"json": 1, "body": "x"}}"#, "json, body and file cannot be combined; keep one"),
        (#"{"$response": {"body": 5}}"#, "body is a text; for any other value use json"),
        (#"{"$response": {"headers": {"Content-Length": "5"}}}"#, "a reply cannot set Content-Length"),
        (#"{"$response": {"headers": {"Access-Control-Allow-Origin": "*"}}}"#, "cannot set Access-Control"),
        (#"{"$response": {"headers": {"A": "x\r\ny"}}}"#, "header field is a text in one line"),
        (#"{"$response": {"headers": {"A B": "x"}}}"#, "A B is not the name of a header field"),
        (#"{"$response": {"text": 1}}"#, "and no text"),
        (#"{"$cases": {}}"#, "$cases is an array of replies"),
        (
            #"{"$cases": [{"$reply": 1}, {"$when": {"a": 1}, "$reply": 2}]}"#,
            "replies.a.$cases[1]: the case before"
        ),
        (
            #"{"$cases": [{"$when": {"a": {"$mach": "x"}}, "$reply": 2}]}"#,
            "replies.a.$cases[0].$when.a.$mach: $when has no keyword $mach; did you mean $match?"
        ),
        (#"{"$cases": [{"$when": {"a": {"$match": 5}}, "$reply": 2}]}"#, "$match is a text"),
        (
            #"{"$cases": [{"$when": {"a": {"$match": "x", "b": 1}}, "$reply": 2}]}"#,
            "must be the only member of its object"
        ),
        (#"{"$cases": [{"$when": {"a": {"$exists": 1}}, "$reply": 2}]}"#, "$exists is true or false"),
    ])
    func eachMistakeInAMockIsReportedInASentence(_ reply: String, _ expected: String) throws {
        let fault = try Self.fault(#"{"replies": {"a": \#(reply)}}"#)
        #expect("\(fault)".contains(expected), "\(fault)")
    }

    @Test func aMistakesLineAndColumnAreThoseOfTheKey() throws {
        let fault = try Self.fault(
            """
            {
              // "replies": is a comment, with a " in it
              "$schema": "http://example.com/a", // and another
              "replies": {
                "ok": "http://no.comment",
                "pay": {"$cases": [
                    {"$when": {"channel": "alipay"}, "$reply": 1},
                    {"$replay": 2}
                ]}
              }
            }
            """)
        #expect(fault.line == 8)
        #expect(fault.column == 10)
        #expect(fault.key == "replies.pay.$cases[1].$replay")
    }

    @Test func invalidJSONIsReportedWithItsPlace() throws {
        #expect("\(try Self.fault("{\n  \"replies\": {,}\n}"))".hasPrefix("line 2, column 15: "))
        #expect("\(try Self.fault("[]"))".contains("a file of replies is an object"))
        #expect(
            "\(try Self.fault(#"{"replies": []}"#))".hasPrefix(
                "line 1, column 2, replies: replies are an object"))
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(throws: ReplyFault.self) { try LocatedJSON(parsing: Array(deep.utf8)) }
    }

    @Test(arguments: [
        (#"{"a/*/b": 1}"#, "* is allowed only"), (#"{"*/b": 1}"#, "only at the end of a name"),
        (#"{"$reply": 1}"#, "$reply is a keyword, not the name of a call"),
        (#"{"a": 1, "/a": 2}"#, "/a and a are the same name"),
        (#"{"user/:id": 1, "user/:name": 2}"#, "are the same name"),
    ])
    func anInvalidNameOfAMockIsReported(_ replies: String, _ expected: String) throws {
        let fault = try Self.fault(#"{"replies": \#(replies)}"#)
        #expect("\(fault)".contains(expected), "\(fault)")
    }

    /// Where a word was forgotten around a value, that is right, and said all the same.
    @Test(
        arguments: [
            (
                #"[{"$when": {"a": 1}, "$reply": 1}, {"$reply": 2}]"#,
                "replies.a: this array is sent unchanged"
            ),
            (
                #"{"code": 0, "data": {"$delay": 5, "$reply": 1}}"#,
                "replies.a.data.$delay: $delay is sent unchanged"
            ),
            (
                #"{"receipt": "no {{input.orderNo}}"}"#,
                "replies.a.receipt: {{…}} is sent unchanged here"
            ),
            (
                #"{"$sequence": [1, ["{{uuid}}"]]}"#,
                "replies.a.$sequence[1][0]: {{…}} is sent unchanged here"
            ),
            (#"{"$cases": [{"$when": {"x": {"$exists": true}}, "$reply": "{{uuid}}"}]}"#, nil),
            (#"{"$reply": {"$key": "{{input}}"}, "$delay": 5}"#, nil), (#""{{mustache}}""#, nil),
            (#"{"data": {"$ref": "a", "price": "5 $"}}"#, nil),
        ] as [(String, String?)])
    func doubtfulMocksAreReported(_ reply: String, _ expected: String?) throws {
        let file = try ReplyFile(LocatedJSON(parsing: Array(#"{"replies": {"a": \#(reply)}}"#.utf8)))
        let doubts = file.replies.doubts.map(\.description)
        #expect(doubts.count == (expected == nil ? 0 : 1))
        if let expected { #expect(doubts.first?.contains(expected) == true, "\(doubts)") }
    }

    /// An object without words is a value, whatever else is in it.
    @Test(arguments: [
        #"{"nick":"Ann"}"#, "{}", "[]", "null", #""{{input.a}}""#, #"{"a":{"$reply":1}}"#, "1.50",
    ])
    func theValueOfAMockIsKeptVerbatim(_ text: String) throws {
        let file = try ReplyFile(LocatedJSON(parsing: Array(#"{"replies": {"a": \#(text)}}"#.utf8)))
        guard case .value(let bytes)? = file.replies.matches(["a"]).first?.reply.outcome else {
            Issue.record("\(text) is no value")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
}
