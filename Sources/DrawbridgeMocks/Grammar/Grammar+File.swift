extension Grammar {
    private static let replies = [
        ("replies", "The mocks: what native answers, by the name that a page calls."),
        ("mocks", "The same as replies, by another name."),
    ].map { name, says in
        Keyword(
            name, .defined("names"), says,
            otherwise: #"\#(name) are an object, such as {"getUser": {"nick": "Ann"}}"#,
            example: #"{"getUser": {"nick": "Ann"}}"#)
    }

    static let globalIsWanted = "is not a JavaScript name in ASCII, such as appInfo"
    static let cookieIsWanted = """
        a cookie has a name of letters, digits and - or _, and a value without spaces, quotes, commas, semicolons and \
        backslashes; encode it: %20
        """

    private static let given = [
        Keyword(
            "globals",
            .named(
                .any,
                names: Form.Names("^(?!__proto__$)[A-Za-z_$][A-Za-z0-9_$]*$", "This \(globalIsWanted).")),
            "Properties of window, set before the page's first script. Existing properties are not replaced.",
            otherwise: #"globals are an object of the window's properties: {"appInfo": {"version": "3.2"}}"#,
            example: #"{"appInfo": {"version": "3.2"}}"#),
        Keyword(
            "cookies",
            .named(
                .text(pattern: #"^[!#-+.-:<-\[\]-~-]*$"#),
                names: Form.Names(
                    "^(?!(__\(caseless("host"))-)?\(caseless("drawbridge"))-)[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
                    cookieIsWanted)),
            "Cookies that are set with a document whose request does not have them, for all paths.",
            otherwise: #"cookies are an object: {"sid": "s1"}"#, example: #"{"sid": "s1"}"#),
        Keyword(
            "userAgent", .text(pattern: #"^(?:\{\{userAgent\}\}|(?!\{\{)[ -~])+$"#),
            "The user agent that pages and upstreams see. {{userAgent}} becomes the browser's own.",
            otherwise: """
                userAgent is a text in ASCII without control characters, in which {{userAgent}} alone stands for \
                something, the browser's own name: "{{userAgent}} ShopApp/3.2"
                """,
            example: #""{{userAgent}} ShopApp/3.2""#),
    ]

    static let page: Keywords = {
        let bridge = Keyword(
            "bridge", .several(.text()),
            "The names of the --bridge bridges that these pages get. By default all.",
            otherwise:
                #"bridge is a list of names given by --bridge, such as ["flutter"]; [] for none"#,
            example: #"["flutter"]"#)
        return Keywords(title: "a page", least: 1, all: replies + [bridge] + given)
    }()

    private static let pagesExample = #"{"/pay*": {"replies": {"price": 12}}}"#

    static let scenarioNames = Form.Names(
        #"^(?!/)[\s\S]*[^/]$"#, "a scenario is a name, or a group, a slash and a name: user/signed-in")
    static let eventNames = Form.Names(
        #"^(?!\$(?!load$))[\s\S]"#,
        "an event's name does not begin with $, except $load: the event of a page's arrival")
    static let pageNames = Form.Names(
        "^[/*]", "pages are named by their path, such as /pay.html, or /pay* for several")

    /// The top-level keys of a file of mocks, without the command's settings, which the same file may have.
    static let file: Keywords = {
        let others = [
            Keyword(
                "$schema", .described(["type": "string"]),
                "Where an editor finds this schema. Drawbridge does not read it."),
            Keyword(
                "scenarios", .named(.defined("names"), names: scenarioNames),
                "Mocks that win while their scenario is on. Of scenarios with one group, as in group/name, one is on.",
                otherwise: #"scenarios are an object: {"offline": {"*": {"$silence": true}}}"#,
                example: #"{"offline": {"*": {"$silence": true}}}"#),
            Keyword(
                "scenario", .several(.text()), "The scenario that is on at the start, or an array of them.",
                otherwise: "scenario is a name, or an array of names, that are on at the start",
                example: #""offline""#),
            Keyword(
                "events", .named(steps, names: eventNames),
                "Events that native triggers, by name, each with its steps. $load runs when a page is loaded.",
                otherwise: #"events are an object: {"back": [{"emit": "backbutton"}]}"#,
                example: #"{"push": [{"emit": "pushed", "data": {"id": 7}}]}"#),
            Keyword(
                "pages", .named(.object("page"), names: pageNames),
                "Mocks and settings for some pages, by their path; * matches any characters.",
                otherwise: "pages are an object: \(pagesExample)", example: pagesExample),
        ]
        return Keywords(title: "a file of replies", all: replies + others + given)
    }()
}
