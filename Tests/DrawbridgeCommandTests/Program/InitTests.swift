import Drawbridge
import Foundation
import ProgramSupport
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// `drawbridge init`, and that the command takes what it writes.
@Suite(.timeLimit(.minutes(5))) struct InitTests {
    private static func start(in folder: Folder, _ arguments: String...) throws -> Program {
        try .product("drawbridge", arguments, in: folder)
    }

    /// What it says, where it ends well.
    private static func initialize(
        _ product: String = "drawbridge", in folder: Folder, _ arguments: String...
    ) async throws -> String {
        let program = try Program.product(product, ["init"] + arguments, in: folder)
        let output = await program.wholeOutput()
        #expect(await program.child.exitCode() == 0, "\(output)")
        return output
    }

    @Test func initWritesAFileThatTheCommandAccepts() async throws {
        let folder = try Folder()
        try folder.write(
            "shop/index.html",
            """
            <script>
            bridge.callHandler('getUser', {}, show);
            bridge.callHandler('share', {}, show);
            await webkit.messageHandlers.camera.postMessage({});
            location.href = 'shopapp://close?now=1';
            callNative('price');
            bridge.registerHandler('onPaid', show);
            bridge.callHandler(name);
            </script>
            """)
        let output = try await Self.initialize(in: folder, "shop")
        #expect(output.hasPrefix("shop/drawbridge.json is written; 1 page or script was read.\n"))
        #expect(
            output.contains(
                """
                It lists, each with the line where it was found:
                  names for you to answer: 4
                  names that handlers answer: 1; to mock one, replace {"$pass": true}
                  calls with computed names, which the log will tell: 1
                  events that your page listens for: 1

                """), "\(output)")
        #expect(output.hasSuffix("then drawbridge shop\n"))
        #expect(
            try folder.read("shop/drawbridge.json").contains(
                """
                {
                    "message-handler": ["camera=reply"],
                    "scheme": ["shopapp"],
                    "inject": ["callNative"],  // a guess: no script here declares it

                    "replies": {
                        // Handlers answer these; to mock one, replace its value:
                        "share": {"$pass": true},  // index.html:3, by WebViewJavascriptBridge

                        "getUser": {},  // index.html:2, by WebViewJavascriptBridge
                        "camera": {},  // index.html:4, by messageHandlers.camera
                        "close": {},  // index.html:5, by a URL, which expects no answer
                        "price": {}  // index.html:6, by callNative()
                    },

                    // Events that your page listens for. To send one: POST /__drawbridge__/events/NAME
                    "events": {
                        "onPaid": [{"call": "onPaid", "data": {}}]  // index.html:7
                    }

                """))
        let program = try Self.start(in: folder, "-p", "0", "shop")
        let address = try await program.address()
        for name in ["getUser", "camera", "price"] {
            #expect(
                try await curl("\(address)/\(name)?_mobile_bridge=1")
                    == #"{"code":200,"data":{},"message":""}"#)
        }
        // A built-in handler goes on answering what it answered.
        #expect(try await curl("\(address)/share?_mobile_bridge=1&title=a").contains("statusCode"))
        let script = try await curl("\(address)/__drawbridge__/page.js?path=/")
        for name in ["camera", "shopapp", "callNative"] { #expect(script.contains("\"\(name)\"")) }
    }

    @Test func initReadsTheExamplePages() async throws {
        let folder = try Folder()
        let pages = Manual.root.appending(path: "examples/pages").path()
        #expect(try await Program("cp", ["-r", pages, "\(folder.path)/pages"]).child.exitCode() == 0)
        let output = try await Self.initialize(in: folder, "pages")
        #expect(output.contains("22 pages and scripts were read"))
        let text = try folder.read("pages/drawbridge.json")
        for line in [
            #""fetchMessages": {}  // a guess: functions.html:49, by fetchMessages()"#,
            #""deviceInfo": {"$pass": true},  // dsbridge.html:38"#,
            #""requestLocation": {"$pass": true},  // functions.html:38"#,
            #""storage": {"$pass": true},  // functions.html:40"#,
            #""echo": {"$pass": true},  // dsbridge.html:37"#,
            #""share": {"$pass": true},  // jsbridge.html:56"#,
            #""toast": {"$pass": true},  // queue.html:60"#,
            "//   everything.html:41  bridge.callHandler(name, data, callback)",
            "by callNative()", "by http://__jsbridge__", "by Capacitor",
        ] {
            #expect(text.contains(line), "\(line) is not in \(text)")
        }
        #expect(text.contains(#""scheme": ["mizhua"]"#))
        #expect(text.contains(#""inject": ["callNative", "fetchMessages"]"#))
        let program = try Self.start(in: folder, "-p", "0", "pages")
        _ = try await program.line(
            with: "replies   Android/echo, Android/version, App/echo, App/nothing, App/version, ")
    }

    /// The bridges of the example pages, and the names below which their calls are answered then.
    private static let bridgePages = [
        ("capacitor", #""capacitor""#, ["App/echo", "App/version", "App/nothing"], 3),
        ("cordova", #""cordova""#, ["App/echo", "App/version", "App/nothing"], 3),
        ("dsbridge", #""dsbridge""#, ["App/version"], 3), ("flutter", #""flutter""#, ["nothing"], 3),
        ("kerkee", #""kerkee""#, ["App/echo", "App/version"], 2),
        ("kkjsbridge", #""kkjsbridge""#, ["App/echo", "App/version"], 3),
        ("reactnative", #""reactnative""#, ["App/echo"], 2),
        (
            "wechat", #"{"name": "object", "options": {"object": "WeixinJSBridge", "method": "invoke", "#,
            ["nothing"], 3
        ),
        ("wkwebviewjavascriptbridge", #""wkwebviewjavascriptbridge""#, [], 2),
    ]

    @Test(arguments: bridgePages) func initConfiguresTheBridgeThatAPageUses(
        _ page: String, _ bridge: String, _ names: [String], _ rows: Int
    ) async throws {
        let folder = try Folder()
        for name in ["\(page).html", "show.js", "style.css"] {
            let text = try String(
                contentsOf: Manual.root.appending(path: "examples/pages/\(name)"), encoding: .utf8)
            try folder.write("pages/\(name)", text)
        }
        let output = try await Self.initialize(in: folder, "pages")
        let text = try folder.read("pages/drawbridge.json")
        #expect(text.contains("\"bridge\": [\n        \(bridge)"), "\(text)")
        for setting in ["shortcuts", "message-handler", "inject", "scheme"] {
            #expect(!text.contains("\"\(setting)\""))
        }
        for name in names { #expect(text.contains("\"\(name)\": {}"), "\(name): \(text)") }
        #expect(!output.contains("computed"), "\(output)")

        // What the page expects to be missing somebody says so of.
        try folder.write(
            "pages/drawbridge.json",
            text.replacing(#"nothing": {}"#, with: #"nothing": {"$missing": true}"#))
        let program = try Self.start(in: folder, "-p", "0", "pages")
        let address = try await program.address()
        let browser = try await Chromium()
        try await browser.open("\(address)/\(page).html")
        #expect(try await browser.rows(rows).count == rows)
        for word in ["--bridge", "which does not exist"] { #expect(!program.output.contains(word)) }
        let missed = program.output.split(separator: "\n").filter { $0.contains("not mocked") }
        #expect(missed.allSatisfy { $0.contains("nothing") }, "\(missed)")
    }

    @Test func initWritesAStarterBridgeScript() async throws {
        let folder = try Folder()
        try folder.write("shop/index.html", "<p>shop</p>")
        let output = try await Self.initialize(in: folder, "shop", "--bridge", "./mine.js")
        #expect(output.hasPrefix("./mine.js is written: an example bridge that gives pages the object Shop"))
        #expect(
            output.hasSuffix(#"Next: drawbridge shop --bridge ./mine.js --reply 'pay={"paid": true}'"# + "\n")
        )
        let script = try folder.read("mine.js")
        let article = try Manual.blocks(of: "javascript").first { $0.file.hasSuffix("/TeachingABridge.md") }
        #expect(article.map { $0.lines.joined(separator: "\n") + "\n" } == script)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/shop/drawbridge.json"))
        #expect(try await Self.initialize(in: folder, "--print", "--bridge", "mine.js") == script)

        let again = try Self.start(in: folder, "init", "--bridge", "./mine.js")
        _ = try await again.line(with: "./mine.js already exists, and was not changed; move it away first")
        #expect(await again.child.exitCode() == 1)
        let lost = try Self.start(in: folder, "init", "--bridge", "no/mine.js")
        _ = try await lost.line(
            with:
                "cannot write no/mine.js: No such file or directory; write it elsewhere: drawbridge init --bridge"
        )
        for (name, problem) in [("mine.txt", "its name ends in .js"), ("wvjb.js", "pages already have")] {
            let refused = try Self.start(in: folder, "init", "--bridge", name)
            _ = try await refused.line(with: problem)
            #expect(await refused.child.exitCode() == 64)
        }
    }

    /// What it writes runs as the manual says.
    @Test func theWrittenBridgeAnswersItsPage() async throws {
        let folder = try Folder()
        _ = try await Self.initialize(in: folder, "--bridge", "./mine.js")
        try folder.write(
            "index.html", "<script>var answer = new Promise(done => Shop.ask('pay', {n: 17}, done))</script>")
        let program = try Self.start(
            in: folder, "-p", "0", ".", "--bridge", "./mine.js", "--reply", #"pay={"paid": true}"#)
        let browser = try await Chromium()
        try await browser.open(program.address() + "/")
        #expect(try await browser.evaluate("answer")["value"]?["paid"] == true)
    }

    @Test func aFolderWithoutCallsGetsAValidExample() async throws {
        let folder = try Folder()
        let output = try await Self.initialize(in: folder)
        #expect(output.contains("drawbridge.json is written; 0 pages and scripts were read."))
        #expect(output.contains("No native call was found."))
        #expect(output.hasSuffix("\nNext: drawbridge .\n"))
        #expect(try folder.read("drawbridge.json").contains(#"// "getUser": {"nick": "Ann"}"#))
        let program = try Self.start(in: folder, "-p", "0", ".")
        _ = try await program.line(with: "settings  drawbridge.json  (found)")
    }

    @Test func initOverwritesNothing() async throws {
        let folder = try Folder()
        let mine = #"{"replies": {"mine": 1}}"#
        try folder.write("drawbridge.json", mine)
        try folder.write("a.js", "bridge.callHandler('pay2')")
        let again = try Self.start(in: folder, "init")
        _ = try await again.line(
            with:
                "drawbridge.json already exists, and was not changed; move it away first, or print what would"
        )
        #expect(await again.child.exitCode() == 1)
        #expect(try folder.read("drawbridge.json") == mine)
        #expect(try await Self.initialize(in: folder, "--print").contains(#""pay2": {}  // a.js:1"#))
        #expect(try folder.read("drawbridge.json") == mine)
        // A link that leads nowhere is a file too, and nothing is written where it leads.
        #expect(unlink("\(folder.path)/drawbridge.json") == 0)
        #expect(symlink("elsewhere.json", "\(folder.path)/drawbridge.json") == 0)
        let linked = try Self.start(in: folder, "init")
        _ = try await linked.line(with: "drawbridge.json already exists")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/elsewhere.json"))
    }

    @Test func theFileInTheServedFolderBeatsTheOneInTheWorkingFolder() async throws {
        let folder = try Folder()
        try folder.write("drawbridge.json", "{}")
        try folder.write("shop/a.js", "bridge.callHandler('pay2')")
        let output = try await Self.initialize(in: folder, "shop")
        #expect(output.hasSuffix("then drawbridge shop\n"))
        let program = try Self.start(in: folder, "-p", "0", "shop")
        _ = try await program.line(with: "pay2  (shop/drawbridge.json)")
    }

    @Test func anUnwritableFolderIsAnErrorWithAHint() async throws {
        let folder = try Folder()
        let program = try Self.start(in: folder, "init", "/proc/self/fdinfo")
        _ = try await program.line(with: "cannot write /proc/self/fdinfo/drawbridge.json: ")
        #expect(program.output.contains("write it elsewhere: drawbridge init --print /proc/self/fdinfo > "))
        #expect(await program.child.exitCode() == 1)
        let missing = try Self.start(in: folder, "init", "shp")
        _ = try await missing.line(with: "shp is not a folder; name the folder with your pages")
        #expect(await missing.child.exitCode() == 64)
    }

    @Test func filesThatAreNotPagesAreSkippedAndReported() async throws {
        let folder = try Folder()
        try folder.write("huge.js", String(repeating: "bridge.callHandler('huge');", count: 50_000))
        try Data([0x62, 0, 0xFF]).write(to: URL(filePath: "\(folder.path)/binary.js"))
        try folder.write("sub/ok.js", "bridge.callHandler('ok')")
        try folder.write(
            "sub/page.jsp", "<% if (a) { %><script>bridge.callHandler('fromJsp')</script><% } %>")
        try folder.write("sub/page.pug", "script bridge.callHandler('fromPug')")
        try folder.write("sub/app.min.js", String(repeating: "bridge.callHandler('small');", count: 1000))
        try folder.write("sub/broken.js", "bridge.callHandler('\u{1B}[31m')")
        try folder.write("sub/node_modules/lib.js", "bridge.callHandler('library')")
        try folder.write(".git/hook.js", "bridge.callHandler('hook')")
        try folder.write("web/package.json", "{}")
        try folder.write("web/dist/app.js", "bridge.callHandler('fromDist')")
        #expect(symlink("..", "\(folder.path)/sub/up") == 0)
        #expect(symlink("/etc/hostname", "\(folder.path)/host.js") == 0)
        #expect(mkfifo("\(folder.path)/pipe.js", 0o600) == 0)
        let output = try await Self.initialize(in: folder)
        for line in [
            "3 pages and scripts were read.",
            "  calls with computed names, which the log will tell: 1\n",
            "  sub/node_modules (libraries)\n",
            "  sub/app.min.js (minified)\n",
            "click through your page, then type save missing and press Enter.",
            "  huge.js (more than 1024 KB)\n", "  binary.js (binary)\n",
            "  host.js (symbolic link)\n", "  web/dist (build output)\n",
        ] {
            #expect(output.contains(line), "\(line)")
        }
        let text = try folder.read("drawbridge.json")
        for line in [#""ok": {},  // sub/ok.js:1"#, #""fromJsp": {}  // sub/page.jsp:1"#] {
            #expect(text.contains(line), "\(line)")
        }
        for name in ["library", "hook", "fromDist", "fromPug", "small", "\u{1B}"] {
            #expect(!text.contains(name))
        }
    }

    @Test func initStopsReadingAtItsLimits() throws {
        let folder = try Folder()
        for number in 10..<20 { try folder.write("a\(number).js", "bridge.callHandler('call\(number)')") }
        var bounds = PageFiles.Bounds()
        bounds.files = 3
        let few = try PageFiles(in: folder.path, within: bounds) { _ in }
        #expect(few.paths == ["a10.js", "a11.js", "a12.js"])
        #expect(few.leftOut == ["everything after 3 files (limit reached; name a smaller folder)"])
        bounds = PageFiles.Bounds()
        bounds.time = .zero
        #expect(try PageFiles(in: folder.path, within: bounds) { _ in }.paths.isEmpty)
    }

    /// The command goes before a folder of its name.
    @Test func aFolderNamedInitIsServedByItsPath() async throws {
        let folder = try Folder()
        try folder.write("init/index.html", "<p>init</p>")
        #expect(try await Self.initialize(in: folder, "init").hasSuffix("\nNext: drawbridge ./init\n"))
        let served = try Self.start(in: folder, "-p", "0", "./init")
        #expect(try await curl("\(served.address())/") == "<p>init</p>")
        let behind = try Self.start(in: folder, "-p", "0", "init")
        _ = try await behind.line(
            with: "init must be the first argument: drawbridge init; a folder of that name is ./init")
        #expect(await behind.child.exitCode() == 64)
        let near = try Self.start(in: folder, "-p", "0", "inti")
        _ = try await near.line(with: "there is no folder inti; did you mean drawbridge init?")
    }

    @Test func initInACustomProgramLeavesItsHandlersWhatTheyAnswer() async throws {
        let folder = try Folder()
        try folder.write("a.js", "bridge.callHandler('hello'); bridge.callHandler('getUser')")
        let output = try await Self.initialize("hello", in: folder)
        #expect(
            output.contains("\n  names for you to answer: 1\n  names that handlers answer: 1; to mock one"))
        #expect(output.hasSuffix("then hello .\n"))
        let text = try folder.read("drawbridge.json")
        #expect(
            text.contains(#""hello": {"$pass": true},  // a.js:1"#)
                && text.contains(#""getUser": {}  // a.js:1"#))
    }

    @Test func theHelpOfInitSaysWhatItDoes() async throws {
        let folder = try Folder()
        let help = try await Self.initialize(in: folder, "--help")
        #expect(help.contains("USAGE: drawbridge init [folder] [--print]"))
    }
}
