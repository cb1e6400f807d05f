import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages
@testable import DrawbridgePageRuntime

/// Bridges from outside the core, as the gateway serves them and is called by them.
@Suite(.timeLimit(.minutes(5))) struct BridgeScriptTests {
    private struct Document: Responder {
        let policy: String?

        func respond(to request: Request) async throws -> Response? {
            guard !request.path.hasPrefix("/__") else { return nil }
            // As a server does whose page has not changed.
            if request.headers[.ifNoneMatch] == "\"a\"" {
                return Response(.notModified, headers: [.eTag: "\"a\""])
            }
            var response = Response(text: "<!doctype html><p>a", contentType: "text/html")
            response.headers[.contentSecurityPolicy] = policy
            response.headers[.eTag] = "\"a\""
            return response
        }
    }

    private static func gateway(
        _ bridges: [BridgeScript], policy: String? = nil, logger: Logger = .quiet
    ) -> Gateway {
        Gateway(
            passThrough: [Document(policy: policy)], pageRuntime: PageRuntime(bridges: bridges),
            logger: logger)
    }

    /// A script in a folder that goes with it.
    private final class Script {
        let path: String

        init(_ text: String, name: String = "mine.js") throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            path = folder.appending(path: name).path()
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
        }
    }

    @Test func scriptTagsOfBridgesFollowTheRuntimesInOrderWithItsNonce() async throws {
        let gateway = Self.gateway(
            [try .named("flutter"), try .named("cordova")], policy: "script-src 'nonce-abc123'")
        let page = await gateway.respond(to: Request("/a", headers: [.secFetchDest: "document"]))
        let token = gateway.access.token.text
        #expect(
            try await page.text()
                == #"<!doctype html><script src="/__drawbridge__/page.js?path=/a" data-token="\#(token)""#
                + #" nonce="abc123"></script><script src="/__drawbridge__/bridge/flutter.js" nonce="abc123"></script>"#
                + #"<script src="/__drawbridge__/bridge/cordova.js" nonce="abc123"></script><p>a"#)
    }

    @Test func aBridgeFileIsServedUnchangedAndReadAgainAfterASave() async throws {
        let script = try Script("// one\n  drawbridge.bridge(native => {})\n")
        let gateway = Self.gateway([try .file(script.path)])
        let target = "/__drawbridge__/bridge/mine.js"
        let first = await gateway.respond(to: Request(target))
        #expect(try await first.text() == "// one\n  drawbridge.bridge(native => {})\n")
        #expect(first.headers[.contentType] == "text/javascript; charset=utf-8")
        let tag = try #require(first.headers[.eTag])
        #expect(
            await gateway.respond(to: Request(target, headers: [.ifNoneMatch: tag])).status == .notModified)

        try "// two".write(toFile: script.path, atomically: true, encoding: .utf8)
        let second = await gateway.respond(to: Request(target, headers: [.ifNoneMatch: tag]))
        #expect(try await second.text() == "// two")

        // A link within the folder is as good as the file; one that leads out could give any file to all pages.
        let folder = String(script.path.dropLast("mine.js".count))
        for (place, isRead) in [("\(folder)three.js", true), ("/etc/passwd", false)] {
            try FileManager.default.removeItem(atPath: script.path)
            try "// three".write(toFile: "\(folder)three.js", atomically: true, encoding: .utf8)
            try FileManager.default.createSymbolicLink(atPath: script.path, withDestinationPath: place)
            let answer = await gateway.respond(to: Request(target))
            #expect(answer.status == (isRead ? .ok : .notFound))
            #expect(try await answer.text().contains("// three") == isRead)
        }

        try FileManager.default.removeItem(atPath: script.path)
        let gone = await gateway.respond(to: Request(target))
        #expect(gone.status == .notFound)
        #expect(try await gone.text().contains("the script of the bridge mine cannot be read"))
        #expect(try await !gone.text().contains(script.path))
        #expect(
            try await gateway.respond(to: Request("/__drawbridge__/bridge/other.js")).text().contains(
                "mine.js"))
    }

    /// As the volume of a ConfigMap is updated: mine.js → ..data/mine.js, ..data → ..1 and then ..2.
    @Test func aBridgeFileIsReadOnWhereALinkBelowItsFolderIsSwapped() async throws {
        let script = try Script("// one")
        let files = FileManager.default
        let folder = (script.path as NSString).deletingLastPathComponent
        func link(_ name: String, to place: String) throws {
            try? files.removeItem(atPath: "\(folder)/\(name)")
            try files.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: place)
        }
        let other = try Script("// elsewhere")
        for version in ["..1", "..2"] {
            try files.createDirectory(atPath: "\(folder)/\(version)", withIntermediateDirectories: true)
            try "// \(version)".write(
                toFile: "\(folder)/\(version)/mine.js", atomically: true, encoding: .utf8)
        }
        try link("..data", to: "..1")
        try link("mine.js", to: "..data/mine.js")
        let gateway = Self.gateway([try .file(script.path)])
        let request = Request("/__drawbridge__/bridge/mine.js")
        #expect(try await gateway.respond(to: request).text() == "// ..1")
        try link("..data", to: "..2")
        #expect(try await gateway.respond(to: request).text() == "// ..2")
        try link("..data", to: (other.path as NSString).deletingLastPathComponent)
        #expect(await gateway.respond(to: request).status == .notFound)
    }

    @Test func anInvalidBridgeIsReportedWithAHint() throws {
        func fault(_ make: () throws -> BridgeScript) -> String {
            do {
                _ = try make()
                return "none"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            fault { try .named("fluter") }.hasPrefix("no bridge fluter; is it flutter? There are android, "))
        #expect(fault { try .named("x y") }.contains("./x y.js"))
        #expect(
            fault { try .file("/nowhere/mine.js") }.hasPrefix(
                "cannot read the script /nowhere/mine.js; give an existing file"))
        #expect(fault { try .file("mine.txt") } == "mine.txt: a bridge is a script; its name ends in .js")
        #expect(
            fault { try .named("flutter", options: [1]) }
                == "the options of the bridge flutter must be an object"
        )
        let script = try Script("", name: "wvjb.js")
        #expect(fault { try .file(script.path) }.contains("pages already have a bridge wvjb"))
        let odd = try Script("", name: "a b.js")
        #expect(fault { try .file(odd.path) }.contains("1 to 32 ASCII letters, digits, - and _"))
        let large = try Script(String(repeating: " ", count: 1 << 20 + 1), name: "large.js")
        #expect(fault { try .file(large.path) }.contains("is 1 MB"))
    }

    /// WeChat and Alipay in one page: one script under two names.
    @Test func oneBridgeScriptMayBeUsedTwiceUnderTwoNames() async throws {
        let gateway = Self.gateway([
            try .named("object", options: ["as": "wechat", "object": "WeixinJSBridge"]),
            try .named("object", options: ["as": "alipay", "object": "AlipayJSBridge"]),
        ])
        let page = try await gateway.respond(to: Request("/a", headers: [.secFetchDest: "document"])).text()
        for name in ["wechat", "alipay"] {
            #expect(page.contains("<script src=\"/__drawbridge__/bridge/\(name).js\">"))
            let script = await gateway.respond(to: Request("/__drawbridge__/bridge/\(name).js"))
            #expect(try await script.text().contains("NativeBridge"))
        }
        #expect(throws: BridgeScript.ScriptError.self) {
            try BridgeScript.named("object", options: ["as": 1])
        }
        #expect(throws: BridgeScript.ScriptError.self) {
            try BridgeScript.named("object", options: ["as": "a b"])
        }
        #expect(throws: BridgeScript.ScriptError.self) {
            try BridgeScript.named("object", options: ["handlers": ["pay": 1]])
        }
    }

    /// Of those that all pages would get, the file chooses for some; of others it is told.
    @Test func aFileChoosesWhichBridgesAPageHas() async throws {
        let log = LogBook()
        let gateway = Self.gateway([try .named("flutter"), try .named("cordova")], logger: log.logger)
        gateway.reply(
            by: try SessionTests.layers(
                #"""
                {"pages": {
                    "/pay/none*": {"bridge": []}, "/pay*": {"bridge": ["cordova", "dsbridge"]},
                    "*": {"bridge": "flutter"}
                }}
                """#))
        func bridges(_ path: String) async throws -> [String] {
            let page = try await gateway.respond(to: Request(path, headers: [.secFetchDest: "document"]))
                .text()
            let script = try await gateway.respond(to: Request("/__drawbridge__/page.js?path=\(path)"))
                .text()
            let names = ["flutter", "cordova", "dsbridge"].filter { page.contains("/bridge/\($0).js") }
            #expect(script.contains("only scripts of --bridge may call this") == !names.isEmpty)
            for name in names { #expect(script.contains(#"{"name":"\#(name)","options":{}}"#)) }
            return names
        }
        #expect(try await bridges("/pay.html") == ["cordova"])
        #expect(try await bridges("/pay/none.html") == [])
        #expect(try await bridges("/a.html") == ["flutter"])
        #expect(log.entries.contains { $0.contains("the bridge dsbridge, which is not loaded") })
        #expect(!log.entries.contains { $0.contains("the bridge cordova") })
    }

    /// A browser that has the page asks whether it has changed: it has where its bridges have.
    @Test func aPageGetsANewEntityTagWhenItsBridgesChange() async throws {
        let gateway = Self.gateway([try .named("flutter"), try .named("cordova")])
        func give(_ names: String) throws {
            gateway.reply(by: try SessionTests.layers(#"{"pages": {"*": {"bridge": \#(names)}}}"#))
        }
        func ask(_ tag: String?) async -> Response {
            var request = Request("/a", headers: [.secFetchDest: "document"])
            request.headers[.ifNoneMatch] = tag
            return await gateway.respond(to: request)
        }
        try give("[]")
        let tag = try #require(await ask(nil).headers[.eTag])
        #expect(await ask(tag).status == .notModified)
        try give(#"["flutter"]"#)
        let changed = await ask(tag)
        #expect(changed.status == .ok && changed.headers[.eTag] != tag)
        #expect(try await changed.text().contains("/bridge/flutter.js"))
        try give("[]")
        #expect(await ask(tag).status == .notModified)
    }

    /// A request that a bridge claims is answered by the body alone, and is that bridge's in the journal.
    @Test(arguments: [("mine", true), ("other", false), (nil, false)])
    func aRequestMarkedByABridgeIsAnsweredWithoutTheEnvelope(_ bridge: String?, _ isBare: Bool) async throws {
        let script = try Script("")
        let gateway = Gateway(
            pageRuntime: PageRuntime(bridges: [try .file(script.path)]), keepsJournal: true, logger: .quiet)
        try gateway.mock(["pay": ["paid": true], "fail": ["$error": ["code": 1001, "message": "no"]]])
        func answer(_ name: String) async throws -> (Int, String?, String) {
            var request = Request("/__jsbridge__/\(name)")
            if let bridge { request.headers[.pageBridge] = bridge }
            let answer = await gateway.respond(to: request)
            return (answer.status.code, answer.headers[.contentType], try await answer.text())
        }
        let pay = try await answer("pay")
        let fail = try await answer("fail")
        let missing = try await answer("nobody")
        if isBare {
            #expect(pay == (200, "application/json", #"{"paid":true}"#))
            #expect(fail == (500, "application/json", #"{"code":1001,"message":"no"}"#))
            #expect(missing.0 == 400 && missing.2.contains(#""code":400"#))
        } else {
            #expect(pay == (200, "text/json", #"{"code":200,"data":{"paid":true},"message":""}"#))
            #expect(fail.0 == 200 && missing.0 == 200)
        }
        let bridges = gateway.journal.read(RecordFilter()).records.map(\.head.bridge)
        #expect(bridges == Array(repeating: isBare ? "mine" : "__jsbridge__", count: 3))
    }

    @Test func withoutBridgesTheRuntimeHasNoneOfTheirCode() async throws {
        let without = try await Self.gateway([]).respond(to: Request("/__drawbridge__/page.js?path=/")).text()
        #expect(!without.contains("scripts of --bridge"))
        let with = try await Self.gateway([try .named("flutter")]).respond(
            to: Request("/__drawbridge__/page.js?path=/")
        ).text()
        #expect(with.contains(#""bridges":[{"name":"flutter","options":{}}]"#))
        #expect(with.contains("only scripts of --bridge may call this"))
    }

    /// What the runtime's modules had before there were bridges from outside, and what came since then for every page: it
    /// says what it has heard, outlives `document.open()`, has one first way of asking for a bridge, tells of prompts,
    /// steps aside in the app itself, has native's questions shown, and hears an answer without a task of its own.
    private static let before = 41_720 + 2_350 + 2_150 + 1_900 + 100

    @Test func theRuntimeWithoutBridgesIsNotLargerThanBefore() {
        // Since then it is served without most of its blanks, and has the interface, on which all bridges are built.
        #expect(RuntimeScript.text(Array("{}".utf8), hasJournal: true).count <= Self.before - 2500)
    }

    @Test(arguments: BridgeScript.shipped) func oneBridgeAddsFewBytesToAPage(_ name: String) throws {
        let runtime = RuntimeScript.text(Array("{}".utf8), hasBridges: true, hasJournal: true)
        #expect(try runtime.count + BridgeScript.named(name).text().count <= Self.before + 3500)
    }

    @Test(arguments: [
        ("    // one\n  const a = (b, c) => { return b + c; };", "const a=(b,c)=>{return b+c;};\n"),
        ("if (a === ! b) x = ++ y;", "if(a=== !b)x= ++y;\n"),
        ("const a = 'one  two'; let b = c;", "const a='one  two';let b=c;\n"),
        (#"a('it\'s + one', '\\') + 'two = ', b"#, #"a('it\'s + one','\\')+'two = ',b"# + "\n"),
        ("const a = \"it's one\"; let b = c;", "const a=\"it's one\";let b=c;\n"),
        ("const found = / +/.exec(a + b);", "const found=/ +/.exec(a+b);\n"),
    ])
    func blanksOutsideOfStringsAreRemovedFromTheScript(_ script: String, _ short: String) {
        #expect(String(decoding: RuntimeScript.withoutComments(Array(script.utf8)), as: UTF8.self) == short)
    }

    @Test func theErrorOfAMissingHandlerIsMarkedAsMissing() {
        let refused = PageAnswer(error: HTTPError(.badRequest, "no"))
        #expect(String(decoding: refused.member, as: UTF8.self) == #""error":{"code":400,"message":"no"}"#)
        var missing = refused
        missing.hint = "no handler at /x"
        #expect(
            String(decoding: missing.member, as: UTF8.self)
                == #""error":{"code":400,"message":"no"},"missing":true"#)
    }

    @Test func aCallSaysWhetherItsBridgeNeedsAnAnswerAndProgress() throws {
        func call(_ text: String) throws -> PageCall {
            guard case .call(let call) = PageMessage(try JSON(parsing: Array(text.utf8))) else {
                throw HTTPError(.badRequest, "no call")
            }
            return call
        }
        let own = try call(#"{"call":"a","bridge":"mine","id":1,"waits":true,"progress":true}"#)
        #expect(own.needsAnswer && own.hearsProgress)
        let plain = try call(#"{"call":"a","bridge":"mine","id":1}"#)
        #expect(!plain.needsAnswer && !plain.hearsProgress)
        let known = try call(#"{"call":"a","bridge":"shortcut","id":1}"#)
        #expect(known.needsAnswer && known.hearsProgress)
    }

    @Test func aFaultOfABridgeIsInTheLogWithItsFileAndLine() async throws {
        let log = LogBook()
        let folder = try Script("")
        let gateway = PageHandlers.gateway(
            PageRuntime(bridges: [try .file(folder.path)]), logger: log.logger)
        let page = TestPage(gateway)
        for line in 1...30 {
            page.tell(["bridge": "mine", "message": "x is not defined", "line": .number(.init(line))])
        }
        // Nobody believes a page that speaks of another.
        TestPage(gateway).tell(["bridge": "other", "message": "x", "line": 1])
        #expect(!log.entries.contains { $0.contains("other.js") })
        let told = log.entries.filter { $0.contains("mine.js:") }
        #expect(told.count == 20)
        #expect(told.first?.contains("mine.js:1: x is not defined") == true)
    }
}
