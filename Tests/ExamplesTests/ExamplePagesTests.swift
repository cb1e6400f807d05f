import Drawbridge
import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The pages of `examples/pages`, which know nothing of where they run, in a real browser.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ExamplePagesTests {
    /// What a page shows.
    struct Expected {
        var name: String
        /// What came back to each of its calls, or a part of it.
        var answers: [String]
        /// What its buttons bring.
        var buttons: [(id: String, answer: String)] = []
        /// Whether native can ask it to share.
        var isCalled = true
    }

    private static let hello = #"{"message":"Hello"}"#
    private static let wholeHello = #"{"code":200,"data":{"message":"Hello"},"message":""}"#
    private static let device = #""platform":"linux""#
    private static let usual = [
        (id: "location", answer: "51.4779,-0.0015"), (id: "share", answer: #"{"statusCode":1}"#),
    ]

    static let pages = [
        Expected(
            name: "jsbridge",
            answers: [wholeHello, device, #"{"code":200,"data":"Hello from a frame","message":""}"#],
            buttons: usual, isCalled: false),
        Expected(name: "queue", answers: [hello, device], buttons: usual),
        Expected(name: "wvjb", answers: [hello, device], buttons: usual),
        Expected(name: "messages", answers: [hello, device], buttons: usual),
        Expected(
            name: "functions",
            answers: [device, #"{"message":"Hello","list":[1,2,3]}"#, "throws 400, No response"],
            buttons: [("location", "51.4779,-0.0015"), ("storage", #"{"key":"count","value":1}"#)]),
        Expected(
            name: "shortcuts", answers: [hello, device, "rejects with 400, unknown: cannot be opened"],
            buttons: usual),
        Expected(name: "android", answers: [hello, "3.2", "says nothing"], isCalled: false),
        Expected(name: "capacitor", answers: [hello, "3.2", "rejects with UNIMPLEMENTED"], isCalled: false),
        Expected(name: "cordova", answers: [#"["Hello"]"#, "3.2", "fails: No response"], isCalled: false),
        Expected(name: "dsbridge", answers: [hello, device, "3.2"]),
        Expected(name: "flutter", answers: [hello, device, "resolves to undefined"]),
        Expected(name: "jsbridge-android", answers: [hello, device, "Hello"]),
        Expected(name: "kerkee", answers: [hello, "3.2"], isCalled: false),
        Expected(name: "kkjsbridge", answers: [hello, device, "3.2"], isCalled: false),
        Expected(
            name: "prompt", answers: [#"{"method":"App/echo","message":"Hello"}"#, device, "3.2"],
            isCalled: false),
        Expected(
            name: "reactnative", answers: [device, #"{"id":2,"type":"App/echo","message":"Hello"}"#],
            isCalled: false),
        Expected(
            name: "tauri", answers: [hello, device, "rejects with Command nothing not found"],
            isCalled: false),
        Expected(
            name: "wechat",
            answers: [
                #"{"err_msg":"echo:ok","message":"Hello"}"#, device,
                #"{"err_msg":"nothing:function_not_exist","error":400,"errorMessage":"No response"}"#,
            ], isCalled: false),
        Expected(name: "wkwebviewjavascriptbridge", answers: [hello, device]),
        Expected(
            name: "everything",
            answers: [
                "a flagged request", "a flagged fetch of another host", "a synchronous request", "an iframe",
            ].map { #"{"code":200,"data":{"message":"Hello by \#($0)"},"message":""}"# }
                + [
                    "the pull queue", "WebViewJavascriptBridge", "a message", "an injected function",
                    "a shortcut",
                    "a promise", "an object of Android's", "Capacitor", "Cordova", "DSBridge", "Flutter",
                    "JSON in a prompt", "kerkee", "KKJSBridge", "React Native", "Tauri", "WeixinJSBridge",
                    "WKWebViewJavascriptBridge",
                ].map { #"{"message":"Hello by \#($0)"}"# }),
    ]

    /// One after the other in one browser and at one gateway, since to start both takes longer than any page.
    @Test func eachExamplePageShowsTheAnswersThatItGot() async throws {
        let folder = try Folder()
        let drawbridge = try Self.drawbridge("--storage", "\(folder.path)/storage.json")
        let address = try await drawbridge.address()
        let browser = try await Chromium()
        for page in Self.pages {
            try await browser.open("\(address)/\(page.name).html")
            var rows = try await browser.rows(page.answers.count)
            for (row, answer) in zip(rows, page.answers) {
                #expect(row.answer.contains(answer), "\(page.name): \(row)")
            }
            for button in page.buttons {
                try await browser.evaluate("document.getElementById('\(button.id)').click()")
                rows = try await browser.rows(rows.count + 1)
                #expect(rows.last?.answer.contains(button.answer) == true, "\(page.name): \(rows)")
            }
            if page.isCalled {
                try await Self.nativeCalls(page.name, drawbridge, browser, shown: rows.count)
            }
            try await Self.pictures(of: page.name, browser)
        }
    }

    /// As a tester does: finds the page in the list, and asks it to share.
    private static func nativeCalls(
        _ name: String, _ drawbridge: Program, _ browser: Chromium, shown count: Int
    ) async throws {
        let pages = try await drawbridge.address() + "/__drawbridge__/pages"
        let token = try await "Authorization: Bearer \(drawbridge.testerToken())"
        let list = try JSON(parsing: Array(try await curl("-H", token, pages).utf8))
        let found = list["data"]?.arrayValue?.first {
            $0["url"]?.stringValue?.hasSuffix("/\(name).html") == true
        }
        let id = try #require(found?["id"]?.stringValue, "\(list)")
        let text = try await curl("-H", token, "-d", #"{"name":"share"}"#, "\(pages)/\(id)/call")
        let answer = try JSON(parsing: Array(text.utf8))
        #expect(try await answer["data"]?["title"] == browser.evaluate("document.title"), "\(text)")
        let row = try await browser.rows(count + 1).last
        #expect(row?.kind == "native")
        #expect(try answer["data"] == row.map { try JSON(parsing: Array($0.answer.utf8)) })
    }

    private static func pictures(of name: String, _ browser: Chromium) async throws {
        for (size, width) in [("desktop", 1000), ("phone", 360)] {
            try await browser.show(width: width, height: 900, scheme: size == "phone" ? "dark" : "light")
            try await browser.screenshot("pages-\(name)-\(size)")
            let isWithin = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            #expect(try await browser.evaluate(isWithin) == true, "\(name) at \(width)")
        }
    }

    @Test func theListLinksToEveryExamplePage() async throws {
        let drawbridge = try Self.drawbridge()
        let browser = try await Chromium()
        try await browser.open(drawbridge.address() + "/")
        let links = try await browser.evaluate(
            "Array.from(document.querySelectorAll('.pages a'), link => link.getAttribute('href'))")
        #expect(try links.decode([String].self) == Self.pages.map { "\($0.name).html" })
        // A page that uses no bridge says nothing to native.
        let pages = try await drawbridge.address() + "/__drawbridge__/pages"
        let token = try await "Authorization: Bearer \(drawbridge.testerToken())"
        #expect(try await curl("-H", token, pages) == #"{"code":200,"data":[],"message":""}"#)
        try await Self.pictures(of: "index", browser)
    }

    @Test func aLinkInThePullQueuePageCallsTheHandler() async throws {
        let drawbridge = try Self.drawbridge()
        let browser = try await Chromium()
        try await browser.open(drawbridge.address() + "/queue.html")
        try await browser.evaluate("document.getElementById('toast').click()")
        let line = try await drawbridge.line(with: "  toast ")
        #expect(line.contains("handler ToastHandler "), "\(line)")
        #expect(try await browser.evaluate("document.title") == "The pull queue")
    }

    @Test func noExamplePageMentionsDrawbridge() throws {
        let files = try ["html", "js"].flatMap { try Manual.files(in: "examples/pages", ending: ".\($0)") }
        #expect(files.count == 22)
        for file in files {
            let text = try String(contentsOf: Manual.root.appending(path: file), encoding: .utf8)
            #expect(!text.lowercased().contains("drawbridge"), "\(file)")
        }
    }

    private static func drawbridge(_ arguments: String...) throws -> Program {
        let settings = Manual.root.appending(path: "examples/pages/settings.json").path()
        return try .product(
            "drawbridge", ["-c", settings, "--no-open", "-p", "0", "--choose", "share=done"] + arguments)
    }
}
