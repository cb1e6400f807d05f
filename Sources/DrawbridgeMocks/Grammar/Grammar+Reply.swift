/// The keywords of a file of mocks: the tables by which it is checked, and from which its JSON Schema is made.
package enum Grammar {
    private static let answer = ["$delay", "$progress", "$every", "$then", "$when"]

    /// The keywords of a reply; those with a `beside` list are its outcomes, of which a reply has exactly one.
    static let reply = Keywords(
        title: "a reply",
        all: [
            Keyword(
                "$reply", .template,
                "The answer, with its templates filled in: {{input.orderNo}}, {{uuid}}, {{userAgent}}.",
                example: #"{"status": "paid", "receipt": "{{input.orderNo}}"}"#, beside: answer),
            Keyword(
                "$text", .template,
                "The answer as a string of JSON, for pages that call JSON.parse on it.",
                example: #"{"nick": "Ann"}"#, beside: answer),
            Keyword(
                "$error", .object("error"),
                "A failure: a promise rejects, and a request gets these members in its envelope.",
                example: #"{"code": 1001, "message": "app not ready"}"#, beside: answer),
            Keyword(
                "$silence", .yes,
                "Never answers. A request waits for a minute, or until its client disconnects, and fails with 504.",
                beside: ["$when"]),
            Keyword(
                "$missing", .yes,
                "The app does not have this name: the bridge does what it does for unknown names.",
                beside: ["$when"]),
            Keyword(
                "$pass", .yes,
                "Leaves the call to the next layer: other files and flags, and finally the handlers.",
                beside: ["$when"]),
            Keyword(
                "$sequence", .list(of: .defined("reply"), least: 1),
                "Replies for one call after the other; the last is repeated. A session has one position for all pages.",
                is: "an array of replies",
                example: #"[{"$error": {"code": 1001, "message": "app not ready"}}, "done"]"#,
                beside: ["$when"]),
            Keyword(
                "$cases", .list(of: .defined("case"), least: 1),
                "Answers with the first case whose $when matches, or that has none; else the next layer is asked.",
                is: "an array of replies",
                example: #"[{"$when": {"channel": "alipay"}, "$reply": 6001}, {"$reply": 0}]"#,
                beside: ["$when"]),
            Keyword(
                "$ask", .message,
                "A question for the tester, who picks one of $choices. --choose answers it without asking.",
                is: "a text that the tester reads", example: #""Delete {{input.name}}?""#,
                beside: ["$choices", "$within", "$when"]),
            Keyword(
                "$forward",
                .text(pattern: #"^https?://(?!__jsbridge__)[^\s@/?#{}]+(/(?:(?!\{\{)[!-"$-<>@-~=])*)?$"#),
                """
                The answer of a program, which gets name, input and page by POST. Programs on other machines have to be \
                allowed by --forward-to.
                """,
                is: """
                    the URL of a program that answers with JSON, without user name, query, fragment and \
                    template
                    """,
                example: #""http://127.0.0.1:3000/native""#, beside: answer, needsTrust: true),
            Keyword(
                "$response", .object("response"),
                "An HTTP response without an envelope. A callback gets its body, from status 400 on as an error.",
                example: #"{"status": 401, "json": {"error": "expired"}}"#, beside: answer),
            Keyword(
                "$delay", .span,
                "Milliseconds before the answer; for [least, most] a random number between them.",
                is: "milliseconds, up to a day: 300, or [least, most]",
                example: "[100, 900]"),
            Keyword(
                "$when", .defined("condition"),
                "The part of the input that this case requires. Other members are ignored.",
                example: #"{"channel": "alipay"}"#),
            Keyword(
                "$progress", .list(of: .template),
                "Values sent before the answer, for a callback that is called more than once. Templates are filled in.",
                is: "an array of values", example: "[10, 50, 90]"),
            milliseconds("$every", "Milliseconds between the values of $progress.", example: "200"),
            Keyword(
                "$choices", .named(.defined("reply"), least: 1),
                "The replies among which the tester chooses, by name. If nobody chooses, the last one is used.",
                otherwise: choicesAreWanted, example: choices),
            milliseconds(
                "$within",
                "Milliseconds after which the last of $choices is used. Without it the question stays open.",
                example: "30000"),
            Keyword(
                "$then", steps,
                "Steps after the answer: native calls the page, sends it an event, or switches a scenario.",
                otherwise: stepsAreWanted, example: stepsExample),
        ])

    private static let choices = #"{"delete": {"ok": true}, "keep": {"ok": false}}"#
    static let choicesAreWanted =
        "$ask needs $choices, an object of replies: {\"$ask\": \"Delete?\", \"$choices\": \(choices)}"

    private static func milliseconds(_ name: String, _ says: String, example: String) -> Keyword {
        Keyword(
            name, .milliseconds, says, otherwise: "it is milliseconds, up to a day: \(example)",
            example: example)
    }

    static let error = Keywords(
        title: "an $error", required: ["code"], advice: "; put it into data",
        all: [
            Keyword(
                "code", .whole(), "The app's own number of the error.",
                otherwise: "the code of an $error is a whole number", example: "1001"),
            Keyword(
                "message", .message, "The error in words. Templates are filled in.",
                otherwise: "the message of an $error is a text"),
            Keyword("data", .template, "Any value with details of the error."),
        ])

    /// The keys of `$response`; those with a `beside` list are its bodies, of which it has at most one.
    static let response = Keywords(
        title: "a $response",
        all: [
            Keyword(
                "status", .whole(200...599, except: 304), "The status, 200 by default.",
                otherwise: "a status is a number from 200 to 599, and not 304", example: "401"),
            Keyword(
                "headers",
                .named(
                    .several(.text(pattern: headerValue)), names: Form.Names(headerName, headerNameIsWanted)),
                "Header fields by their names. Use an array to send a field several times.",
                otherwise: #"headers are an object: {"Cache-Control": "no-store"}"#,
                example: #"{"Cache-Control": "no-store"}"#, needsTrust: true),
            Keyword(
                "json", .template, "The body, any JSON value. Templates are filled in.",
                example: #"{"error": "expired"}"#, beside: ["status", "headers"]),
            Keyword(
                "body", .text(), "The body as text.",
                otherwise: "body is a text; for any other value use json",
                beside: ["status", "headers"], needsTrust: true),
            Keyword(
                "file", .text(pattern: #"^[^./\\\u0000][^/\\\u0000]*(?:/[^./\\\u0000][^/\\\u0000]*)*$"#),
                "A file with the body: its path below the folder of the file of mocks.",
                otherwise: #"""
                    file is a path below the folder of the file of mocks, such as "pictures/ann.png", without ..
                    """#,
                example: #""pictures/ann.png""#, beside: ["status", "headers"], needsTrust: true),
        ])

    private static let headerValue =
        #"^(?:[^\u0000-\u0020\u007f](?:[^\u0000-\u0008\u000a-\u001f\u007f]*[^\u0000-\u0020\u007f])?)?$"#

    /// A pattern for the header names that a reply may set: all except those that ``RawReply`` refuses.
    private static let headerName: String = {
        let refused = RawReply.refused.sorted().map { caseless($0) + "$" }
        let beginnings = RawReply.refusedBeginnings.map(caseless)
        return "^(?!\((refused + beginnings).joined(separator: "|")))[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$"
    }()

    private static let headerNameIsWanted =
        "Not a valid header name, or a field that the gateway or the connection sets itself."

    static func caseless(_ text: String) -> String {
        text.map { $0.isLetter ? "[\($0.uppercased())\($0)]" : String($0) }.joined()
    }

    static let steps = Form.list(of: .defined("step"))
    static let stepsExample = #"[{"call": "onPaid", "data": {"ok": true}, "after": 800}]"#
    static let stepsAreWanted = "steps are an array: \(stepsExample)"
    static let oneActionIsWanted = "a step has one of call, emit and scenario, with a name: \(stepsExample)"

    /// The keys of a step; those with a `beside` list are its actions, of which a step has exactly one.
    static let step = Keywords(
        title: "a step",
        all: [
            Keyword(
                "call", .text(pattern: Form.notEmpty), "The page's function or handler that native calls.",
                otherwise: oneActionIsWanted, example: #""onPaid""#, beside: ["data", "after"]),
            Keyword(
                "emit", .text(pattern: Form.notEmpty), "The event that the page gets, as drawbridge:NAME.",
                otherwise: oneActionIsWanted, example: #""pushed""#, beside: ["data", "after"]),
            Keyword(
                "scenario", .text(pattern: Form.notEmpty), "The scenario to switch on, or off.",
                otherwise: oneActionIsWanted, example: #""user/signed-in""#, beside: ["on", "after"]),
            Keyword("data", .template, "The value that the page gets. Templates are filled in."),
            Keyword("on", .flag, "false switches the scenario off; true is the default."),
            milliseconds("after", "Milliseconds before this step.", example: "800"),
        ])

    static let condition = Keywords(
        title: "$when",
        all: [
            Keyword(
                "$match", .text(), "A pattern for a whole text, in which * stands for any characters.",
                is: "a text, in which * stands for any characters", example: #""item-*""#),
            Keyword("$exists", .flag, "Whether the input has this member."),
            Keyword("$equals", .any, "The exact value: it must not have other members or elements."),
        ])
}
