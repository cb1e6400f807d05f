import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgePageRuntime

@Suite("The script tag in documents")
struct HTMLInjectionTests {
    private let injection = HTMLInjection(epoch: "e1") { request, nonce in
        "<\(request.path)\(nonce.map { " \($0)" } ?? "")>"
    }

    private static let ownPolicy =
        "frame-src http: https: data: blob: javascript: mailto: tel: sms:; "
        + "form-action http: https: data: blob: javascript: mailto: tel: sms:"
    private static let navigation: HTTPFields = [.secFetchDest: "document"]

    private func document(
        _ html: String = "<head>x", _ headers: HTTPFields = [:], status: HTTPResponse.Status = .ok
    ) -> Response {
        var fields: HTTPFields = [.contentType: "text/html"]
        for field in headers { fields[field.name] = field.value }
        return Response(status, headers: fields, body: .bytes(Array(html.utf8)))
    }

    private func apply(
        to response: Response, _ headers: HTTPFields = navigation, method: HTTPRequest.Method = .get
    ) -> Response {
        injection.apply(to: response, for: Request(method, "/p", headers: headers))
    }

    // MARK: Which documents

    @Test(
        arguments: [
            ([.secFetchDest: "document"], true), ([.secFetchDest: "iframe"], true),
            ([.secFetchDest: "frame"], true),
            ([.secFetchDest: "empty"], false), ([.secFetchDest: "embed"], false),
            ([.secFetchDest: "object"], false),
            // Documents that other elements show, and navigations that a service worker passes on.
            ([.secFetchDest: "object", .secFetchMode: "navigate"], true),
            ([.secFetchDest: "empty", .secFetchMode: "navigate"], true),
            ([.secFetchDest: "empty", .secFetchMode: "cors"], false),
            (
                [
                    .secFetchDest: "empty", .secFetchMode: "same-origin", .accept: "text/html,*/*",
                    .upgradeInsecureRequests: "1",
                ], true
            ),
            ([.secFetchDest: "image"], false), ([.secFetchDest: "empty", .accept: "text/html"], false),
            ([.secFetchDest: "document", .xRequestedWith: "XMLHttpRequest"], true),
            ([.accept: "text/html,application/xhtml+xml"], true), ([.accept: "*/*"], true), ([:], true),
            ([.xRequestedWith: "XMLHttpRequest"], false),
            ([.xRequestedWith: "xmlhttprequest", .accept: "text/html"], false),
            ([.xRequestedWith: "com.example.app"], true),
        ] as [(HTTPFields, Bool)])
    func onlyPagesGetTheScriptTag(headers: HTTPFields, gets: Bool) async throws {
        let response = apply(to: document(), headers)
        #expect(try await response.text() == (gets ? "<head></p>x" : "<head>x"))
        #expect(response.headers[.vary] == "Sec-Fetch-Dest")
        #expect(response.headers[.cacheControl] == (gets ? "no-cache" : nil))
    }

    @Test(
        arguments: [
            ([.secFetchDest: "iframe"], "</p><li>x"), ([.accept: "text/html"], "</p><li>x"), ([:], "<li>x"),
            ([.accept: "*/*"], "<li>x"), ([.secFetchDest: "empty"], "<li>x"),
        ] as [(HTTPFields, String)])
    func partsOfPagesGetTheScriptTagOnlyIfTheyBeginAsDocuments(headers: HTTPFields, result: String)
        async throws
    {
        #expect(try await apply(to: document("<li>x"), headers).text() == result)
        let stream = Response(contentType: "text/html") { try await $0.didLoad("<li>x") }
        #expect(try await apply(to: stream, headers).text() == result)
    }

    @Test(arguments: [200, 201, 202, 203, 400, 403, 404, 500, 503])
    func errorPagesGetTheScriptTagToo(status: Int) async throws {
        #expect(try await apply(to: document(status: .init(code: status))).text() == "<head></p>x")
    }

    @Test(arguments: [204, 205, 206, 300, 301, 302, 303, 304, 307, 308])
    func redirectsPartialAndEmptyAnswersGetNoScriptTag(status: Int) {
        let response = document(status: .init(code: status))
        #expect(apply(to: response).head == response.head)
    }

    @Test(
        arguments: [
            ("text/html", true), ("TEXT/HTML ; charset=utf-8", true), ("text/html;charset=gbk", true),
            ("text/html; charset=UTF-16LE", false), ("application/xhtml+xml", false), ("text/plain", false),
            ("text/htmlx", false), ("application/json", false), ("", true),
            ("unknown/unknown", true), ("text/plain, text/html", true), ("text/html, text/plain", false),
        ])
    func answersOfOtherMediaTypesGetNoScriptTag(type: String, isDocument: Bool) async throws {
        let response = document("<head>", [.contentType: type])
        #expect(try await apply(to: response).text() == (isDocument ? "<head></p>" : "<head>"))
        if !isDocument { #expect(apply(to: response).head == response.head) }
    }

    @Test(
        arguments: [
            [.contentEncoding: "gzip"], [.contentEncoding: "br"], [.contentEncoding: "gzip, identity"],
            [.contentDisposition: "attachment"], [.contentDisposition: "Attachment; filename=x.html"],
        ] as [HTTPFields])
    func encodedAndDownloadedDocumentsPassUntouched(headers: HTTPFields) async throws {
        // Nothing looks into it: this is not gzip, and nothing complains.
        let response = document("\u{1f}\u{8b}<head>", headers)
        #expect(apply(to: response).head == response.head)
        #expect(try await apply(to: response).text() == "\u{1f}\u{8b}<head>")
        var stream = response
        stream.body = .stream(length: 5) { try await $0.didLoad("12345") }
        #expect(apply(to: stream).body.length == 5)
    }

    @Test(
        arguments: [[.contentEncoding: "identity"], [.contentDisposition: "inline; filename=a.html"]]
            as [HTTPFields])
    func inlineAndIdentityEncodedDocumentsGetTheScriptTag(headers: HTTPFields) async throws {
        #expect(try await apply(to: document("<head>", headers)).text() == "<head></p>")
    }

    @Test(arguments: ["", " \n", "{\"a\":1}", " [\"<head>\"]", "\u{FEFF}{}", "\u{FEFF}"])
    func textsThatAreNotDocumentsStayUnchanged(text: String) async throws {
        let response = document(
            text, [.eTag: "\"a\"", .lastModified: "x", .contentSecurityPolicy: "default-src"])
        #expect(apply(to: response).head == response.head)
        #expect(try await apply(to: response).text() == text)
    }

    @Test func anOutputOfAHandlerGetsNoScriptTag() {
        var response = document()
        response.body = .output(Array("1".utf8))
        #expect(apply(to: response).head == response.head)
    }

    // MARK: Service workers

    private func script(_ response: Response) -> Response { apply(to: response, [.serviceWorker: "script"]) }

    @Test func aServiceWorkersScriptGetsLinesAtItsEnd() async throws {
        let own = Response(
            headers: [.contentType: "text/javascript", .eTag: "\"a\"", .contentLength: "10"],
            body: .bytes(Array("oninstall=".utf8)))
        let response = script(own)
        let text = try await response.text()
        #expect(text.hasPrefix("oninstall=\n;\n// Drawbridge") && text.contains("respondWith"))
        #expect(response.body.length == text.utf8.count)
        #expect(response.headers[.eTag] == nil && response.headers[.cacheControl] == "no-cache")
        // What it asks for by itself may be a page that it keeps.
        let kept: HTTPFields = [
            .secFetchDest: "empty", .secFetchMode: "cors", .referer: "http://localhost/p",
        ]
        #expect(try await apply(to: document("<!doctype html>x"), kept).text() == "<!doctype html></p>x")
        #expect(try await apply(to: document("<li>x"), kept).text() == "<li>x")
        let asked = injection.outgoing(
            Request(.get, "/p", headers: [.serviceWorker: "script", .ifNoneMatch: "\"a\""]))
        #expect(asked.headers[.ifNoneMatch] == nil)
    }

    /// The browser keeps asking for it as long as it has the worker, whoever listens on the port today.
    @Test(arguments: [200, 404, 410]) func aServiceWorkerWhoseScriptIsGoneIsRemoved(status: Int) async throws
    {
        let response = script(document("<!doctype html>nothing", status: .init(code: status)))
        #expect(
            response.status == .ok && response.headers[.contentType]?.hasPrefix("text/javascript") == true)
        #expect(try await response.text().contains("registration.unregister()"))
    }

    @Test func aServerErrorRemovesNoServiceWorker() {
        let response = Response(.internalServerError, body: .empty)
        #expect(script(response).status == .internalServerError)
    }

    /// It would run its scripts for nobody.
    @Test(arguments: [("prefetch;prerender", true), ("prefetch", false)])
    func prerenderingAPageIsRefused(purpose: String, isRefused: Bool) {
        let headers: HTTPFields = [.secFetchDest: "document", .secPurpose: purpose]
        #expect((injection.refusal(of: Request(.get, "/p", headers: headers)) != nil) == isRefused)
        let picture: HTTPFields = [.secFetchDest: "image", .secPurpose: purpose]
        #expect(injection.refusal(of: Request(.get, "/p", headers: picture)) == nil)
    }

    // MARK: Pages without native

    /// Whatever keeps a page from native, somebody says it, and once.
    @Test(
        arguments: [
            ([.contentType: "application/xhtml+xml"], [:], "XHTML"),
            ([.contentEncoding: "br"], [:], "Content-Encoding: br"),
            ([.contentType: "text/html; charset=utf-16"], [:], "UTF-16"),
            ([.contentSecurityPolicy: "sandbox allow-scripts"], [:], "allow-same-origin"),
            ([.contentSecurityPolicy: "sandbox allow-same-origin"], [:], "allow-scripts"),
            ([:], [.secFetchDest: "iframe", .secFetchSite: "cross-site"], "another site"),
        ] as [(HTTPFields, HTTPFields, String)])
    func aHeaderThatKeepsAPageFromNativeIsLoggedOnceWithTheReason(
        said: HTTPFields, asked: HTTPFields, why: String
    ) async throws {
        let log = LogBook()
        let gateway = Gateway(keepsJournal: true, logger: log.logger)
        var headers = Self.navigation
        for field in asked { headers[field.name] = field.value }
        for _ in 0..<2 {
            var request = Request(.get, "/p", headers: headers)
            request.answerer = gateway
            _ = gateway.injection?.apply(to: document("<!doctype html>", said), for: request)
        }
        #expect(log.entries.count == 1 && log.entries[0].contains("/p") && log.entries[0].contains(why))
    }

    /// Browsers say less to a machine by its name, and a server may take its time.
    @Test func aPageIsExpectedWhenItWasSent() async throws {
        let log = LogBook()
        let gateway = Gateway(keepsJournal: true, logger: log.logger)
        injection.withoutNative.patience.withLock { $0 = .zero }
        var request = Request(.get, "/slow", headers: [.accept: "text/html", .upgradeInsecureRequests: "1"])
        request.answerer = gateway
        let (sent, end) = AsyncStream.makeStream(of: Void.self)
        let body = Response.Body.stream(length: nil) { client in
            try await client.didLoad(Array("<!doctype html>".utf8))
            for await _ in sent {}
        }
        var page = document()
        page.body = body
        let response = injection.apply(to: page, for: request)
        let reading = Task { try await response.body.collect() }
        // Another page is expected, and not seen, in the meantime.
        var other = Request(.post, "/other", headers: Self.navigation)
        other.answerer = gateway
        _ = injection.apply(to: document(), for: other)
        await until { !log.entries.isEmpty }
        #expect(log.entries.count == 1 && log.entries[0].contains("/other"))
        end.finish()
        _ = try await reading.value
        await until { log.entries.count == 2 }
        #expect(log.entries[1].contains("/slow"))
        // Its script came while it was sent.
        request.path = "/quick"
        let quick = injection.apply(to: page, for: request)
        injection.withoutNative.asked(from: "/quick")
        _ = try await quick.body.collect()
        other.path = "/last"
        _ = injection.apply(to: document(), for: other)
        await until { log.entries.count > 2 }
        #expect(log.entries[2].contains("/last"))
    }

    @Test(arguments: [
        ("blocked-destinations=(script)", "blocked-destinations=()"),
        (
            "blocked-destinations=(style script), endpoints=(a)",
            "blocked-destinations=(style ), endpoints=(a)"
        ),
        ("blocked-destinations=(style)", "blocked-destinations=(style)"),
    ])
    func anIntegrityPolicyLetsThePageScriptInAndReports(policy: String, opened: String) throws {
        let (field, report) = (HTTPField.Name.integrityPolicy, HTTPField.Name.integrityPolicyReportOnly)
        let page = apply(to: document("<head>x", [field: policy])).headers
        #expect(page[field] == opened && page[report] == policy)
        // A browser would take it over from a 304.
        let unchanged = Response(.notModified, headers: [field: policy, .eTag: "\"a\""])
        let known: HTTPFields = [.secFetchDest: "document", .ifNoneMatch: "\"a-dbe1\""]
        #expect(apply(to: unchanged, known).headers[field] == nil)
        #expect(apply(to: document("{}", [field: policy])).headers[field] == policy)
    }

    /// Injected functions wait in a synchronous request, which an app does not need for them.
    @Test(arguments: [
        ("Permissions-Policy", "camera=(), sync-xhr=( )", "camera=(), sync-xhr=(self)"),
        ("Permissions-Policy", "sync-xhr=(self)", "sync-xhr=(self)"),
        ("Feature-Policy", "camera 'none'; sync-xhr 'none'", "camera 'none'; sync-xhr 'self'"),
    ]) func aPageMayWaitForNative(name: String, sent: String, opened: String) throws {
        let field = try #require(HTTPField.Name(name))
        #expect(apply(to: document("<head>x", [field: sent])).headers[field] == opened)
        #expect(apply(to: document("{}", [field: sent])).headers[field] == sent)
    }

    /// An editor saves it so, and no header says it.
    @Test func aPageInUTF16WithoutACharsetIsLogged() {
        let log = LogBook()
        let gateway = Gateway(keepsJournal: true, logger: log.logger)
        var request = Request(.get, "/wide", headers: Self.navigation)
        request.answerer = gateway
        var page = document()
        page.body = .bytes([0xFF, 0xFE, 0x3C, 0])
        _ = injection.apply(to: page, for: request)
        #expect(log.entries.count == 1 && log.entries[0].contains("UTF-16"))
    }

    @Test func aPageThatNeverLoadsThePageScriptIsLogged() async throws {
        let log = LogBook()
        let gateway = Gateway(keepsJournal: true, logger: log.logger)
        for path in ["/asks%20%C3%A9", "/does-not"] {
            var request = Request(.get, path, headers: Self.navigation)
            request.answerer = gateway
            injection.withoutNative.patience.withLock {
                $0 = path != "/does-not" ? .seconds(60) : .milliseconds(1)
            }
            _ = injection.apply(to: document(), for: request)
        }
        injection.withoutNative.asked(from: "/asks é")
        await until { !log.entries.isEmpty }
        #expect(
            log.entries.count == 1 && log.entries[0].contains("/does-not has not loaded its page runtime"))
    }

    // MARK: Header fields

    @Test func headersAreThoseOfTheChangedDocument() {
        let original: HTTPFields = [
            .lastModified: "x", .acceptRanges: "bytes", .contentMD5: "x", .digest: "x", .contentDigest: "x",
            .reprDigest: "x", .expires: "x", .contentLength: "7", .eTag: "\"abc\"", .server: "s",
            .contentLanguage: "zh",
        ]
        let headers = apply(to: document("<head>x", original)).headers
        #expect(
            headers == [
                .contentType: "text/html", .eTag: "\"abc-dbe1\"", .server: "s", .contentLanguage: "zh",
                .cacheControl: "no-cache", .vary: "Sec-Fetch-Dest", .xFrameOptions: "SAMEORIGIN",
                .contentSecurityPolicy: Self.ownPolicy,
            ])
    }

    @Test(arguments: [
        ("\"abc\"", "\"abc-dbe1\""), ("W/\"abc\"", "W/\"abc-dbe1\""), ("\"\"", "\"-dbe1\""), ("abc", nil),
        ("\"a\", \"b\"", nil), (nil, nil),
    ])
    func entityTagsDifferForEachProcess(tag: String?, result: String?) {
        var response = document()
        response.headers[.eTag] = tag
        #expect(apply(to: response).headers[.eTag] == result)
    }

    @Test(arguments: [
        (nil, "no-cache"), ("max-age=60", "no-cache"), ("Private, max-age=60", "no-cache, private"),
        ("no-store", "no-cache, no-store"), ("public,no-store,private", "no-cache, private, no-store"),
        ("no-cache", "no-cache"), ("private=\"x\"", "no-cache"),
    ])
    func cachesMustRevalidateDocuments(value: String?, result: String) {
        var response = document()
        response.headers[.cacheControl] = value
        #expect(apply(to: response).headers[.cacheControl] == result)
    }

    @Test(arguments: [
        ("Origin", "Origin, Sec-Fetch-Dest"), ("sec-fetch-dest", "sec-fetch-dest"), ("*", "*"),
        ("Accept,Sec-Fetch-Dest", "Accept,Sec-Fetch-Dest"),
    ])
    func varyKeepsPagesAndFetchedPartsApartInCaches(value: String, result: String) {
        let response = document("<head>", [.vary: value])
        #expect(apply(to: response).headers[.vary] == result)
        #expect(apply(to: response, [.secFetchDest: "empty"]).headers[.vary] == result)
    }

    @Test(
        arguments: [
            ([:], "SAMEORIGIN"), ([.xFrameOptions: "DENY"], "DENY"),
            ([.contentSecurityPolicy: "img-src x"], "SAMEORIGIN"),
            ([.contentSecurityPolicy: "img-src x, Frame-Ancestors *"], nil),
            ([.contentSecurityPolicyReportOnly: "frame-ancestors *"], "SAMEORIGIN"),
        ] as [(HTTPFields, String?)])
    func otherSitesMayNotFrameADocumentUnlessItsPolicyAllowsIt(headers: HTTPFields, result: String?) {
        #expect(apply(to: document("<head>", headers)).headers[.xFrameOptions] == result)
    }

    @Test func everyContentSecurityPolicyIsExtendedAndKept() async throws {
        var response = document(
            "<head><meta http-equiv='Content-Security-Policy' content=\"script-src 'nonce-b'; connect-src\">")
        response.headers.append(
            HTTPField(name: .contentSecurityPolicy, value: "default-src 'none', img-src x"))
        response.headers.append(
            HTTPField(name: .contentSecurityPolicy, value: "script-src 'nonce-a' 'strict-dynamic'"))
        response.headers[.contentSecurityPolicyReportOnly] = "connect-src 'none'"
        response.headers[.setCookie] = "a=b"
        let result = apply(to: response)
        #expect(
            result.headers[values: .contentSecurityPolicy] == [
                "default-src 'none'; script-src 'self'; connect-src 'self' ws://localhost, img-src x",
                "script-src 'nonce-a' 'strict-dynamic'",
                Self.ownPolicy,
            ])
        #expect(result.headers[.contentSecurityPolicyReportOnly] == "connect-src 'self' ws://localhost")
        #expect(result.headers[.setCookie] == "a=b")
        #expect(
            try await result.text()
                == "<head></p a><meta http-equiv='Content-Security-Policy' content=\"script-src 'nonce-b' 'nonce-a'; "
                + "connect-src 'self' ws://localhost\">")
    }

    @Test func aNonceIsForOneAnswerOnly() async throws {
        let response = document(
            "<head>", [.contentSecurityPolicy: "script-src 'strict-dynamic'", .eTag: "\"a\""])
        let result = apply(to: response)
        #expect(result.headers[.eTag] == nil)
        let nonce = try #require(try await result.text().wholeMatch(of: /<head><\/p ([0-9a-f]{32})>/)).1
        #expect(
            result.headers[values: .contentSecurityPolicy].first
                == "script-src 'strict-dynamic' 'nonce-\(nonce)'")
    }

    @Test(arguments: [
        ("<head><meta charset=gbk>", "text/html", "text/html; charset=gbk"),
        ("<head><meta charset=gbk>", "text/html; charset=utf-8", "text/html; charset=utf-8"),
        (
            "<head><script>\(String(repeating: "a<b;", count: 2000))</script><meta charset=gbk>", "text/html",
            "text/html; charset=gbk"
        ),
        ("<head><p>x", "text/html", "text/html"),
    ])
    func theDeclaredEncodingGoesIntoTheContentType(html: String, type: String, result: String) {
        #expect(apply(to: document(html, [.contentType: type])).headers[.contentType] == result)
    }

    // MARK: Bodies

    @Test func headHasTheHeadersOfGet() async throws {
        for body in [Response.Body.bytes(Array("<head>x".utf8)), Self.stream(["<head>x"], length: 7)] {
            var response = document("", [.eTag: "\"a\"", .contentSecurityPolicy: "default-src 'none'"])
            response.body = body
            let head = apply(to: response, method: .head)
            #expect(head.head == apply(to: response).head)
            #expect(head.body.length == apply(to: response).body.length)
        }
        // What has no body because the answer to HEAD has none is a document all the same.
        let empty = apply(to: document("", [.eTag: "\"a\""]), method: .head)
        #expect(empty.headers[.eTag] == "\"a-dbe1\"")
        #expect(empty.body.length == 0)
    }

    private static func stream(_ chunks: [String], length: Int? = nil) -> Response.Body {
        .stream(length: length) { client in
            for chunk in chunks { try await client.didLoad(chunk) }
        }
    }

    @Test func chunksOfAStreamedDocumentPassAsTheyArrive() async throws {
        let journal = Notebook()
        var response = document()
        response.body = Self.stream(["<html>", "<he", "ad>", "x", "<b>y"], length: 17)
        let body = apply(to: response).body
        #expect(body.length == nil)
        try await body.write(to: Client { journal.note(String(decoding: $0, as: UTF8.self)) })
        #expect(journal.entries == ["<html>", "<head></p>", "x", "<b>y"])
    }

    @Test func aStreamThatBreaksOffStaysIncomplete() async throws {
        struct Broken: Error {}
        var response = document()
        response.body = .stream(length: nil) { client in
            try await client.didLoad("<html")
            throw Broken()
        }
        await #expect(throws: Broken.self) { try await apply(to: response).body.collect() }
    }

    @Test(arguments: [10, 60_000, 65_536, 65_537, 200_000, 5 << 20])
    func onlyTheFirst64KilobytesOfAFileAreReadForTheScriptTag(length: Int) async throws {
        let bytes = Array("<head>".utf8) + [UInt8](repeating: UInt8(ascii: "<"), count: length - 6)
        let file = MemoryFile([0, 0, 0] + bytes + [0])
        var response = document()
        response.body = .init(.file(.init(handle: file, offset: 3, length: length)))
        let result = apply(to: response)
        #expect(file.reads == [3..<3 + min(length, 65_536)])
        #expect(result.body.length == length + 4)
        let wanted = Array("<head></p>".utf8) + bytes.dropFirst(6)
        #expect(try await result.body.collect() == wanted)
        response.body = .bytes(bytes)
        #expect(try await apply(to: response).body.collect() == wanted)
    }

    @Test func aFileThatBecameShorterIsNotChanged() {
        var response = document()
        response.body = .init(.file(.init(handle: MemoryFile(Array("<head>".utf8)), offset: 0, length: 7)))
        #expect(apply(to: response).head == response.head)
    }

    /// A file that notes what is read of it.
    private final class MemoryFile: Response.FileHandle {
        let descriptor: Int32 = -1
        private let bytes: [UInt8]
        private let ranges = Mutex<[Range<Int>]>([])

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var reads: [Range<Int>] { ranges.withLock { $0 } }

        func read(at offset: Int, count: Int) -> [UInt8] {
            ranges.withLock { $0.append(offset..<offset + count) }
            return Array(bytes[offset..<min(offset + count, bytes.count)])
        }
    }
}
