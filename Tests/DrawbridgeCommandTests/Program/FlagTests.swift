import Drawbridge
import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// What each flag does, seen from outside; and the environment and the configuration file, which say the same.
@Suite(.timeLimit(.minutes(5))) struct FlagTests {
    private static func drawbridge(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> Program {
        try .product("drawbridge", arguments, environment: environment)
    }

    // MARK: Where it listens

    /// Which port a command wanted is seen where another program has it.
    private static func refusedPort(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> String {
        let line = try await drawbridge(arguments, environment: environment).line(with: "cannot listen on")
        return try String(#require(line.firstMatch(of: /listen on (\S+ port \d+)/)).output.1)
    }

    @Test(arguments: ["--port ", "-p ", "-p", "--port="]) func aPortInUseIsReported(_ flag: String)
        async throws
    {
        let other = try Self.drawbridge(["-p", "0"])
        let port = try await other.port()
        let arguments = "\(flag)\(port)".split(separator: " ").map(String.init)
        #expect(try await Self.refusedPort(arguments) == "127.0.0.1 port \(port)")
    }

    /// On a machine of the test's own the usual port is free.
    @Test(.enabled("only the superuser makes network namespaces, with iproute2", Elsewhere.canBeMade))
    func theNextPortIsTakenUnlessANumberWasGiven() async throws {
        let elsewhere = try await Elsewhere()
        let command = try Program.path(of: "drawbridge")
        let first = try elsewhere.program(command, [])
        #expect(try await first.address() == "http://127.0.0.1:8080")
        let second = try elsewhere.program(command, [])
        let notice = try await second.line(with: "has port 8080")
        #expect(notice.contains(/drawbridge \(process \d+\) has port 8080; trying the next/), "\(notice)")
        #expect(try await second.address() == "http://127.0.0.1:8081")
        let third = try elsewhere.program(command, ["--port", "8080"])
        let error = try await third.line(with: "cannot listen on")
        #expect(
            error.contains(/drawbridge \(process \d+\) uses it; stop that program, or choose another/),
            "\(error)")
        #expect(await third.child.exitCode() == 1)
    }

    /// A setting that cannot have an effect is refused, not ignored.
    @Test(arguments: [
        (["--cors", "http://*.example.com"], "wildcards are not supported"),
        (["--single-page"], "--single-page: no folder is served"),
        (["--keep-host"], "--keep-host: there is no upstream"),
        (["--scheme", "a b"], "write its name alone"),
        (["--allowed-hosts", "a:b:c"], "write a whole name or an address"),
        (["--allowed-hosts", ".tunnel.example"], "write a whole name"),
        (["--allowed-hosts", "bücher.test"], "xn--bcher-kva.test"),
        (["--upstream", "http://ann:pw@a.example"], "http://ann:[removed]@a.example has a user name"),
        (["--shortcuts", "__proto__"], "not a name that a script could use"),
        (["--port", "\u{1B}[31mred"], "?[31mred"),
    ])
    func meaninglessArgumentsAreRefused(_ arguments: [String], _ why: String) async throws {
        let program = try Self.drawbridge(["-p", "0"] + arguments)
        let output = await program.wholeOutput()
        #expect(output.contains(why) && !output.contains("\u{1B}"), "\(output)")
        #expect(await program.child.exitCode() == 64)
    }

    /// The routes of an app with one page are not files.
    @Test func singlePageShowsTheIndexWhereThereIsNoFile() async throws {
        let folder = try Folder()
        try folder.write("index.html", "<!doctype html><title>app</title>")
        let settings = try folder.write("settings.json", #"{"single-page": true}"#)
        for (flags, isOn) in [
            (["--single-page"], true), (["--single-page", "--no-single-page"], false),
            (["-c", settings], true), (["-c", settings, "--no-single-page"], false),
        ] {
            let program = try Self.drawbridge(["-p", "0", folder.path] + flags)
            let address = try await program.address()
            func get(_ path: String, _ accept: String = "text/html") async throws -> String {
                try await curl("-i", "-H", "Accept: \(accept)", "\(address)\(path)")
            }
            for path in ["/user/7", "/user/ann.lee", "/v/1.2.0", "/mail/ann@example.com"] {
                let route = try await get(path)
                #expect(
                    isOn
                        ? route.contains("200 OK") && route.contains("<title>app")
                        : route.contains("404 Not Found"), "\(path): \(route)")
            }
            #expect(try await get("/user/7").contains("--single-page") == !isOn)
            for (path, accept) in [("/app.js", "text/html"), ("/user/7", "application/json")] {
                #expect(try await get(path, accept).contains("404"))
            }
            #expect(await program.stop() == 0)
        }
    }

    /// Settings are not served, however root and file are written, also while they are being saved.
    @Test func aFileOfMocksIsNotServedWhileItIsBeingSaved() async throws {
        let folder = try Folder()
        try folder.write("index.html", "x")
        let mocks = try folder.write("mocks.json", #"{"replies": {"a": 1}}"#)
        let program = try Self.drawbridge(
            [
                "-p", "0", "--root", "\(folder.path)/../\(folder.path.split(separator: "/").last ?? "")",
                "--replies", mocks,
            ])
        let address = try await program.address()
        let port = try await program.port()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let isOver = Observed(false)
            group.addTask {
                var count = 0
                while !isOver.value {
                    count += 1
                    let new = try folder.write("new.json", "{\"replies\": {\"a\": \(count)}}")
                    #expect(rename(new, mocks) == 0)
                }
            }
            try await blocking {
                for _ in 0..<300 {
                    let client = try RawClient(port)
                    try client.send("GET /mocks.json HTTP/1.0\r\nHost: localhost\r\n\r\n")
                    let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
                    #expect(!answer.contains("200 OK"))
                }
            }
            isOver.change { $0 = true }
            try await group.waitForAll()
        }
        #expect(try await curl("-o", "/dev/null", "-w", "%{http_code}", "\(address)/mocks.json") == "404")
        #expect(await program.stop() == 0)
    }

    @Test func hostChoosesTheAddressToListenOn() async throws {
        let program = try Self.drawbridge(["-p", "0", "--host", "127.0.0.2"])
        let address = try await program.address()
        #expect(address.hasPrefix("http://127.0.0.2:"))
        #expect(try await curl("\(address)/echo?_mobile_bridge=1&a=1").contains(#""data":{"a":"1"}"#))
    }

    @Test func graceLimitsHowLongAStopWaitsForRunningRequests() async throws {
        /// A server with a request under way.
        func waiting(_ grace: String) async throws -> (Program, RawClient, port: Int) {
            let program = try Program.product("test-server", ["-p", "0", "-v", "--grace", grace])
            let port = try await program.port()
            let client = try await blocking {
                let client = try RawClient(port)
                try client.send("GET /wait?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return client
            }
            _ = try await program.line(with: "Wait is asked")
            return (program, client, port)
        }
        // Without any, the request is not waited for.
        let (hasty, left, _) = try await waiting("0")
        #expect(await hasty.stop() == 0)
        left.close()
        // With an hour, it is: the end comes when the caller has gone.
        let (patient, caller, port) = try await waiting("3600")
        let exit = Observed<Int32?>(nil)
        Task {
            let code = await patient.stop()
            exit.change { $0 = code }
        }
        #expect(await eventually { (try? RawClient(port)) == nil })
        _ = try await patient.line(with: "stopping when the calls under way have ended, within 3600")
        #expect(exit.value == nil)
        caller.close()
        #expect(try await exit.wait { $0 != nil } == 0)
    }

    @Test(arguments: ["1MB", "1 mb", "1024k", "1048576"])
    func memoryForBodiesBoundsRequestBodies(_ size: String) async throws {
        let program = try Self.drawbridge(["-p", "0", "--memory-for-bodies", size])
        let port = try await program.port()
        let answer = try await blocking {
            let client = try RawClient(port)
            try client.send(
                """
                POST /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\
                Content-Length: 2000000\r\n\r\n
                """)
            return try client.reply()
        }
        #expect(answer.status == 503)
        #expect(answer["Retry-After"] == "1")
        try await program.line(with: "raise it with --memory-for-bodies")
    }

    /// A page that can only GET sends its input in the query.
    @Test func memoryPerConnectionBoundsTheHeadOfARequest() async throws {
        func answer(to query: String, _ arguments: [String]) async throws -> (String, Program) {
            let program = try Self.drawbridge(["-p", "0"] + arguments)
            let address = try await program.address()
            return (try await curl("\(address)/echo?_mobile_bridge=1&a=\(query)"), program)
        }
        let query = String(repeating: "x", count: 24_000)
        let (refused, program) = try await answer(to: query, [])
        #expect(!refused.contains(query))
        try await program.line(with: "-  refused  414  /echo: the target has more than 8000 bytes")
        let (taken, _) = try await answer(to: query, ["--memory-per-connection", "64KB"])
        #expect(taken.contains(query))
    }

    @Test(arguments: ["0", "many", "1000", "1TB", "-1"])
    func anInvalidSizeIsRefused(_ size: String) async throws {
        let program = try Self.drawbridge(["--memory-for-bodies=\(size)"])
        #expect(await program.child.exitCode() == 64)
        try await program.line(with: "--memory-for-bodies")
    }

    // MARK: What it serves

    @Test func theOpenFlagOpensThePageInTheDesktopsBrowser() async throws {
        let desktop = try FakeDesktop()
        let program = try Self.drawbridge(
            ["-p", "0", "--open", "--no-inspector"], environment: desktop.environment)
        let address = try await program.address()
        #expect(try await desktop.address() == "\(address)/", "\(program.output)")
    }

    @Test func withoutADisplayTheOpenFlagSaysSo() async throws {
        var environment = try FakeDesktop().environment
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"] { environment[name] = "" }
        let program = try Self.drawbridge(["-p", "0", "--open", "--no-inspector"], environment: environment)
        let address = try await program.address()
        try await program.line(with: "cannot open \(address)/: no display here")
    }

    /// Every user of a machine can read the arguments of every program.
    @Test func theBrowsersCommandLineDoesNotContainTheTicket() async throws {
        let address = try addressForOthers()
        let desktop = try FakeDesktop()
        let program = try Self.drawbridge(
            ["-p", "0", "--host", address, "--open", "--no-inspector"], environment: desktop.environment)
        let link = try await program.line(with: "  link  ").trimmingPrefix("  link      ")
        // What the browser is given, who may read it, and what is in it.
        let lines = try await desktop.file()
        let file = try #require(lines.first, "\(program.output)")
        #expect(file.hasPrefix(desktop.folder.path) && !file.contains("#"))
        #expect(lines[1...2] == ["600", "700"])
        #expect(lines.contains { $0.contains(#"location.replace("\#(link)")"#) })
        // It goes with the process.
        #expect(await program.stop() == 0)
        #expect(desktop.folders == 0)
        let both = try Self.drawbridge(
            ["-p", "0", "--host", address, "--open"], environment: desktop.environment)
        _ = try await both.line(with: "  link  ")
        // One leads to the page, and one to the inspector.
        #expect(await eventually { desktop.folders == 2 })
        #expect(await both.stop() == 0)
        #expect(desktop.folders == 0)
    }

    @Test func theNoOpenFlagOverridesTheFile() async throws {
        let folder = try Folder()
        let config = try folder.write("settings.json", #"{"open": true}"#)
        let arguments = ["-p", "0", "-c", config]
        let nowhere = ["PATH": "/nowhere"]
        let told = try Self.drawbridge(arguments, environment: nowhere)
        _ = try await told.line(with: "cannot open http")
        let untold = try Self.drawbridge(arguments + ["--no-open"], environment: nowhere)
        _ = try await curl("\(untold.address())/")
        _ = try await untold.line(with: "GET /")
        #expect(!untold.output.contains("cannot open"))
    }

    @Test func theOpenFlagReportsThatThereIsNoDesktop() async throws {
        let program = try Self.drawbridge(["-p", "0", "--open"], environment: ["PATH": "/nowhere"])
        #expect(try await program.line(with: "cannot open http").contains("install xdg-utils"))
        #expect(try await curl("\(program.address())/__drawbridge__/health").contains("ok"))
    }

    // MARK: What pages are given

    /// A flag and what the page runtime is told with it.
    struct Told: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let part: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(arguments: [
        Told(
            arguments: ["--scheme", "MiZhua,app", "--scheme", "x"], part: #""schemes":["mizhua","app","x"]"#),
        Told(arguments: ["--command-item", "action"], part: #""commandItem":"action""#),
        Told(
            arguments: ["--message-handler", "JSBridge", "--message-handler", "ask=reply"],
            part: #""messageHandlers":["JSBridge","ask"],"replyHandlers":["ask"]"#),
        Told(
            arguments: ["--inject", "callNative, fetchMessages"],
            part: #""inject":["callNative","fetchMessages"]"#),
        Told(arguments: ["--shortcuts", "MyApp"], part: #""shortcuts":["MyApp"]"#),
        Told(
            arguments: ["--bridge", "flutter", "--bridge", #"object={"object": "Shop"}"#],
            part:
                #""bridges":[{"name":"flutter","options":{}},{"name":"object","options":{"object":"Shop"}}]"#),
        Told(
            arguments: ["--user-agent", "{{userAgent}} Shop/1"], part: #""userAgent":"{{userAgent}} Shop/1""#),
        Told(arguments: ["--answer-missing"], part: #""missing":"answer""#),
        Told(arguments: ["--in-app", "mocks"], part: #""inApp":"mocks""#),
        Told(arguments: ["--answer-missing", "--no-answer-missing"], part: #""missing":"silent""#),
    ])
    func flagsConfigureThePageRuntime(_ told: Told) async throws {
        let program = try Self.drawbridge(["-p", "0"] + told.arguments)
        let script = try await curl("\(program.address())/__drawbridge__/page.js")
        #expect(script.contains(told.part))
    }

    @Test func theConfigurationFileConfiguresThePageRuntimeToo() async throws {
        let folder = try Folder()
        let config = try folder.write(
            "settings.json",
            #"{"scheme": ["mizhua"], "message-handler": ["A", "B=reply"], "inject": "f", "shortcuts": ["M"], "#
                + #""answer-missing": true, "command-item": "c", "plain": ["/p"]}"#)
        let program = try Self.drawbridge(["-p", "0", "-c", config])
        let script = try await curl("\(program.address())/__drawbridge__/page.js")
        for part in [
            #""schemes":["mizhua"]"#, #""messageHandlers":["A","B"],"replyHandlers":["B"]"#,
            #""inject":["f"]"#,
            #""shortcuts":["M"]"#, #""missing":"answer""#, #""commandItem":"c""#,
        ] { #expect(script.contains(part), "\(part)") }
    }

    @Test func aPathWithAWildcardInItsMiddleIsRefused() async throws {
        let program = try Self.drawbridge(["--plain", "/docs/*/x"])
        #expect(await program.child.exitCode() == 64)
        let said = await program.wholeOutput()
        #expect(said.contains("--plain /docs/*/x: * matches the rest of a path"))
    }

    @Test func aPathWithoutItsSlashIsRefused() async throws {
        let folder = try Folder()
        let file = try folder.write("own.json", #"{"plain": ["docs/*"]}"#)
        for arguments in [["--plain", "docs/*"], ["-c", file]] {
            let program = try Self.drawbridge(arguments)
            #expect(await program.child.exitCode() != 0)
            #expect(await program.wholeOutput().contains("docs/*: a path begins with /"))
        }
    }

    @Test func withoutThePageRuntimeDocumentsAreUnchanged() async throws {
        let folder = try Folder()
        let page = "<!doctype html><title>t</title>"
        try folder.write("docs/plain.html", page)
        try folder.write("page.html", page)
        let root = ["-p", "0", "--root", folder.path]
        let some = try Self.drawbridge(root + ["--plain", "/docs/*"])
        #expect(try await curl("\(some.address())/docs/plain.html") == page)
        #expect(try await curl("\(some.address())/page.html").contains("/__drawbridge__/page.js"))
        let none = try Self.drawbridge(root + ["--plain", "/*"])
        #expect(try await curl("\(none.address())/page.html") == page)
        #expect(try await curl("\(none.address())/__drawbridge__/page.js").contains("404"))
        #expect(!none.output.contains("/__drawbridge__/pages"))
    }

    @Test(arguments: [
        (["--scheme", "a b://"], "write its name alone"),
        (["--scheme", "http"], "--scheme http: browsers use it themselves"),
        (["--scheme", "app,HTTPS"], "--scheme HTTPS: browsers use it themselves"),
        (["--scheme", "javascript"], "write the app's own, for instance mizhua"),
        (["--trusted-proxy", "all"], "is not an address; write it as numbers"),
        (["--inject", "a-b"], "not a name that a script could use"),
        (["--bridge", "fluter"], "no bridge fluter; is it flutter?"),
        (["--bridge", "./none.js"], "cannot read the script ./none.js"),
        (["--bridge", "flutter", "--bridge", "flutter"], "there are two bridges flutter"),
        (["--bridge", "object=[1]"], "the options of the bridge object must be an object"),
        (["--bridge", "object={"], "its options are not JSON"),
        (["--user-agent", "{{user}}"], "write a text in ASCII"),
        (["--shortcuts", "1x"], "not a name that a script could use"),
        (
            ["--shortcuts", "MyApp,MessageChannel"],
            "--shortcuts MessageChannel: browsers have an object of this name"
        ),
        (["--message-handler", "a b.c"], "not a name that a script could use"),
    ])
    func namesThatNoPageCouldUseAreRefused(_ arguments: [String], _ reason: String) async throws {
        let program = try Self.drawbridge(["-p", "0"] + arguments)
        _ = try await program.line(with: reason)
        #expect(await program.child.exitCode() == 64)
    }

    @Test func aTesterCallsPagesWithThePrintedToken() async throws {
        let program = try Self.drawbridge(["-p", "0"])
        let line = try await program.line(with: "/__drawbridge__/pages")
        let token = try #require(line.firstMatch(of: /Authorization: Bearer ([0-9a-f]{32})/)).output.1
        let url = try await "\(program.address())/__drawbridge__/pages"
        #expect(try await curl("-H", "Authorization: Bearer \(token)", url).contains(#""data":[]"#))
        #expect(try await curl(url).contains("tester's token"))
        // Each secret has a header of its own.
        #expect(try await curl("-H", "X-Drawbridge-Token: \(token)", url).contains("tester's token"))
    }

    @Test func aChosenTokenIsUsedAndNeverPrinted() async throws {
        let chosen = "My_own-Token-of-32-characters-00"
        for format in ["text", "json"] {
            let program = try Self.drawbridge(
                ["-p", "0", "-v", "--log-format", format], environment: ["DRAWBRIDGE_TOKEN": chosen])
            let url = try await "\(program.address())/__drawbridge__/pages"
            #expect(try await curl("-H", "Authorization: Bearer \(chosen)", url).contains(#""data":[]"#))
            #expect(!program.output.contains(chosen))
        }
    }

    @Test(arguments: [
        "short", "31-characters-are-one-too-few--", "a space is no character of a token, no",
        "nor-is-a-quote-\"-in-one-of-32-characters",
    ])
    func aTokenThatCouldBeGuessedIsRefusedWithoutBeingPrinted(chosen: String) async throws {
        let program = try Self.drawbridge(["-p", "0"], environment: ["DRAWBRIDGE_TOKEN": chosen])
        _ = try await program.line(with: "DRAWBRIDGE_TOKEN: a token has 32 characters or more")
        #expect(await program.child.exitCode() == 64)
        #expect(!program.output.contains(chosen))
    }

    // MARK: What handlers answer

    @Test func chooseReadsAnswersFromAFile() async throws {
        let folder = try Folder()
        let file = try folder.write("answers.json", #"{"alert":"ok","login":{"user":"bob"},"share":"fail"}"#)
        // What comes later wins.
        let program = try Self.drawbridge(["-p", "0", "--choose", "@\(file)", "--choose", "share=done"])
        let address = try await program.address()
        #expect(try await curl("\(address)/alert?_mobile_bridge=1").contains(#"{"result":"ok"}"#))
        #expect(try await curl("\(address)/login?_mobile_bridge=1").contains(#""user":"bob""#))
        #expect(try await curl("\(address)/share?_mobile_bridge=1").contains(#"{"statusCode":1}"#))
        // Nobody can be asked.
        #expect(
            try await curl("\(address)/pay?_mobile_bridge=1&type=a&price=1").contains(#"{"result":"cancel"}"#)
        )
        #expect(try await program.line(with: "; it was cancelled").contains("--choose 'pay=ok'"))
    }

    @Test(arguments: [
        ("--no-envelope", #"{"message":"a"}"#),
        ("--envelope", #"{"code":200,"data":{"message":"a"},"message":""}"#),
    ])
    func theEnvelopeFlagDecidesWhetherAnswersHaveOne(_ flag: String, _ answer: String) async throws {
        let program = try Self.drawbridge(["-p", "0", flag])
        #expect(try await curl("\(program.address())/echo?_mobile_bridge=1&message=a") == answer)
    }

    @Test(arguments: [
        ([], #"{"code":200,"data":"51.4779,-0.0015","message":""}"#),
        (["--reply", #"requestLocation="59.33,18.07""#], #"{"code":200,"data":"59.33,18.07","message":""}"#),
        (
            [
                "--reply",
                #"requestLocation={"$error": {"code": 1, "message": "the person has not allowed it"}}"#,
            ], #"{"code":1,"message":"the person has not allowed it"}"#
        ),
    ])
    func aDeviceIsAtGreenwichUnlessAMockSaysOtherwise(_ flags: [String], _ answer: String) async throws {
        let program = try Self.drawbridge(["-p", "0"] + flags)
        #expect(try await curl("\(program.address())/requestLocation?_mobile_bridge=1") == answer)
    }

    /// As the page runtime asks, in a browser that a program drives.
    @Test(arguments: [("auto", "its browser is driven by a program"), ("off", "--ask off")])
    func whereNoPageIsAskedTheLogSaysWhy(_ value: String, _ reason: String) async throws {
        let program = try Self.drawbridge(["-p", "0", "--built-ins", "--ask", value])
        let address = try await program.address()
        let page = try await curl("\(address)/")
        let token = try #require(page.firstMatch(of: /data-token="([^"]+)"/)).output.1
        let id = String(repeating: "a", count: 32)
        let answer = try await curl(
            "\(address)/alert?_mobile_bridge=1", "-H", "X-Drawbridge-Token: \(token)",
            "-H", "X-Drawbridge-Page: \(id)", "-H", "X-Drawbridge-Path: /", "-H", "X-Drawbridge-Driven: 1")
        #expect(answer.contains("cancel"))
        _ = try await program.line(with: "alert is not asked over the page: \(reason)")
    }

    @Test func anAnswerToAnUnknownQuestionGetsASuggestion() async throws {
        let program = try Self.drawbridge([
            "-p", "0", "--choose", "alrt=ok", "--choose", "delte=keep", "--choose", "mine=1", "--reply",
            #"delete={"$ask": "Delete?", "$choices": {"delete": 1, "keep": 2}}"#,
        ])
        #expect(try await program.line(with: "--choose alrt").hasSuffix("did you mean alert?"))
        #expect(try await program.line(with: "--choose delte").hasSuffix("did you mean delete?"))
        #expect(!program.output.contains("--choose mine"))
    }

    @Test func storageSurvivesARestart() async throws {
        let folder = try Folder()
        let file = "\(folder.path)/kept.json"
        let first = try Self.drawbridge(["-p", "0", "--storage", file])
        _ = try await curl(
            "-d", #"{"key":"theme","value":"dark"}"#, "\(first.address())/__jsbridge__/storage")
        #expect(await first.stop() == 0)
        let second = try Self.drawbridge(["-p", "0", "--storage", file])
        #expect(
            try await curl("\(second.address())/storage?_mobile_bridge=1&key=theme")
                == #"{"code":200,"data":{"key":"theme","value":"dark"},"message":""}"#)
        #expect(try folder.read("kept.json") == #"{"theme":"dark"}"#)
    }

    @Test func storageIsInTheHomeFolderByDefault() async throws {
        let folder = try Folder()
        let environment = ["HOME": folder.path, "XDG_STATE_HOME": ""]
        let program = try Self.drawbridge(["-p", "0"], environment: environment)
        _ = try await curl("-d", #"{"key":"a","value":1}"#, "\(program.address())/__jsbridge__/storage")
        #expect(try folder.read(".local/state/drawbridge/storage.json") == #"{"a":1}"#)
    }

    /// Pages of all projects are of one origin, and each has a storage of its own.
    @Test func eachProjectHasItsOwnStorage() async throws {
        let folder = try Folder()
        for name in ["shop/index.html", "shop/copy/shop/index.html"] { try folder.write(name, "") }
        let environment = ["XDG_STATE_HOME": "\(folder.path)/state"]
        let projects = [
            ["--root", "\(folder.path)/shop"], ["--root", "\(folder.path)/shop/copy/shop"],
            ["--upstream", "http://127.0.0.1:1"], ["--upstream", "http://127.0.0.1:2"], [],
        ]
        func kept(_ project: [String], set: Bool) async throws -> String {
            let program = try Self.drawbridge(["-p", "0"] + project, environment: environment)
            let url = try await "\(program.address())/__jsbridge__/storage"
            if set { _ = try await curl("-d", #"{"key":"\#(project.last ?? "none")","value":1}"#, url) }
            let answer = try await curl("-d", "{}", url)
            #expect(await program.stop() == 0)
            return answer
        }
        for project in projects {
            let answer = try await kept(project, set: true)
            #expect(
                try JSON(parsing: Array(answer.utf8))["data"]?["keys"]?.arrayValue?.count == 1, "\(answer)")
        }
        // The same project by another spelling has the same.
        let again = try await kept(["--root", "\(folder.path)/shop/copy/../"], set: false)
        #expect(again.contains("\(folder.path)/shop"), "\(again)")
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/state/drawbridge")
        #expect(files.filter { $0.hasPrefix("storage-shop-") && $0.hasSuffix(".json") }.count == 2)
        #expect(files.contains("storage.json"))
    }

    /// Opening a pipe that nobody writes to would wait for ever.
    @Test(.timeLimit(.minutes(5))) func aStorageThatIsNotAFileEndsTheStart() async throws {
        let folder = try Folder()
        let pipe = "\(folder.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let program = try Self.drawbridge(["-p", "0", "--storage", pipe])
        _ = try await program.line(with: "\(pipe) is not a file, but a folder, a pipe or a device")
        #expect(await program.child.exitCode() == 1)
    }

    // MARK: What it says

    @Test(arguments: ["-q", "--quiet"]) func quietLogsOnlyWarnings(_ flag: String) async throws {
        let program = try Self.drawbridge(["-p", "0", flag])
        let address = try await program.address()
        _ = try await curl("\(address)/echo?_mobile_bridge=1")
        // What is warned of is said all the same.
        _ = try await curl("\(address)/ehco?_mobile_bridge=1")
        _ = try await program.line(with: "nearest registered path is /echo")
        #expect(await program.stop() == 0)
        let lines = await program.wholeOutput().split(separator: "\n")
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first == "drawbridge listens on \(address)")
    }

    @Test(arguments: ["-v", "--verbose"]) func verboseLogsInputsAndOutputs(_ flag: String) async throws {
        let program = try Self.drawbridge(["-p", "0", flag])
        let address = try await program.address()
        _ = try await curl("-d", #"{"action":"echo","data":{"a":1}}"#, "\(address)/__jsbridge__")
        #expect(try await program.line(with: "EchoHandler is asked").contains(#"{"a":1}"#))
        _ = try await program.line(with: #"  {"a":1}  request="#)
        #expect(!program.output.contains("EchoHandler answers"))
        let long = String(repeating: "x", count: 600)
        _ = try await curl("\(address)/echo?_mobile_bridge=1&text=\(long)")
        let cut = try await program.line(with: "[...]")
        #expect(cut.contains("EchoHandler is asked text=xxx") && cut.count < 600, "\(cut)")
    }

    /// Without the link no other machine could load anything.
    @Test func everyFormOfTheBannerHasTheLink() async throws {
        let address = try addressForOthers()
        let quiet = try Self.drawbridge(["-p", "0", "-q", "--host", address])
        let line = try await quiet.line(with: "link ")
        #expect(
            line.wholeMatch(of: /link http:\/\/[0-9.]+:\d+\/__drawbridge__\/enter#[0-9a-f]{40}/) != nil,
            "\(line)")
        let plain = try Self.drawbridge(["-p", "0", "--host", address])
        #expect(try await plain.line(with: "anyone on this network can read").contains("--cert, --key"))
        let json = try Self.drawbridge(["-p", "0", "--log-format", "json", "--host", address])
        let banner = try JSON(parsing: Array(try await json.line(with: "listening").utf8))
        let link = try #require(banner["links"]?[0]?.stringValue)
        #expect(link.hasPrefix("http://\(address):") && banner["token"] == nil)
        #expect(banner["handlers"]?["/echo"] == "EchoHandler")
        #expect(banner["openToOthers"] == true)
        let page = try #require(banner["page"]?.stringValue)
        // What this machine asks by that address comes from there, and not from this machine.
        #expect(try await curl("-i", page).hasPrefix("HTTP/1.1 403"))
        let parts = link.split(separator: "#").map(String.init)
        let entered = try await curl("-i", "-d", parts[1], parts[0])
        let cookie = try #require(entered.firstMatch(of: /Set-Cookie: ([^;]+);/)).output.1
        #expect(try await curl("-i", "-H", "Cookie: \(cookie)", page).hasPrefix("HTTP/1.1 200"))
    }

    @Test func theLogCanBeJSONForPrograms() async throws {
        let program = try Self.drawbridge(["-p", "0", "--log-format", "json"])
        let address = try await program.address()
        let headers = try await curl(
            "-i", "-H", "X-Request-Id: mine-1", "\(address)/echo?_mobile_bridge=1&a=%22")
        #expect(headers.contains("X-Request-Id: mine-1"))
        _ = try await curl("\(address)/ehco?_mobile_bridge=1")
        _ = try await program.line(with: "/ehco?")
        #expect(await program.stop() == 0)
        let lines = try await program.wholeOutput().split(separator: "\n").map {
            try JSON(parsing: Array($0.utf8))
        }
        for line in lines {
            #expect(
                line["time"]?.stringValue?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            #expect(line["level"]?.stringValue != nil)
        }
        #expect(lines.first?["message"] == "listening")
        #expect(lines.first?["address"] == .string(address))
        // Other lines may be about the same request, such as that it took long.
        let access = try #require(lines.first { $0["request"] == "mine-1" && $0["target"] != nil })
        #expect(access["method"] == "GET")
        #expect(access["target"] == "/echo?_mobile_bridge=1&a=%22")
        #expect(access["by"] == "handler EchoHandler")
        #expect(access["status"] == 200)
        #expect(access["bytes"] == 43)
        #expect(access["remote"] == "127.0.0.1")
        #expect(access["milliseconds"]?.numberValue != nil)
        let warning = try #require(lines.first { $0["level"] == "warning" })
        #expect(warning["message"]?.stringValue?.contains("nearest registered path") == true)
        let unanswered = try #require(lines.first { $0["target"] == "/ehco?_mobile_bridge=1" })
        #expect(unanswered["code"] == 400 && unanswered["request"] == warning["request"])
    }

    @Test func answersSayHowLongTheHandlerTook() async throws {
        let program = try Self.drawbridge(["-p", "0"])
        let answer = try await curl("-i", "\(program.address())/echo?_mobile_bridge=1")
        #expect(
            answer.firstMatch(of: /Server-Timing: handler;desc="EchoHandler";dur=[\d.]+/) != nil,
            "\(answer)")
    }

    // MARK: Precedence

    @Test func aFlagBeatsTheEnvironmentWhichBeatsTheFileWhichBeatsTheDefault() async throws {
        let folder = try Folder()
        let others = try (3...5).map { try Self.drawbridge(["-p", "0", "--host", "127.0.0.\($0)"]) }
        var ports: [Int] = []
        for other in others { try await ports.append(other.port()) }
        let config = try folder.write(
            "settings.json", #"{"port": \#(ports[0]), "host": "127.0.0.3"}"#)
        #expect(try await Self.refusedPort(["-c", config]) == "127.0.0.3 port \(ports[0])")
        let environment = ["PORT": "\(ports[1])", "DRAWBRIDGE_HOST": "127.0.0.4"]
        #expect(
            try await Self.refusedPort(["--config", config], environment: environment)
                == "127.0.0.4 port \(ports[1])")
        let flags = ["-c", config, "-p", "\(ports[2])", "--host", "127.0.0.5"]
        #expect(
            try await Self.refusedPort(flags, environment: environment) == "127.0.0.5 port \(ports[2])")
    }

    @Test func aWrongPortInTheEnvironmentIsAUsageError() async throws {
        let program = try Self.drawbridge([], environment: ["PORT": "eighty"])
        #expect(await program.child.exitCode() == 64)
        _ = try await program.line(with: "PORT=eighty: a port is a number from 0 to 65535")
    }

    @Test(
        arguments: ["--port", "--inspector-port", "--grace", "--drain", "--journal", "--upstream-timeout"],
        ["0x1", "+1", "1e1", "nan"])
    func aNumberIsWrittenInDigits(_ flag: String, _ number: String) async throws {
        let program = try Self.drawbridge(["\(flag)=\(number)"])
        #expect(await program.child.exitCode() == 64)
        _ = try await program.line(with: "write a number in digits")
    }

    // MARK: Files that it names

    /// A pipe that nobody writes to is empty, and what never ends has too much.
    @Test(arguments: [
        ["-c", "FILE"], ["--replies", "FILE"], ["--choose", "@FILE"], ["--bridge", "FILE.js"],
        ["--upstream-ca", "FILE"],
        ["--cert", "FILE", "--key", "KEY"], ["--cert", "CERT", "--key", "FILE"],
    ])
    func whatIsNotAFileEndsTheStart(_ arguments: [String]) async throws {
        let folder = try Folder()
        let certificates = try Certificates()
        let (certificate, key) = try await certificates.make()
        defer { withExtendedLifetime(certificates) {} }
        for name in ["pipe", "pipe.js"] { #expect(mkfifo("\(folder.path)/\(name)", 0o600) == 0) }
        #expect(symlink("/dev/zero", "\(folder.path)/zero.js") == 0)
        for file in ["\(folder.path)/pipe", folder.path, "\(folder.path)/none", "/dev/zero"] {
            let other = file == "/dev/zero" ? "\(folder.path)/zero.js" : "\(file).js"
            let named = arguments.map {
                $0.replacing("FILE.js", with: other).replacing("FILE", with: file)
                    .replacing("CERT", with: certificate).replacing("KEY", with: key)
            }
            let program = try Self.drawbridge(["-p", "0"] + named)
            #expect([1, 64].contains(await program.child.exitCode()), "\(named)")
            _ = try await program.line(with: named.contains(other) ? other : file)
        }
    }
}
