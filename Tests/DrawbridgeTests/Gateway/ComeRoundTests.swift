import HTTPTypes
import TestSupport
import Testing

@testable import Drawbridge

/// What a gateway has sent on itself is for whoever lies behind, however it comes in and whatever its size.
struct ComeRoundTests {
    private static func gateway(_ journal: Notebook) -> Gateway {
        let gateway = Gateway.testing(passThrough: [Behind()])
        gateway.answer(at: "/pay") { _ in
            journal.note("by its path")
            return Response(text: "handler")
        }
        gateway.register(ruled: Notebook.self, HandlerOptions(deadline: nil), where: { $0.path == "/ruled" })
        { _ in
            Ruled(journal: journal)
        }
        return gateway
    }

    private struct Ruled: Handler {
        let journal: Notebook

        func handle(_ request: Request) async throws -> Response {
            journal.note("by its rule")
            return Response(text: "handler")
        }
    }

    private static func request(_ target: String, by gateway: Gateway) -> Request {
        Request(.post, target, headers: HTTPFields([gateway.via.field(isOldVersion: false)]))
    }

    @Test(arguments: ["/pay?_mobile_bridge=1", "/__jsbridge__/pay", "/ruled"])
    func aRequestThatLoopsBackToTheGatewayIsNeverNative(_ target: String) async {
        let journal = Notebook()
        let gateway = Self.gateway(journal)
        let plan = gateway.plan(for: Self.request(target, by: gateway))
        guard case .taken(.streamed) = gateway.bodyChoice(by: plan) else {
            Issue.record("its body is collected for a handler that does not get it")
            return
        }
        #expect(!gateway.isNative(Self.request(target, by: gateway)))
        #expect(await gateway.respond(to: Self.request(target, by: gateway)).answeredBy != "handler Ruled")
        #expect(journal.entries.isEmpty)
        // Without the mark it is for the handler.
        #expect(gateway.isNative(Request(.post, target)))
    }
}
