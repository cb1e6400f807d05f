import DrawbridgeJSON

extension Grammar {
    private static let replies = Keyword(
        "replies", .defined("names"), "What native answers, by the names that a page calls.",
        otherwise: #"replies are an object, such as {"getUser": {"nick": "Ann"}}"#,
        example: #"{"getUser": {"nick": "Ann"}}"#)

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
            "Properties of window that are there before the page's first script. What window has itself stays.",
            otherwise: #"globals are an object of the window's properties: {"appInfo": {"version": "3.2"}}"#,
            example: #"{"appInfo": {"version": "3.2"}}"#),
        Keyword(
            "cookies",
            .named(
                .text(pattern: #"^[!#-+.-:<-\[\]-~-]*$"#),
                names: Form.Names(
                    "^(?!(__\(caseless("host"))-)?\(caseless("drawbridge"))-)[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
                    cookieIsWanted)),
            "Cookies that come with a document which is asked for without them, for all paths.",
            otherwise: #"cookies are an object: {"sid": "s1"}"#, example: #"{"sid": "s1"}"#),
        Keyword(
            "userAgent", .text(pattern: #"^(?:\{\{userAgent\}\}|(?!\{\{)[ -~])+$"#),
            "The user agent that pages and upstreams see. {{userAgent}} stands for the browser's own.",
            otherwise: """
                userAgent is a text in ASCII without control characters, in which {{userAgent}} alone stands for \
                something, the browser's own name: "{{userAgent}} ShopApp/3.2"
                """,
            example: #""{{userAgent}} ShopApp/3.2""#),
    ]

    static let page: Keywords = {
        let bridge = Keyword(
            "bridge", .several(.text()),
            "Which of the bridges of --bridge these pages get, by their names. By default all.",
            otherwise:
                #"bridge has names of those that all pages would get, such as ["flutter"]; [] is none"#,
            example: #"["flutter"]"#)
        return Keywords(title: "a page", least: 1, all: [replies, bridge] + given)
    }()

    private static let pagesExample = #"{"/pay*": {"replies": {"price": 12}}}"#

    static let scenarioNames = Form.Names(
        #"^(?!/)[\s\S]*[^/]$"#, "a scenario has a name, and perhaps a group before a slash: user/signed-in")
    static let eventNames = Form.Names(
        #"^(?!\$(?!load$))[\s\S]"#,
        "an event has a name of its own, or is $load: what is done when a page arrives")
    static let pageNames = Form.Names(
        "^[/*]", "a page is known by its path, such as /pay.html, or /pay* for several")

    /// The keys of a file of mocks, besides the command's settings.
    static let file: Keywords = {
        let others = [
            Keyword(
                "$schema", .described(["type": "string"]),
                "Where an editor finds this description. It is not read."),
            replies,
            Keyword(
                "scenarios", .named(.defined("names"), names: scenarioNames),
                "Replies that are asked first while their scenario is on. Of each group before a slash, one is on.",
                otherwise: #"scenarios are an object: {"offline": {"*": {"$silence": true}}}"#,
                example: #"{"offline": {"*": {"$silence": true}}}"#),
            Keyword(
                "scenario", .several(.text()), "The scenario that is on at first, or several of them.",
                otherwise: "scenario is a name, or an array of names, that are on at first",
                example: #""offline""#),
            Keyword(
                "events", .named(steps, names: eventNames),
                "Steps that native does by itself, by the names of their events. Those of $load are for a new page.",
                otherwise: #"events are an object: {"back": [{"emit": "backbutton"}]}"#,
                example: #"{"push": [{"emit": "pushed", "data": {"id": 7}}]}"#),
            Keyword(
                "pages", .named(.object("page"), names: pageNames),
                "Replies and more for some pages, by their paths, in which * stands for any characters.",
                otherwise: "pages are an object: \(pagesExample)", example: pagesExample),
        ]
        return Keywords(title: "a file of replies", all: others + given)
    }()
}
