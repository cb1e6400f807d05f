import Drawbridge
import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The examples as their readers run them.
@Suite(.timeLimit(.minutes(5))) struct ExamplesTests {
    /// Its own handlers come before those that come with the command.
    @Test func theHelloExampleAddsItsHandlerToThoseOfTheCommand() async throws {
        let hello = try Program.product("hello", ["-p", "0", "--choose", "alert=ok"])
        #expect(try await hello.line(with: "listens on").hasPrefix("hello listens on http://"))
        _ = try await hello.line(with: "  handlers  /hello")
        _ = try await hello.line(with: "  built-in  /alert, /deviceInfo, /echo, ")
        let address = try await hello.address()
        _ = try await hello.line(with: "  try       curl '\(address)/hello?_mobile_bridge=1'")
        #expect(
            try await curl("\(address)/hello?_mobile_bridge=1&name=Ann")
                == #"{"code":200,"data":{"greeting":"Hello, Ann!"},"message":""}"#)
        #expect(try await curl("\(address)/alert?_mobile_bridge=1").contains(#"{"result":"ok"}"#))
        _ = try await curl("\(address)/helo?_mobile_bridge=1")
        _ = try await hello.line(
            with:
                #"did you mean hello? Else add a handler: gateway.register(…, at: "/helo"), or mock it: --reply"#
        )
        #expect(await hello.stop() == 0)

        let help = try Program.product("hello", ["--help"])
        #expect(await help.wholeOutput().contains("USAGE: hello [options]"))
    }

    @Test func theHelloExampleSaysInOneLineWhyItCannotListen() async throws {
        let first = try Program.product("hello", ["-p", "0"])
        let second = try await Program.product("hello", ["-p", "\(first.port())"])
        #expect(await second.child.exitCode() == 1)
        let output = await second.wholeOutput()
        #expect(output.hasPrefix("hello: cannot listen on 127.0.0.1 port"))
        #expect(output.split(separator: "\n").count == 1, "\(output)")
    }

    /// What leaves `main` is a crash, in whose lines the sentence is hard to find.
    @Test func theDrivingExampleSaysWhyItCannotListen() async throws {
        let first = try Program.product("driving", ["0"])
        let second = try await Program.product("driving", ["\(first.port())"])
        _ = try await second.line(with: "cannot listen on 127.0.0.1 port")
    }

    @Test func theMiddlewareExampleRequiresATokenAndReportsDurations() async throws {
        let program = try Program.product("middleware", ["-p", "0"])
        let address = try await program.address()
        let target = "\(address)/echo?_mobile_bridge=1&message=Hello"
        let refused = try await curl("-i", target)
        #expect(refused.hasPrefix("HTTP/1.1 401"))
        #expect(refused.contains("WWW-Authenticate: Bearer"))
        #expect(refused.contains("Server-Timing: gateway;dur="))
        _ = try await program.line(with: "GET /echo was answered with 401")
        let taken = try await curl("-i", "-H", "Authorization: Bearer open-sesame", target)
        #expect(taken.contains(#"{"code":200,"data":{"message":"Hello"},"message":""}"#))
        #expect(taken.contains(#"Server-Timing: handler;desc="EchoHandler";dur="#))
        #expect(taken.contains("Server-Timing: gateway;dur="))
    }

    @Test func theStreamingExampleSendsEventsAsTheyCome() async throws {
        let program = try Program.product("streaming", ["-p", "0"])
        let address = try await program.address()
        let reader = try Program("curl", ["-sN", "\(address)/countdown?_mobile_bridge=1&from=2"])
        let long = try Program("curl", ["-sN", "\(address)/countdown?_mobile_bridge=1&from=3600"])
        // The rest, an hour of it, has not come yet.
        _ = try await long.line(with: "data: 3600")
        #expect(await reader.wholeOutput() == "data: 2\n\ndata: 1\n\ndata: 0\n\n")
        #expect(try await curl("\(address)/countdown?_mobile_bridge=1&from=9999").contains(#""code":400"#))
    }

    @Test func notesOfTwoRequestsAreInOneNotebook() async throws {
        let program = try Program.product("Notes", ["-p", "0"])
        let target = "\(try await program.address())/__jsbridge__/notes"
        _ = try await curl("-d", #"{"text":"buy milk"}"#, target)
        #expect(
            try await curl("-d", #"{"text":"buy bread"}"#, target)
                == #"{"code":200,"data":{"notes":["buy milk","buy bread"]},"message":""}"#)
    }

    @Test func theNotesExamplePageKeepsItsNotes() async throws {
        let folder = Manual.root.appending(path: "examples/notes/page").path()
        let program = try Program.product("Notes", ["-p", "0", "--root", folder])
        let browser = try await Chromium()
        try await browser.open("\(program.address())/")
        for (note, shown) in [("buy milk", "buy milk"), ("buy bread", "buy milk\nbuy bread")] {
            let text = try await browser.evaluate(
                """
                document.querySelector('input').value = '\(note)';
                document.querySelector('button').click();
                new Promise(done => {
                    const look = () => {
                        const text = document.querySelector('pre').textContent;
                        text.endsWith('\(note)') ? done(text) : setTimeout(look, 5);
                    };
                    look();
                })
                """)
            #expect(text == .string(shown))
        }
    }

    @Test func theRewritingExampleChangesTheRequestAndTheAnswer() async throws {
        let program = try Program.product("rewriting", ["-p", "0"])
        let address = try await program.address()
        let cat = try await curl("-i", "\(address)/picture?_mobile_bridge=1&name=cat")
        #expect(cat.hasPrefix("HTTP/1.1 200") && cat.hasSuffix("<svg xmlns='http://www.w3.org/2000/svg'/>"))
        #expect(cat.contains("Cache-Control: max-age=60") && cat.contains("Content-Type: image/svg+xml"))
        let outside = try await curl("\(address)/picture?_mobile_bridge=1&name=../a")
        #expect(outside.contains("name: write letters"))
        let dog = try await curl("\(address)/picture?_mobile_bridge=1&name=dog")
        #expect(dog.contains(#""code":404"#) && dog.contains("nothing at /pictures/dog.svg"))
    }

    @Test func oneHandlerAnswersTheAppCurlAndAPage() async throws {
        let program = try Program.product("one-handler", ["0"])
        _ = try await program.line(with: "the app is told: Hello, Bob!")
        _ = try await program.line(with: "the app is told: Hello, Dora!")
        let address = try await program.address()
        #expect(
            try await curl("\(address)/greet?_mobile_bridge=1&name=Ann")
                == #"{"code":200,"data":{"greeting":"Hello, Ann!"},"message":""}"#)
        let browser = try await Chromium()
        try await browser.open("\(address)/")
        #expect(try await browser.shown("h1") == "Hello, Cleo!")
        // The class that was written for an app.
        let alert = try await curl("-i", "\(address)/alert?_mobile_bridge=1&title=Hello")
        #expect(alert.contains("Content-Type: text/json") && alert.contains(#"{"result":"ok"}"#))
    }

    @Test func theDrivingExamplePrintsWhatThePagesAnswer() async throws {
        let driving = try Program.product("driving", ["0"])
        let browser = try await Chromium()
        try await browser.open("\(driving.address())/")
        for line in [
            #"a page came, "The shop""#, #"it can call ["price"]"#,
            #"it shares {"title":"The shop","url":"/"}"#, #"it shows "Good day!""#,
        ] { try await driving.line(with: line) }
        #expect(try await browser.shown("#answer") == "6.50")

        // Here alone a page can pay, and is asked before.
        try await browser.open("\(driving.address())/checkout")
        for line in [
            #"a page came, "The checkout""#, #"it can call ["pay","price"]"#,
            #"it shares {"title":"The checkout","url":"/checkout"}"#,
        ] { try await driving.line(with: line) }
        #expect(try await browser.shown("#answer") == "paid 6.50")
        // The first page is kept for the back button; this one is not.
        try await browser.evaluate("setTimeout(() => location.reload())")
        try await driving.line(with: "the page went: the page was closed, reloaded")
    }
}

extension Chromium {
    /// The text of an element, as soon as it has one.
    fileprivate func shown(_ selector: String) async throws -> JSON {
        try await evaluate(
            """
            new Promise(done => {
                const look = () => {
                    const text = document.querySelector('\(selector)').textContent;
                    text ? done(text) : setTimeout(look, 5);
                };
                look();
            })
            """)
    }
}
