import Drawbridge
import Foundation
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// `drawbridge init`, and that the command takes what it writes.
@Suite(.timeLimit(.minutes(5))) struct InitTests {
    /// Starts a product in a folder.
    private static func start(
        _ product: String = "drawbridge", in folder: Folder, _ arguments: String...
    ) throws -> Program {
        let command = try Program.path(of: product)
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        return try Program("sh", ["-c", "cd '\(folder.path)' && exec '\(command)' \(words)"])
    }

    /// What it says, where it ends well.
    private static func initialize(
        _ product: String = "drawbridge", in folder: Folder, _ arguments: String...
    ) async throws -> String {
        let command = try Program.path(of: product)
        let words = (["init"] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let program = try Program("sh", ["-c", "cd '\(folder.path)' && exec '\(command)' \(words)"])
        let output = await program.wholeOutput()
        #expect(await program.child.exitCode() == 0, "\(output)")
        return output
    }

    @Test func writesWhatTheCommandTakes() async throws {
        let folder = try Folder()
        try folder.write(
            "shop/index.html",
            """
            <script>
            bridge.callHandler('getUser', {}, show);
            bridge.callHandler('share', {}, show);
            await webkit.messageHandlers.camera.postMessage({});
            location.href = 'shopapp://close?now=1';
            MyApp.order({}); callNative('price');
            bridge.registerHandler('onPaid', show);
            bridge.callHandler(name);
            </script>
            """)
        let output = try await Self.initialize(in: folder, "shop")
        #expect(output.hasPrefix("shop/drawbridge.json is written; 1 page or script was read.\n"))
        #expect(output.contains("\n  getUser  index.html:2, by WebViewJavascriptBridge\n"))
        #expect(output.contains("\nfound, and answered by handlers already:\n  share  index.html:3"))
        #expect(output.contains("\n  index.html:8  callHandler(name)\n"))
        #expect(output.contains("\nyour page listens for:\n  onPaid  index.html:7\n"))
        #expect(output.hasSuffix("then drawbridge shop\n"))
        #expect(
            try folder.read("shop/drawbridge.json").contains(
                """
                {
                    "message-handler": ["camera=reply"],
                    "scheme": ["shopapp"],
                    "inject": ["callNative"],  // a guess: no script here declares it
                    "shortcuts": ["MyApp"],  // a guess: no script here declares it

                    "replies": {
                        // Answered by handlers already; to answer them yourself, remove the slashes:
                        // "share": {},  // index.html:3, by WebViewJavascriptBridge

                        "getUser": {},  // index.html:2, by WebViewJavascriptBridge
                        "camera": {},  // index.html:4, by messageHandlers.camera
                        "close": {},  // index.html:5, by a command URL, which hears no answer
                        "order": {},  // a guess: index.html:6, by MyApp
                        "price": {}  // index.html:6, by callNative()
                    },

                    // What your page listens for, and native may call: POST /__drawbridge__/events/NAME
                    "events": {
                        "onPaid": [{"call": "onPaid", "data": {}}]  // index.html:7
                    }

                """))
        let program = try Self.start(in: folder, "-p", "0", "shop")
        let address = try await program.address()
        for name in ["getUser", "camera", "price", "order"] {
            #expect(
                try await curl("\(address)/\(name)?_mobile_bridge=1")
                    == #"{"code":200,"data":{},"message":""}"#)
        }
        // A handler goes on answering what it answered.
        #expect(try await curl("\(address)/share?_mobile_bridge=1&title=a").contains("statusCode"))
        let script = try await curl("\(address)/__drawbridge__/page.js?path=/")
        for name in ["camera", "shopapp", "callNative", "MyApp"] { #expect(script.contains("\"\(name)\"")) }
    }

    @Test func readsTheExamplePages() async throws {
        let folder = try Folder()
        let pages = Manual.root.appending(path: "examples/pages").path()
        #expect(try await Program("cp", ["-r", pages, "\(folder.path)/pages"]).child.exitCode() == 0)
        let output = try await Self.initialize(in: folder, "pages")
        for line in [
            "9 pages and scripts were read", "  fetchMessages    functions.html:49, by fetchMessages()",
            "  MyApp            an object of the app's, --shortcuts", "  deviceInfo       functions.html:11",
            "  requestLocation  functions.html:38", "  storage          functions.html:40",
            "  echo             functions.html:45", "  share            jsbridge.html:56",
            "  toast            queue.html:60", "  openURL          shortcuts.html:42",
            "  everything.html:41  callHandler(name)",
        ] {
            #expect(output.contains(line), "\(line)")
        }
        let text = try folder.read("pages/drawbridge.json")
        for bridge in [
            "callNative()", "MyApp", "messageHandlers.JSBridge", "WebViewJavascriptBridge", "the pull queue",
        ] {
            let calls = PageCalls(try PageFiles(in: "\(folder.path)/pages").files)
            #expect(calls.names.values.contains { $0.contains { $0.bridge.description == "by \(bridge)" } })
        }
        #expect(text.contains(#""scheme": ["mizhua"]"#))
        #expect(text.contains(#""inject": ["callNative", "fetchMessages"]"#))
        let program = try Self.start(in: folder, "-p", "0", "pages")
        _ = try await program.line(with: "replies   fetchMessages  (pages/drawbridge.json)")
    }

    @Test func aFolderWithoutCallsGetsAnExampleThatIsTaken() async throws {
        let folder = try Folder()
        let output = try await Self.initialize(in: folder)
        #expect(output.contains("drawbridge.json is written; 0 pages and scripts were read."))
        #expect(output.contains("No call of native was found."))
        #expect(output.hasSuffix("\nNext: drawbridge .\n"))
        #expect(try folder.read("drawbridge.json").contains(#"// "getUser": {"nick": "Ann"}"#))
        let program = try Self.start(in: folder, "-p", "0", ".")
        _ = try await program.line(with: "settings  drawbridge.json  (found)")
    }

    @Test func nothingIsOverwritten() async throws {
        let folder = try Folder()
        let mine = #"{"replies": {"mine": 1}}"#
        try folder.write("drawbridge.json", mine)
        try folder.write("a.js", "bridge.callHandler('pay2')")
        let again = try Self.start(in: folder, "init")
        _ = try await again.line(
            with:
                "drawbridge.json is there already, and stays as it is; move it away first, or see what would")
        #expect(await again.child.exitCode() == 1)
        #expect(try folder.read("drawbridge.json") == mine)
        #expect(try await Self.initialize(in: folder, "--print").contains(#""pay2": {}  // a.js:1"#))
        #expect(try folder.read("drawbridge.json") == mine)
        // A link that leads nowhere is a file too, and nothing is written where it leads.
        #expect(unlink("\(folder.path)/drawbridge.json") == 0)
        #expect(symlink("elsewhere.json", "\(folder.path)/drawbridge.json") == 0)
        let linked = try Self.start(in: folder, "init")
        _ = try await linked.line(with: "drawbridge.json is there already")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/elsewhere.json"))
    }

    @Test func theFileThatCountsIsNamedBesideAnother() async throws {
        let folder = try Folder()
        try folder.write("drawbridge.json", "{}")
        try folder.write("shop/a.js", "bridge.callHandler('pay2')")
        let output = try await Self.initialize(in: folder, "shop")
        #expect(output.hasSuffix("then drawbridge shop -c shop/drawbridge.json\n"))
    }

    @Test func aFolderThatCannotBeWrittenIsAnErrorWithARemedy() async throws {
        let folder = try Folder()
        let program = try Self.start(in: folder, "init", "/proc/self/fdinfo")
        _ = try await program.line(with: "cannot write /proc/self/fdinfo/drawbridge.json: ")
        #expect(program.output.contains("write it elsewhere: drawbridge init --print /proc/self/fdinfo > "))
        #expect(await program.child.exitCode() == 1)
        let missing = try Self.start(in: folder, "init", "shp")
        _ = try await missing.line(with: "shp is no folder; name the one with your page")
        #expect(await missing.child.exitCode() == 64)
    }

    @Test func whatIsNoPageIsLeftOutAndSaid() async throws {
        let folder = try Folder()
        try folder.write("huge.js", String(repeating: "bridge.callHandler('huge');", count: 50_000))
        try Data([0x62, 0, 0xFF]).write(to: URL(filePath: "\(folder.path)/binary.js"))
        try folder.write("sub/ok.js", "bridge.callHandler('ok')")
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
            "2 pages and scripts were read.", "  huge.js (more than 1024 KB)\n", "  binary.js (no text)\n",
            "  host.js (a link)\n", "  web/dist (built of other files)\n", "  ok  sub/ok.js:1",
        ] {
            #expect(output.contains(line), "\(line)")
        }
        for name in ["library", "hook", "fromDist", "\u{1B}"] { #expect(!output.contains(name)) }
    }

    @Test func readsNoMoreThanItsBounds() throws {
        let folder = try Folder()
        for number in 10..<20 { try folder.write("a\(number).js", "bridge.callHandler('call\(number)')") }
        var bounds = PageFiles.Bounds()
        bounds.files = 3
        let few = try PageFiles(in: folder.path, within: bounds)
        #expect(few.files.map(\.path) == ["a10.js", "a11.js", "a12.js"])
        #expect(few.leftOut == ["everything after 3 files (there is too much; name a smaller folder)"])
        bounds = PageFiles.Bounds()
        bounds.time = .zero
        #expect(try PageFiles(in: folder.path, within: bounds).files.isEmpty)
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
            with: "init stands before all else: drawbridge init; a folder of that name is ./init")
        #expect(await behind.child.exitCode() == 64)
        let near = try Self.start(in: folder, "-p", "0", "inti")
        _ = try await near.line(with: "there is no folder inti; did you mean drawbridge init?")
    }

    @Test func aProgramOfYourOwnKnowsWhatItsHandlersAnswer() async throws {
        let folder = try Folder()
        try folder.write("a.js", "bridge.callHandler('greet'); bridge.callHandler('getUser')")
        let output = try await Self.initialize("own-command", in: folder)
        #expect(output.contains("\nfound, and answered by handlers already:\n  greet  a.js:1"))
        #expect(output.hasSuffix("then own-command .\n"))
        #expect(try folder.read("drawbridge.json").contains(#""getUser": {}  // a.js:1"#))
    }

    @Test func helpSaysWhatItDoes() async throws {
        let folder = try Folder()
        let help = try await Self.initialize(in: folder, "--help")
        #expect(help.contains("USAGE: drawbridge init [folder] [--print]"))
    }
}
