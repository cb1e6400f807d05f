import EventLoop
import TestSupport
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(5)))
struct HTTPClientTests {
    @Test func usingTheConnectionsOfAnotherThreadsClientTraps() async {
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try Loop.standalone()
            let client = await withCheckedContinuation { continuation in
                loop.perform { continuation.resume(returning: HTTPClient.of(loop)) }
            }
            print(client.pool.isEmpty)
        }
    }
}
