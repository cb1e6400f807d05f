import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages
@testable import DrawbridgePageRuntime

/// Handlers that only pages with an id have: `pageId=7` in the query of their addresses.
@Suite(.timeLimit(.minutes(5))) struct PageIDTests {
    struct Named: JSONHandler {
        let name: String
        func handle(_ input: Nothing) async throws -> String { name }
    }

    /// `/who` says which set it is of; all sets have it.
    private func gateway(_ runtime: PageRuntime = PageRuntime()) throws -> Gateway {
        let gateway = PageHandlers.gateway(runtime)
        try gateway.register(at: "/who") { Named(name: "all") }
        try gateway.pages(id: "7") { try $0.register(at: "/who") { Named(name: "7") } }
        try gateway.pages(id: "pay now") { try $0.register(at: "/who") { Named(name: "pay now") } }
        try gateway.pages(matching: "/shop") { try $0.register(at: "/who") { Named(name: "/shop") } }
        try gateway.pages(matching: "/shop/*", id: "8") { try $0.register(at: "/who") { Named(name: "8") } }
        return gateway
    }

    private func who(_ page: TestPage, _ id: Int = 1) async throws -> JSON? {
        page.tell(["call": "who", "id": .number(.init(id)), "bridge": "wvjb"])
        return try await page.reply(id)["value"]
    }

    private func who(_ gateway: Gateway, _ headers: HTTPFields) async throws -> JSON? {
        let request = Request("/who?_mobile_bridge=1", headers: headers)
        return try JSON(parsing: await gateway.respond(to: request).body.collect())["data"]
    }

    @Test(arguments: [
        ("/shop?pageId=7", "7"), ("/?a=1&pageId=7#end", "7"), ("/other?pageId=7", "7"),
        ("/shop?pageId=pay+now", "pay now"), ("/shop?pageId=pay%20now", "pay now"),
        ("/shop", "/shop"), ("/shop?pageId=9", "/shop"), ("/shop?pageId=", "/shop"),
        ("/shop#?pageId=7", "/shop"),
        ("/shop?pageid=7", "/shop"), ("/other?pageId=8", "all"), ("/shop/a?pageId=8", "8"), ("/", "all"),
    ])
    func theIDInTheAddressOfAPageChoosesItsHandlers(_ address: String, _ name: JSON) async throws {
        let gateway = try gateway()
        #expect(try await who(TestPage(gateway, url: "http://localhost\(address)")) == name)
    }

    @Test func aPageThatMovesHasTheHandlersOfItsNewID() async throws {
        let page = TestPage(try gateway(), url: "http://localhost/shop?pageId=7")
        #expect(try await who(page) == "7")
        // As after history.pushState: the page says where it is before what it sends there.
        page.tell(["url": "http://localhost/shop?pageId=pay%20now", "title": "A", "hidden": false])
        #expect(try await who(page, 2) == "pay now")
        page.tell(["url": "http://localhost/shop", "title": "A", "hidden": false])
        #expect(try await who(page, 3) == "/shop")
    }

    @Test func aRequestHasTheIDOfItsRefererOrOfItsPage() async throws {
        let gateway = try gateway()
        let page = TestPage(gateway, url: "http://localhost/shop?pageId=7")
        let token = gateway.access.token.text
        #expect(try await who(gateway, [.pageID: page.id, .pageToken: token]) == "7")
        // What a request says of the address is newer than what the page has said.
        var moved: HTTPFields = [.pageID: page.id, .pageToken: token, .pagePath: "/shop"]
        #expect(try await who(gateway, moved) == "7", "of a page that sends no Referer")
        moved[.referer] = "http://localhost/shop?pageId=pay%20now"
        #expect(try await who(gateway, moved) == "pay now")
        moved[.referer] = "http://localhost/shop"
        #expect(try await who(gateway, moved) == "/shop")
        moved[.referer] = "http://localhost/"
        #expect(try await who(gateway, moved) == "7", "a Referer of another path is not that of the page")
        moved[.pagePath] = "/other"
        #expect(try await who(gateway, moved) == "all")
        let quiet: HTTPFields = [.pageToken: token, .pagePath: "/", .referer: "http://localhost/?pageId=7"]
        #expect(try await who(gateway, quiet) == "7")
        let foreign: HTTPFields = [.pagePath: "/", .referer: "http://localhost/?pageId=7"]
        #expect(try await who(gateway, foreign) == "all", "without the token")
        #expect(try await who(gateway, [:]) == "all", "of no page")
    }

    @Test func aSetOfThePageAloneComesFirstAndTheLastOfEqualSets() async throws {
        let gateway = try gateway()
        try gateway.pages { try $0.register(at: "/who") { Named(name: "any page") } }
        let page = TestPage(gateway, url: "http://localhost/shop/a?pageId=8")
        #expect(try await who(page) == "8", "a set with an id comes before those without, whichever is newer")
        try gateway.pages(id: "8") { try $0.register(at: "/who") { Named(name: "newer") } }
        #expect(try await who(page, 2) == "newer")
        try page.page.handlers.register(at: "/who") { Named(name: "its own") }
        #expect(try await who(page, 3) == "its own")
        #expect(try await who(TestPage(gateway, url: "http://localhost/shop/a"), 1) == "any page")
        #expect(try await who(gateway, [:]) == "all")
        let same = try gateway.pages(id: "8")
        #expect(try gateway.pages(id: "8") === same && gateway.pages(matching: "/*", id: "8") !== same)
    }

    @Test func theItemHasTheNameThatTheProgramSays() async throws {
        let gateway = try gateway(PageRuntime(pageIDItem: "screen"))
        #expect(try await who(TestPage(gateway, url: "http://localhost/?screen=7")) == "7")
        #expect(try await who(TestPage(gateway, url: "http://localhost/?pageId=7")) == "all")
    }

    @Test func aHintNamesTheIDOfThePagesThatHaveAHandler() async throws {
        let gateway = try gateway()
        try gateway.pages(id: "7") { try $0.register(at: "/makeACall") { Named(name: "call") } }
        let headers: HTTPFields = [
            .pageToken: gateway.access.token.text, .pagePath: "/shop",
            .referer: "http://localhost/shop?pageId=8",
        ]
        let answer = await gateway.respond(to: Request("/makeACall?_mobile_bridge=1", headers: headers))
        #expect(
            answer.headers[.hint]
                == "no handler at /makeACall; pages at /*?pageId=7 have one, but this page is at /shop?pageId=8"
        )
    }

    /// The names of objects such as shortcuts: the document's tag hands the id on to the script.
    @Test func aPageIsShownTheNamesOfItsID() async throws {
        struct Document: Responder {
            func respond(to request: Request) async throws -> Response? {
                Response(text: "<!doctype html><title>A</title>", contentType: "text/html")
            }
        }
        let gateway = Gateway(passThrough: [Document()], pageRuntime: PageRuntime(shortcuts: ["MyApp"]))
        try gateway.pages(id: "7") { try $0.register(at: "/makeACall") { Named(name: "call") } }
        let headers: HTTPFields = [.secFetchDest: "document"]
        let document = await gateway.respond(to: Request("/shop?a=1&pageId=7", headers: headers))
        let text = String(decoding: try await document.body.collect(), as: UTF8.self)
        #expect(text.contains(#"src="/__drawbridge__/page.js?path=/shop&amp;id=7""#))
        for (target, isShown) in [("page.js?path=/shop&id=7", true), ("page.js?path=/shop", false)] {
            let script = await gateway.respond(to: Request("/__drawbridge__/\(target)"))
            let text = String(decoding: try await script.body.collect(), as: UTF8.self)
            #expect(text.contains("makeACall") == isShown)
        }
    }
}
