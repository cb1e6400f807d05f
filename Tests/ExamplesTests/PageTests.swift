import Drawbridge
import Foundation
import TestSupport
import Testing

/// The page that the command serves, in Chromium.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PageTests {
    /// What each card must show, from top to bottom; a token is random.
    private static let answers: [(id: String, answer: String)] = [
        ("echo", #"{"code":200,"data":{"message":"Hello"},"message":""}"#),
        ("echo-path", #"{"code":200,"data":{"message":"Hello","list":[1,2,3]},"message":""}"#),
        ("echo-action", #"{"code":200,"data":{"message":"Hello","list":[1,2,3]},"message":""}"#),
        ("deviceInfo", ""),
        ("requestLocation", #"{"code":200,"data":"51.4779,-0.0015","message":""}"#),
        ("toast", #"{"code":200,"message":""}"#),
        ("login", #"{"code":200,"data":{"user":"ann","token":"TOKEN"},"message":""}"#),
        (
            "storage-write",
            #"{"code":200,"data":{"key":"theme","value":{"name":"dusk","size":16}},"message":""}"#
        ),
        (
            "storage-read",
            #"{"code":200,"data":{"key":"theme","value":{"name":"dusk","size":16}},"message":""}"#
        ),
        ("storage-list", #"{"code":200,"data":{"keys":["theme"]},"message":""}"#),
        ("storage-remove", #"{"code":200,"data":{"key":"theme"},"message":""}"#),
        ("alert", #"{"code":200,"data":{"result":"ok"},"message":""}"#),
        ("share", #"{"code":200,"data":{"statusCode":1},"message":""}"#),
        ("pay", #"{"code":200,"data":{"result":"ok"},"message":""}"#),
        ("makeACall", #"{"code":200,"data":{"result":"cancel"},"message":""}"#),
        ("openURL", #"{"code":200,"data":{"result":"cancel"},"message":""}"#),
        ("login-asked", #"{"code":200,"data":{"user":"ben","token":"TOKEN"},"message":""}"#),
        ("any", #"{"code":400,"message":"No response"}"#),
    ]

    @Test func everyButtonIsAnswered() async throws {
        // A home of its own, so that its storage begins empty.
        let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let given = [
            "alert=ok", "share=done", "pay=ok", "makeACall=cancel", "openURL=cancel",
            #"login={"user":"ben"}"#,
        ]
        let drawbridge = try Program(
            "env",
            [
                "HOME=\(home.path())", "XDG_STATE_HOME=\(home.path())", Program.path(of: "drawbridge"), "-p",
                "0",
            ] + given.flatMap { ["--choose", $0] })
        let address = try await drawbridge.address()
        let browser = try await Chromium()
        try await browser.open("\(address)/")

        let ids = try await browser.evaluate(
            "Array.from(document.querySelectorAll('.call'), card => card.id)")
        #expect(try ids.decode([String].self) == Self.answers.map(\.id))
        for (id, answer) in Self.answers {
            let card = try await browser.press(id)
            #expect(card.status.contains(/^HTTP 200, (code 400, )?\d+\.\d ms$/), "\(card)")
            #expect(card.answer.hasPrefix("{\n  \"code\": "), "\(card)")
            #expect(card.note.isEmpty)
            let shown = try card.json
            if id == "deviceInfo" {
                #expect(shown["data"]?["platform"] == "linux")
            } else {
                #expect(shown == (try JSON(answer)), "\(card)")
            }
            // The line for a terminal gets the same.
            #expect(try await card.run() == shown, "\(card.curl)")
        }
        #expect(
            try await browser.card("any").hint
                == "X-Drawbridge-Hint: no handler at /ehco; the nearest registered path is /echo")

        for (name, width) in [("desktop", 1280), ("phone", 390)] {
            for scheme in ["light", "dark"] {
                try await browser.show(width: width, height: 900, scheme: scheme)
                try await browser.evaluate(
                    "Promise.all(document.getAnimations().map(each => each.finished)).then(() => 0)")
                try await browser.screenshot("page-\(name)-\(scheme)")
            }
        }
        for width in [320, 360, 390, 768, 1280] {
            try await browser.show(width: width, height: 900)
            let isWithin = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            #expect(try await browser.evaluate(isWithin) == true, "at \(width)")
        }
    }

    @Test func anEditedInputIsWhatIsSent() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0"])
        let browser = try await Chromium()
        try await browser.open(drawbridge.address() + "/")

        let input = #"{"message": "it's 100 % \"Grüße\" & more", "number": 7, "nested": {"a": [true]}}"#
        try await browser.write(input, into: "#echo textarea")
        var card = try await browser.press("echo")
        let query =
            "message=it%27s%20100%20%25%20%22Gr%C3%BC%C3%9Fe%22%20%26%20more&number=7&nested=%7B%22a%22%3A%5Btrue%5D%7D"
        #expect(card.line == "GET /echo?_mobile_bridge=1&\(query)")
        // A query has only text.
        var data: JSON = [
            "message": #"it's 100 % "Grüße" & more"#, "number": "7", "nested": #"{"a":[true]}"#,
        ]
        #expect(try card.json["data"] == data)

        data = try JSON(input)
        for id in ["echo-path", "echo-action"] {
            try await browser.write(input, into: "#\(id) textarea")
            card = try await browser.press(id)
            #expect(try card.json["data"] == data)
            #expect(try await card.run()["data"] == data, "\(card.curl)")
        }

        // A number alone would be a form, as curl sends it.
        try await browser.write("7", into: "#echo-path textarea")
        card = try await browser.press("echo-path")
        #expect(try card.json["data"] == 7)
        #expect(try await card.run()["data"] == 7, "\(card.curl)")

        try await browser.write(#"{"message": "#, into: "#echo textarea")
        let problem = try await browser.evaluate("document.querySelector('#echo .problem').textContent")
        #expect(problem.stringValue?.hasPrefix("This cannot be sent: ") == true)
        #expect(try await browser.evaluate("document.querySelector('#echo .send').disabled") == true)
        try await browser.write(#"{"message": "again"}"#, into: "#echo textarea")
        card = try await browser.press("echo")
        #expect(try card.json["data"]?["message"] == "again")
    }

    @Test func whileItWaitsItSaysWhoIsAsked() async throws {
        let drawbridge = try Program.product("drawbridge", ["-p", "0"])
        let browser = try await Chromium()
        try await browser.open(drawbridge.address() + "/")
        for id in ["alert", "share", "pay", "makeACall", "openURL", "login-asked"] {
            // Read before the answer can have come.
            let note = try await browser.evaluate(
                """
                document.querySelector('#\(id) .send').click();
                document.querySelector('#\(id) .note').textContent
                """)
            let name =
                id == "login-asked" ? #"'login={"user":"ann"}'"# : id == "share" ? "share=done" : "\(id)=ok"
            #expect(
                note.stringValue == "Waiting: the terminal of the gateway asks now. "
                    + "To answer without a person, start it with --choose \(name)")
        }
    }

    @Test func aCallerWhoLeavesIsGone() async throws {
        let page = FileManager.default.currentDirectoryPath + "/examples/page"
        let server = try Program.product("test-server", ["-p", "0", "--root", page])
        let address = try await server.address()
        let browser = try await Chromium()
        try await browser.open("\(address)/")

        try await browser.write("wait", into: "#any input")
        try await browser.evaluate("document.querySelector('#any .send').click()")
        #expect(try await browser.card("any").note == "Waiting for the answer.")
        try await Self.reaches("[1,0]", at: address)
        // Sending once more takes the place of the first.
        try await browser.evaluate("document.querySelector('#any .send').click()")
        try await Self.reaches("[2,1]", at: address)
        try await browser.evaluate(
            "document.querySelector('#any .leave').focus(); document.activeElement.click()")
        let card = try await browser.card("any")
        #expect(card.note.contains(/^You left after \d+\.\d ms\./), "\(card)")
        try await Self.reaches("[2,2]", at: address)
        let leave = "document.querySelector('#any .leave').hidden && document.activeElement.className"
        #expect(try await browser.evaluate(leave) == "send")
    }

    @Test func theHandlerOnThePageIsTheExample() async throws {
        let folder = FileManager.default.currentDirectoryPath + "/examples"
        let example = try String(contentsOfFile: folder + "/hello/main.swift", encoding: .utf8)
        let page = try String(contentsOfFile: folder + "/page/index.html", encoding: .utf8)
        let snippet = try #require(page.firstMatch(of: /<pre id="hello"[^>]*>([^<]*)<\/pre>/)).output.1
        for part in snippet.split(separator: "\n\ntry gateway") {
            #expect(example.contains(part), "\(part)")
        }
        #expect(page.utf8.count < 24 << 10)
    }

    /// Waits until the test server has counted so many that wait, and that were left.
    private static func reaches(_ counts: String, at address: String) async throws {
        var seen = ""
        for _ in 0..<500 {
            seen = try await curl("\(address)/counts?_mobile_bridge=1")
            if seen.contains(counts) { return }
        }
        Issue.record("\(seen) instead of \(counts)")
    }

    /// Precedents: every local server whose interface a page of another site could reach.
    @Test func aForeignPageReachesNoHandler() async throws {
        let ours = try Program.product("drawbridge", ["-p", "0"])
        // Its own page runtime would bring calls for native home.
        let theirs = try Program.product("drawbridge", ["-p", "0", "--no-page-runtime"])
        let target = try await ours.address()
        let browser = try await Chromium()
        // The same machine by another name is another site.
        try await browser.open(theirs.address().replacing("127.0.0.1", with: "localhost") + "/")
        let seen = try await browser.evaluate(
            """
            (async () => {
                const target = '\(target)';
                const outcome = work => work.then(r => 'type ' + r.type, e => 'refused');
                const image = new Promise(done => {
                    const image = new Image();
                    image.onload = image.onerror = done;
                    image.src = target + '/echo?_mobile_bridge=1&way=image';
                });
                const script = new Promise(done => {
                    const script = document.createElement('script');
                    script.onload = script.onerror = done;
                    script.src = target + '/echo?_mobile_bridge=1&way=script';
                    document.head.append(script);
                });
                await image;
                await script;
                const results = [];
                results.push(await outcome(fetch(target + '/echo?_mobile_bridge=1&way=fetch')));
                results.push(await outcome(fetch(target + '/echo?_mobile_bridge=1&way=blind', {mode: 'no-cors'})));
                results.push(await outcome(fetch(target + '/__jsbridge__',
                    {method: 'POST', mode: 'no-cors', body: '{"action":"echo","data":"post"}'})));
                navigator.sendBeacon(target + '/__jsbridge__/echo', '{"data":"beacon"}');
                return results;
            })()
            """)
        guard case .array(let results) = seen else {
            Issue.record("\(seen)")
            return
        }
        #expect(results.first == "refused")
        for refused in [
            "way=image", "way=script", "way=fetch", "way=blind", "POST /__jsbridge__  ",
            "POST /__jsbridge__/echo  ",
        ] {
            #expect(try await ours.line(with: refused).contains("  refused  403  "))
        }
        #expect(!ours.output.contains("handler EchoHandler"), "\(ours.output)")
    }
}

/// What a card of the page shows.
private struct Card: Decodable {
    var line: String
    var curl: String
    var status: String
    var answer: String
    var hint: String
    var note: String

    /// The answer, as far as it can be known.
    var json: JSON { get throws { try JSON(answer) } }

    /// What its line for a terminal prints there.
    func run() async throws -> JSON {
        try JSON(try await Program("sh", ["-c", curl + " -sS --max-time 20"]).wholeOutput())
    }
}

extension JSON {
    /// Parses a text in which tokens, which are random, become one and the same.
    fileprivate init(_ text: String) throws {
        try self.init(parsing: Array(text.replacing(/"[0-9a-f]{32}"/, with: "\"TOKEN\"").utf8))
    }
}

extension Chromium {
    /// Presses the button of a card, and gives what it shows when there is an answer.
    fileprivate func press(_ id: String) async throws -> Card {
        try await evaluate(
            """
            document.querySelector('#\(id) .send').click();
            new Promise(done => {
                const card = document.querySelector('#\(id)');
                const look = () => card.matches('.answered, .failed') ? done() : setTimeout(look, 5);
                look();
            })
            """)
        return try await card(id)
    }

    fileprivate func card(_ id: String) async throws -> Card {
        let shown = try await evaluate(
            """
            Object.fromEntries(['line', 'curl', 'status', 'answer', 'hint', 'note'].map(
                part => [part, document.querySelector('#\(id) .' + part).textContent]))
            """)
        return try shown.decode(Card.self)
    }

    /// Replaces what stands in a field, as a person would.
    fileprivate func write(_ text: String, into selector: String) async throws {
        try await evaluate(
            """
            document.querySelector('\(selector)').select();
            document.execCommand('insertText', false, \(JSON.string(text)))
            """)
    }
}
