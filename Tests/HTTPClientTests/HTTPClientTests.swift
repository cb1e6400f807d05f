import EventLoop
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(5)))
struct HTTPClientTests {
    @Test func itsLoopReachesTheLinesThatItKnows() async throws {
        let loop = try Loop.standalone()
        let value = await withCheckedContinuation { continuation in
            loop.perform {
                let client = HTTPClient.of(loop)
                let field = Array("Content-Type: text/html".utf8).withUnsafeBytes { line in
                    let field = HTTPField(name: .contentType, value: "text/html")
                    client.own.value.knownLines.add(line, field)
                    return client.own.value.knownLines.field(line)
                }
                continuation.resume(returning: field?.value)
            }
        }
        #expect(value == "text/html")
    }

    @Test func theLinesThatItKnowsTrapOnAnotherThread() async {
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try Loop.standalone()
            let client = await withCheckedContinuation { continuation in
                loop.perform { continuation.resume(returning: HTTPClient.of(loop)) }
            }
            client.own.value.knownLines = KnownLines()
        }
    }
}
