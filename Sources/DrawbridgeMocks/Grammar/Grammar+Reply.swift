/// What may stand in a file of mocks: the tables by which it is read, and from which its JSON Schema is printed.
package enum Grammar {
    private static let answer = ["$delay", "$progress", "$every", "$then", "$when"]

    /// The words of a reply, of which those are its outcomes that say what may stand beside them.
    static let reply = Keywords(
        title: "a reply",
        all: [
            Keyword(
                "$reply", .template,
                "The value that is answered, with its templates filled in: {{input.orderNo}}, {{uuid}}, {{userAgent}}.",
                example: #"{"status": "paid", "receipt": "{{input.orderNo}}"}"#, beside: answer),
            Keyword(
                "$text", .template,
                "The same as its JSON text, for pages that read the answer by JSON.parse.",
                example: #"{"nick": "Ann"}"#, beside: answer),
            Keyword(
                "$error", .object("error"),
                "The failure of the bridge: a promise rejects, and a request gets these as its envelope.",
                example: #"{"code": 1001, "message": "app not ready"}"#, beside: answer),
            Keyword(
                "$silence", .yes,
                "Nobody ever answers. A request is held for a minute, or until its caller leaves, and fails with 504.",
                beside: ["$when"]),
            Keyword(
                "$missing", .yes,
                "The bridge says that nobody has the name, as of any other name that is missing.",
                beside: ["$when"]),
            Keyword(
                "$pass", .yes, "The next layer is asked: other files and flags, and at last the handlers.",
                beside: ["$when"]),
            Keyword(
                "$sequence", .list(of: .defined("reply"), least: 1),
                "Replies that are given one after the other, and from then on the last. All pages share where it is.",
                is: "an array of replies",
                example: #"[{"$error": {"code": 1001, "message": "app not ready"}}, "done"]"#,
                beside: ["$when"]),
            Keyword(
                "$cases", .list(of: .defined("case"), least: 1),
                "The first of these replies whose $when fits, or that has none. If none fits, the next layer is asked.",
                is: "an array of replies",
                example: #"[{"$when": {"channel": "alipay"}, "$reply": 6001}, {"$reply": 0}]"#,
                beside: ["$when"]),
            Keyword(
                "$ask", .message,
                "A question for a person, who chooses one of $choices. An answer of --choose may have decided it.",
                is: "what a person reads", example: #""Delete {{input.name}}?""#,
                beside: ["$choices", "$within", "$when"]),
            Keyword(
                "$forward",
                .text(pattern: #"^https?://(?!__jsbridge__)[^\s@/?#{}]+(/(?:(?!\{\{)[!-"$-<>@-~=])*)?$"#),
                """
                What a program answers, which gets name, input and page by POST. Programs on other machines have to be \
                allowed by --forward-to.
                """,
                is: """
                    the URL of a program that answers by a value as JSON, without user name, query, fragment and \
                    template
                    """,
                example: #""http://127.0.0.1:3000/native""#, beside: answer, needsTrust: true),
            Keyword(
                "$response", .object("response"),
                "An HTTP response without an envelope. A callback gets its body, from status 400 on as an error.",
                example: #"{"status": 401, "json": {"error": "expired"}}"#, beside: answer),
            Keyword(
                "$delay", .span, "Milliseconds before the answer, or any number between two.",
                is: "milliseconds, up to a day of them: 300, or an array from the least to the most",
                example: "[100, 900]"),
            Keyword(
                "$when", .defined("condition"),
                "A part of the input, for which this case counts. The input may have more beside it.",
                example: #"{"channel": "alipay"}"#),
            Keyword(
                "$progress", .list(of: .template),
                "Values before the answer, for a callback that is called more than once. Templates are filled in.",
                is: "an array of values", example: "[10, 50, 90]"),
            milliseconds("$every", "Milliseconds between the values of $progress.", example: "200"),
            Keyword(
                "$choices", .named(.defined("reply"), least: 1),
                "The replies that a person may choose for $ask, by their names. Where nobody decides, the last counts.",
                otherwise: choicesAreWanted, example: choices),
            milliseconds(
                "$within",
                "Milliseconds after which the last of $choices counts. Without it the question waits.",
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
            name, .milliseconds, says, otherwise: "it is milliseconds, up to a day of them: \(example)",
            example: example)
    }

    static let error = Keywords(
        title: "an $error", required: ["code"], advice: "; put it into data",
        all: [
            Keyword(
                "code", .whole(), "What went wrong, as a number of the app's own.",
                otherwise: "the code of an $error is a whole number", example: "1001"),
            Keyword(
                "message", .message, "What went wrong, in words. Templates are filled in.",
                otherwise: "the message of an $error is a text"),
            Keyword("data", .template, "Any value that the failure brings with it."),
        ])

    /// The words of `$response`, of which each body says that it is the only one.
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
                "Header fields by their names. One that comes several times has an array.",
                otherwise: #"headers are an object: {"Cache-Control": "no-store"}"#,
                example: #"{"Cache-Control": "no-store"}"#, needsTrust: true),
            Keyword(
                "json", .template, "The body as a value of JSON, with its templates filled in.",
                example: #"{"error": "expired"}"#, beside: ["status", "headers"]),
            Keyword(
                "body", .text(), "The body as text.",
                otherwise: "a body is a text; another value is written as json",
                beside: ["status", "headers"], needsTrust: true),
            Keyword(
                "file", .text(pattern: #"^[^./\\\u0000][^/\\\u0000]*(?:/[^./\\\u0000][^/\\\u0000]*)*$"#),
                "A file that is the body, by its name below the folder of the file of mocks.",
                otherwise: #"""
                    file is a name below the folder of the file of replies: "pictures/ann.png"; it does not lead out of it
                    """#,
                example: #""pictures/ann.png""#, beside: ["status", "headers"], needsTrust: true),
        ])

    private static let headerValue =
        #"^(?:[^\u0000-\u0020\u007f](?:[^\u0000-\u0008\u000a-\u001f\u007f]*[^\u0000-\u0020\u007f])?)?$"#

    /// Any header name but the refused ones.
    private static let headerName: String = {
        let refused = RawReply.refused.sorted().map { caseless($0) + "$" }
        let beginnings = RawReply.refusedBeginnings.map(caseless)
        return "^(?!\((refused + beginnings).joined(separator: "|")))[!#$%&'*+\\-.^_`|~0-9A-Za-z]+$"
    }()

    private static let headerNameIsWanted =
        "This is not the name of a header field, or it is that of one that the gateway or the connection sets itself."

    static func caseless(_ text: String) -> String {
        text.map { $0.isLetter ? "[\($0.uppercased())\($0)]" : String($0) }.joined()
    }

    static let steps = Form.list(of: .defined("step"))
    static let stepsExample = #"[{"call": "onPaid", "data": {"ok": true}, "after": 800}]"#
    static let stepsAreWanted = "steps are an array: \(stepsExample)"
    static let oneActionIsWanted = "a step has one of call, emit and scenario, with a name: \(stepsExample)"

    /// The words of a step, of which those are its actions that say what may stand beside them.
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
                "scenario", .text(pattern: Form.notEmpty), "The scenario that is switched on, or off.",
                otherwise: oneActionIsWanted, example: #""user/signed-in""#, beside: ["on", "after"]),
            Keyword("data", .template, "What the page gets, with its templates filled in."),
            Keyword("on", .flag, "Whether the scenario is switched on, as it is by default."),
            milliseconds("after", "Milliseconds before this step.", example: "800"),
        ])

    static let condition = Keywords(
        title: "$when",
        all: [
            Keyword(
                "$match", .text(), "A pattern for a whole text, in which * stands for any characters.",
                is: "a text, in which * stands for any characters", example: #""item-*""#),
            Keyword("$exists", .flag, "Whether there is such a member at all."),
            Keyword("$equals", .any, "All of a value: nothing else may stand beside it, or in it."),
        ])
}
