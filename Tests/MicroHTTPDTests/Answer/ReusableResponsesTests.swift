import EngineSupport
import EventLoop
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

extension OneAtATime {
    /// A response of the library's that is sent again carries nothing of the answers before.
    struct ReusableResponsesTests {
        private static let fixed = Array("Content-Type\0text/plain\0Cache-Control\0no-store\0".utf8)

        /// Answers with the target, in a field and in a body that is as long as the target says: `/7/1000`.
        private static func echo(_ exchange: Exchange) {
            let target = exchange.request.path ?? ""
            let parts = target.split(separator: "/")
            let length = parts.last.flatMap { Int($0) } ?? 0
            Array("X-Target\0\(target)\0".utf8).withUnsafeBytes { added in
                exchange.send(
                    .ok, [:], fixed: parts.first == "plain" ? [] : fixed, adding: added, body(target, length))
            }
        }

        private static func body(_ target: String, _ length: Int) -> [UInt8] {
            Array(repeatElement(Array(target.utf8), count: length).joined().prefix(length))
        }

        /// There is room for some 130 KB of unread answers on a connection: on each, one waits in the middle of its
        /// body while those of the others are made.
        @Test func concurrentAnswersOfTheSameLengthAreNotMixed() async throws {
            try await withServer(loops: 1) {
                Self.echo($0)
            } test: { server in
                let port = server.port
                let wrong = try await blocking {
                    let clients = try (0..<4).map { _ in try RawClient(port, receiveBuffer: 4096) }
                    let numbers = 0..<400
                    for (index, client) in clients.enumerated() {
                        try client.send(
                            numbers.map { "GET /\(index)/\($0)/1000 HTTP/1.1\r\nHost: a\r\n\r\n" }
                                .joined())
                    }
                    var wrong = 0
                    for number in numbers {
                        for (index, client) in clients.enumerated() {
                            let reply = try client.reply()
                            let target = "/\(index)/\(number)/1000"
                            if reply["X-Target"] != target || reply.body != Self.body(target, 1000) {
                                wrong += 1
                            }
                        }
                    }
                    return wrong
                }
                #expect(wrong == 0)
            }
        }

        /// As of an upstream, whose answers are alike: these have one place in common, of which more wait than it keeps.
        @Test func fixedFieldsOfTheSameLengthAreNotMixed() async throws {
            try await withServer(loops: 1) { exchange in
                let target = exchange.request.path ?? ""
                let answer = { @Sendable in
                    let none = UnsafeRawBufferPointer(start: nil, count: 0)
                    exchange.send(
                        .ok, [:], fixed: Array("X-Target\0\(target)\0".utf8), adding: none, [1])
                }
                // The first of each client answers at once, the others together in a later round.
                if target.hasSuffix("0") { answer() } else { exchange.loop.performSoon(answer) }
            } test: { server in
                let port = server.port
                let wrong = try await blocking {
                    let clients = try (10..<50).map { (try RawClient(port), $0) }
                    var wrong = 0
                    for number in 100..<120 {
                        // Every other client asks for the same, and so gets the same fields.
                        for (client, index) in clients {
                            let target = "/\(index % 2 == 0 ? 10 : index)/\(number)"
                            try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                        }
                        for (client, index) in clients {
                            let target = "/\(index % 2 == 0 ? 10 : index)/\(number)"
                            if try client.reply()["X-Target"] != target { wrong += 1 }
                        }
                    }
                    return wrong
                }
                #expect(wrong == 0)
            }
        }

        /// Lengths at both sides of the longest that is reused, and some that share a place.
        @Test func answersOfAllLengthsInTurnHaveTheirOwnFieldsOnly() async throws {
            let lengths = [0, 1, 64, 65, 128, 1023, 1024, 1025, 5000]
            let targets = (0..<4).flatMap { round in
                lengths.flatMap { ["/\(round)/\($0)", "/plain/\(round)/\($0)"] }
            }
            try await withServer(loops: 1) {
                Self.echo($0)
            } test: { server in
                let port = server.port
                let replies = try await blocking {
                    let client = try RawClient(port)
                    return try targets.map { target in
                        try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                        return try client.reply()
                    }
                }
                for (target, reply) in zip(targets, replies) {
                    let isPlain = target.hasPrefix("/plain")
                    let fixed = isPlain ? [] : ["Content-Type: text/plain", "Cache-Control: no-store"]
                    let own = reply.headers.filter { !["Date", "Content-Length"].contains($0.name) }
                    #expect(own.map { "\($0.name): \($0.value)" } == fixed + ["X-Target: \(target)"])
                    let length = try #require(target.split(separator: "/").last.flatMap { Int($0) })
                    #expect(reply.body == Self.body(target, length))
                }
            }
        }
    }
}
