import EventLoop
import HTTPTypes
import TestSupport
import Testing

@testable import MicroHTTPD

/// What a loop has alone, and what is constant once it is there.
@Suite(.timeLimit(.minutes(5)))
struct OwnersTests {
    @Test func aReusableResponseTrapsOnAnotherThreadThanItsLoops() async {
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try Loop.standalone()
            let response = try #require(ReusableResponse([], length: 1, of: loop))
            await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
            [].withUnsafeBytes { response.hold([1], adding: $0) }
        }
    }

    @Test func aHeadKeepsTheFirstHandlerThatIsMadeForIt() {
        final class Made: HeadHandler {
            func chooseBody(
                _ head: AuditedHead, from remoteAddress: String?, at localAddress: String?
            ) -> (HTTPServer.BodyChoice, HTTPServer.Handle?) { (.streamed, nil) }

            func handle(_ exchange: Exchange, _ body: consuming [UInt8]) {}
        }
        let head = AuditedHead(
            method: .get, scheme: "http", authority: nil, target: "/", headers: [:], isAbsoluteForm: false,
            isOldVersion: false, framing: .none, expectsContinue: false)
        let first = Made()
        #expect(head.handler { _ in first } === first)
        #expect(head.handler { _ in Made() } === first)
    }
}
