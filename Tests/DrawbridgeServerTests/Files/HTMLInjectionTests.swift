import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("The script tag in static files")
struct HTMLInjectionTests {
    private static let page = "<!doctype html><html><head><title>x</title></head><body>x</body></html>"
    private static let tagged = page.replacing("<head>", with: "<head><tag>")

    /// A process, whose documents differ from those of others.
    private struct Process {
        let site: StaticFilesSite
        let injection: HTMLInjection

        init(_ site: StaticFilesSite, epoch: String) {
            self.site = site
            injection = HTMLInjection(epoch: epoch) { _, _ in "<tag>" }
        }

        func get(
            _ target: String, _ headers: HTTPFields = [:], method: HTTPRequest.Method = .get,
            as destination: String?
        ) async -> Response {
            var all = headers
            all[.secFetchDest] = destination
            let request = Request(method, target, headers: all)
            return injection.apply(
                to: await site.gateway.respond(to: injection.outgoing(request)), for: request)
        }
    }

    @Test func aReloadIsA304UntilTheProcessOrTheFileChanges() async throws {
        let site = try StaticFilesSite(["a.html": Self.page])
        let process = Process(site, epoch: "1")
        let first = await process.get("/a.html", as: "document")
        #expect(try await first.text() == Self.tagged)
        #expect(first.headers[.lastModified] == nil)
        let tag = try #require(first.headers[.eTag])
        #expect(tag.hasSuffix("-db1\""))

        let known: HTTPFields = [.ifNoneMatch: tag, .ifModifiedSince: "Fri, 31 Dec 9999 23:59:59 GMT"]
        let second = await process.get("/a.html", known, as: "document")
        #expect(second.status == .notModified)
        #expect(second.headers[.eTag] == tag)
        #expect(second.headers[.cacheControl] == "no-cache")
        #expect(second.headers[.lastModified] == nil)

        let next = await Process(site, epoch: "2").get("/a.html", known, as: "iframe")
        #expect(next.status == .ok)
        #expect(next.headers[.eTag]?.hasSuffix("-db2\"") == true)

        try site.file("a.html", Self.page + "!")
        #expect(try await process.get("/a.html", known, as: "document").text() == Self.tagged + "!")
    }

    @Test func aFetchedDocumentAndANavigationHaveDifferentEntityTags() async throws {
        let process = Process(try StaticFilesSite(["a.html": Self.page]), epoch: "1")
        let part = await process.get("/a.html", as: "empty")
        #expect(try await part.text() == Self.page)
        #expect(part.headers[.vary] == "Sec-Fetch-Dest")
        let page = await process.get("/a.html", as: "document")
        let tags = [part, page].map { $0.headers[.eTag] ?? "" }
        // What a cache has of the one is not valid for the other.
        #expect(await process.get("/a.html", [.ifNoneMatch: tags[0]], as: "empty").status == .notModified)
        #expect(await process.get("/a.html", [.ifNoneMatch: tags[0]], as: "document").status == .ok)
        #expect(await process.get("/a.html", [.ifNoneMatch: tags[1]], as: "empty").status == .ok)
        #expect(await process.get("/a.html", [.ifNoneMatch: tags[1]], as: "document").status == .notModified)
        #expect(await process.get("/a.html", [.ifMatch: tags[1]], as: "document").status == .ok)
        #expect(
            await process.get("/a.html", [.ifMatch: "\"x-db0\""], as: "document").status
                == .preconditionFailed)
    }

    @Test func rangesOfFilesThatAreNotPagesStillWork() async throws {
        let process = Process(try StaticFilesSite(["a.html": Self.page, "a.txt": "0123456789"]), epoch: "1")
        let part: HTTPFields = [.range: "bytes=0-4"]
        #expect(try await process.get("/a.txt", part, as: "video").text() == "01234")
        #expect(try await process.get("/a.txt", part, as: nil).text() == "01234")
        #expect(try await process.get("/a.html", part, as: "empty").text() == "<!doc")
        let page = await process.get("/a.html", part, as: "document")
        #expect(page.status == .ok)
        #expect(try await page.text() == Self.tagged)
        #expect(page.headers[.acceptRanges] == nil)
    }

    @Test func headHasTheHeadersOfGet() async throws {
        let large = Self.page + String(repeating: "x", count: 100_000)
        let process = Process(
            try StaticFilesSite(["a.html": Self.page, "b.html": large, "c.html": "{}"]), epoch: "1")
        for target in ["/a.html", "/b.html", "/c.html"] {
            let get = await process.get(target, as: "document")
            let head = await process.get(target, method: .head, as: "document")
            var fields = [get.headers, head.headers]
            for index in fields.indices { fields[index][.requestID] = nil }
            #expect(fields[0] == fields[1])
            #expect(get.body.length == head.body.length)
            #expect(get.body.length != nil)
        }
    }

    @Test func everyByteOfAPageInGBKSurvives() async throws {
        let hello: [UInt8] = [0xC4, 0xE3, 0xBA, 0xC3]
        let start = Array("<!-- ".utf8) + hello + Array(" --><html><head>".utf8)
        let script = Array("<script>/*".utf8) + (0..<2_000).flatMap { _ in hello } + Array("*/</script>".utf8)
        let rest = script + Array("<meta charset=gbk><title>".utf8) + hello + Array("</title>".utf8)
        let site = try StaticFilesSite()
        try site.file("a.html", bytes: start + rest)
        let response = await Process(site, epoch: "1").get("/a.html", as: "document")
        #expect(try await response.body.collect() == start + Array("<tag>".utf8) + rest)
        #expect(response.headers[.contentType] == "text/html; charset=gbk")
    }

    @Test func aPageOfFiveMegabytesIsSentAsItIsRead() async throws {
        let rest = [UInt8](repeating: UInt8(ascii: "<"), count: 5 << 20)
        let site = try StaticFilesSite()
        try site.file("a.html", bytes: Array("<head>".utf8) + rest)
        let response = await Process(site, epoch: "1").get("/a.html", as: "document")
        #expect(response.body.length == 11 + rest.count)
        guard case .stream = response.body.content else {
            Issue.record("it was read as a whole")
            return
        }
        #expect(try await response.body.collect() == Array("<head><tag>".utf8) + rest)
    }
}

extension Response {
    fileprivate func text() async throws -> String {
        String(decoding: try await body.collect(), as: UTF8.self)
    }
}
