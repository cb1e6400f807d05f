import Drawbridge
import DrawbridgeTesting
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import HTTPTypes
import Logging
import TestSupport
import Testing

/// Which class, or which handler, answers; and who may call.
@Suite(.timeLimit(.minutes(5))) struct OrderTests {
    /// Answers everything with its name.
    class Naming: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func startLoading() {
            let response = HTTPURLResponse(
                url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data("\(type(of: self))".utf8))
            client?.urlProtocolDidFinishLoading(self)
        }
        override func stopLoading() {}
    }

    final class First: Naming {}
    final class Second: Naming {}
    final class Flagged: Naming {
        override class func canInit(with request: URLRequest) -> Bool {
            request.url?.query == "_mobile_bridge=1"
        }
    }

    private func text(_ gateway: Gateway, _ target: String = "/a") async throws -> String {
        try await gateway.respond(to: Request(target)).text()
    }

    @Test func theLastRegisteredClassIsAskedFirst() async throws {
        let gateway = Gateway.testing()
        gateway.register(First.self)
        gateway.register(Second.self)
        #expect(try await text(gateway) == "Second")
        gateway.register(First.self)
        #expect(try await text(gateway) == "First", "registered again, it is the last")
        #expect(gateway.unregister(First.self))
        #expect(try await text(gateway) == "Second")
        #expect(gateway.unregister(Second.self) && !gateway.unregister(Second.self))
        #expect(await gateway.respond(to: Request("/a")).status == .notFound)
    }

    @Test func aClassThatDeclinesLeavesTheRequestToTheNext() async throws {
        let gateway = Gateway.testing()
        gateway.register(First.self)
        gateway.register(Flagged.self)
        #expect(try await text(gateway, "/a?_mobile_bridge=1") == "Flagged")
        #expect(try await text(gateway, "/a") == "First")
    }

    @Test func classesComeBeforeHandlersAndUpstreams() async throws {
        struct Behind: Responder {
            func respond(to request: Request) async throws -> Response? { Response(text: "behind") }
        }
        let gateway = Gateway.testing(passThrough: [Behind()])
        gateway.answer(at: "/a") { _ in Response(text: "handler") }
        gateway.register(Flagged.self)
        #expect(try await text(gateway, "/a?_mobile_bridge=1") == "Flagged")
        #expect(try await text(gateway, "/__jsbridge__/a") == "handler")
        #expect(try await text(gateway, "/a") == "behind")
        gateway.register(First.self)
        #expect(try await text(gateway, "/__jsbridge__/a") == "First")
        #expect(try await text(gateway, "/a") == "First")
    }

    @Test func theLogTellsOnceOfAHandlerThatAClassHides() async throws {
        let log = Log()
        let gateway = Gateway(logger: Logger(label: "test") { _ in log })
        gateway.answer(at: "/a") { _ in Response(text: "handler") }
        gateway.answer(at: "/b") { _ in Response(text: "handler") }
        gateway.answer(at: "/files/*") { _ in Response(text: "handler") }
        gateway.register(Flagged.self)
        for _ in 0..<2 {
            #expect(try await text(gateway, "/a?_mobile_bridge=1") == "Flagged")
            #expect(try await text(gateway, "/files/a?_mobile_bridge=1") == "Flagged")
            #expect(try await text(gateway, "/nobody?_mobile_bridge=1") == "Flagged")
            #expect(try await text(gateway, "/__jsbridge__/b") == "handler")
        }
        #expect(
            log.messages.value == [
                "Flagged answers a instead of Answering: let its canInit(with:) return false for this path, "
                    + "or unregister one of the two"
            ])
    }

    @Test func classesDoNotGetTheGatewaysOwnPaths() async throws {
        let gateway = Gateway.testing()
        gateway.register(First.self)
        #expect(try await text(gateway, "/__drawbridge__/health").contains(#""status":"ok""#))
    }

    @Test func callersWithoutAccessReachNoClass() async throws {
        let gateway = Gateway.testing()
        gateway.register(First.self)
        for headers in [
            [.origin: "https://evil.example"], [HTTPField.Name("Sec-Fetch-Site")!: "cross-site"],
        ] as [HTTPFields] {
            let request = Request("/a", headers: headers)
            #expect(await gateway.respond(to: request).status == .forbidden)
            guard case .refused = gateway.bodyChoice(by: gateway.plan(for: request)) else {
                Issue.record("refused before its body is read")
                continue
            }
        }
        #expect(await gateway.respond(to: Request("/a", authority: "evil.example")).status == .forbidden)
        let prefetch = Request("/a", headers: [HTTPField.Name("Sec-Purpose")!: "prefetch"])
        #expect(await gateway.respond(to: prefetch).status == .serviceUnavailable)
    }

    @Test func aTargetThatIsNotAURLIsNotGivenToClasses() async throws {
        let gateway = Gateway.testing()
        gateway.register(First.self)
        #expect(await gateway.respond(to: Request(.options, "*")).status == .notFound)
    }

    @Test func theLogNamesTheURLProtocolClass() async throws {
        let gateway = Gateway.testing()
        gateway.register(First.self)
        let response = await gateway.respond(to: Request("/a"))
        #expect(response.answeredBy == "handler First")
        #expect(response.headers[.serverTiming]?.contains(#"desc="First""#) == true)
    }
}
