import HTTPTypes
import Testing

@testable import Drawbridge

@Suite("Requests for documents as they are forwarded")
struct HTMLInjectionRequestTests {
    private let injection = HTMLInjection(epoch: "e1") { _, _ in "<tag>" }

    private enum Use: CaseIterable {
        case page, other, unknown

        var headers: HTTPFields {
            switch self {
            case .page: [.secFetchDest: "document"]
            case .other: [.secFetchDest: "empty"]
            case .unknown: [.accept: "*/*"]
            }
        }
    }

    private func request(_ use: Use, _ headers: HTTPFields) -> Request {
        var all = use.headers
        for field in headers { all.append(field) }
        return Request("/p", headers: all)
    }

    @Test(
        arguments: [
            // What the caller has, what is asked for when it wants a page, and when it does not say.
            ("\"a-dbe1\"", "\"a\"", "\"a\""), ("W/\"a-dbe1\"", "W/\"a\"", "W/\"a\""),
            ("\"a-dbe0\"", nil, "\"a-dbe0\""),
            ("\"a\"", nil, "\"a\""),
            ("\"a\", \"b-dbe1\", W/\"c-dbe0\"", "\"b\"", "\"a\", \"b\", W/\"c-dbe0\""),
            ("\"-dbe1\"", "\"\"", "\"\""), ("*", "*", "*"), ("nonsense", nil, "nonsense"),
        ] as [(String, String?, String?)])
    func ifNoneMatchIsSentWithTheServersOwnEntityTags(value: String, page: String?, unknown: String?) {
        func sent(_ use: Use) -> String? {
            injection.outgoing(request(use, [.ifNoneMatch: value])).headers[.ifNoneMatch]
        }
        #expect(sent(.page) == page)
        #expect(sent(.unknown) == unknown)
        #expect(sent(.other) == value)
    }

    @Test(arguments: [
        ("\"a-dbe1\"", "\"a\""), ("\"a-dbe0\"", "\"a-dbe0\""), ("\"a\"", "\"a\""), ("*", "*"),
        ("nonsense", "nonsense"),
    ])
    func ifMatchIsKeptAsACondition(value: String, result: String) {
        for use in [Use.page, .unknown] {
            #expect(injection.outgoing(request(use, [.ifMatch: value])).headers[.ifMatch] == result)
        }
    }

    @Test func aPageIsRequestedWholeAndUncompressed() {
        let headers: HTTPFields = [
            .range: "bytes=1-", .ifRange: "\"a\"", .ifModifiedSince: "x", .acceptEncoding: "gzip, br",
            .cookie: "a=b",
        ]
        var page = Use.page.headers
        page[.acceptEncoding] = "identity"
        page[.cookie] = "a=b"
        #expect(injection.outgoing(request(.page, headers)).headers == page)
        for use in [Use.other, .unknown] {
            #expect(injection.outgoing(request(use, headers)).head == request(use, headers).head)
        }
        let changed: HTTPFields = [.range: "bytes=1-", .ifRange: "\"a-dbe1\""]
        #expect(injection.outgoing(request(.unknown, changed)).headers == Use.unknown.headers)
    }

    @Test func requestsThatAreNotForDocumentsAreForwardedUnchanged() {
        let request = Request(
            .post, "/p?q", headers: [.secFetchDest: "empty", .origin: "x"], body: .init("body"))
        let outgoing = injection.outgoing(request)
        #expect(outgoing.head == request.head)
        #expect(outgoing.body.bytes == request.body.bytes)
        #expect(injection.outgoing(Request("/p")).head == Request("/p").head)
    }

    @Test func a304HasTheEntityTagOfTheChangedDocument() {
        let headers: HTTPFields = [
            .eTag: "W/\"a\"", .lastModified: "x", .contentSecurityPolicy: "default-src 'none'",
            .vary: "Origin",
            .cacheControl: "max-age=1",
        ]
        let response = Response(.notModified, headers: headers)
        let document: HTTPFields = [
            .eTag: "W/\"a-dbe1\"", .vary: "Origin, Sec-Fetch-Dest", .cacheControl: "no-cache",
        ]
        func apply(_ use: Use, _ known: String?) -> HTTPFields {
            injection.apply(to: response, for: request(use, known.map { [.ifNoneMatch: $0] } ?? [:])).headers
        }
        for use in [Use.page, .unknown] {
            var result = apply(use, "\"x\", W/\"a-dbe1\"")
            result[.vary] = result[.vary]
            #expect(result == document)
            #expect(apply(use, "\"a-dbe1\"")[.eTag] == "W/\"a-dbe1\"")
            #expect(apply(use, "\"a\"") == headers)
            #expect(apply(use, "\"b-dbe1\"") == headers)
            #expect(apply(use, "*") == headers)
            #expect(apply(use, nil) == headers)
        }
        #expect(apply(.other, "\"a-dbe1\"") == headers)
    }
}
