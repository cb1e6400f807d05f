import DrawbridgeServer
import Foundation
import MicroHTTPD
import Synchronization
import TestSupport
import Testing

/// Bodies on their way to an upstream, which are streamed, and never whole where they are not.
@Suite("Uploads", .serialized, .timeLimit(.minutes(5)))
struct UploadTests {
    private static let megabyte = 1 << 20

    @Test(arguments: [1, 4095, 4096, 4097, 65_536, 1_000_000], [true, false])
    func everyByteArrivesInItsPlace(_ count: Int, _ isChunked: Bool) async throws {
        let body = pattern(count)
        let echo: Answering = { connection, head in
            let body = try connection.readBody(after: head)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            try connection.send(body)
        }
        try await proxying(to: echo) { port, _ in
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count)"
            let content = isChunked ? chunk(body) + Array("0\r\n\r\n".utf8) : body
            let reply = try await reply(port, request("PUT", "/", framing) + content)
            #expect(reply.body == body)
        }
    }

    @Test func uploadingFiftyMegabytesTakesNoMemory() async throws {
        let count = 50 * Self.megabyte
        let counting: Answering = { connection, head in
            try connection.send(ok(String(try connection.drain(count))))
        }
        try await proxying(to: counting) { port, _ in
            let before = residentBytes()
            let peak = try await blocking {
                let client = try RawClient(port)
                var peak = 0
                let piece = [UInt8](repeating: 0x61, count: 64 << 10)
                try client.send(request("POST", "/", "Content-Length: \(count)"))
                for _ in 0..<(count / piece.count) {
                    try client.send(piece)
                    peak = max(peak, residentBytes())
                }
                #expect(try client.reply().text == String(count))
                return peak
            }
            #expect(!isAlone || peak - before < 24 * Self.megabyte, "\((peak - before) >> 20) MB more")
        }
    }

    @Test func aServerThatReadsNothingHoldsTheCallerBack() async throws {
        let count = 100 * Self.megabyte
        let gate = DispatchSemaphore(value: 0)
        let waiting: Answering = { connection, head in
            gate.wait()
            try connection.send(ok(String(try connection.drain(count))))
        }
        try await proxying(to: waiting) { port, _ in
            try await blocking {
                let client = try RawClient(port, timeout: 30)
                try client.send(request("POST", "/", "Content-Length: \(count)"))
                let piece = [UInt8](repeating: 0x61, count: 64 << 10)
                let before = residentBytes()
                var sent = try client.sendUntilBlocked(piece, atMost: count)
                // The sockets' own buffers, on both sides of the gateway.
                #expect(sent < 40 * Self.megabyte, "\(sent >> 20) MB")
                #expect(!isAlone || residentBytes() - before < 16 * Self.megabyte)
                gate.signal()
                while sent < count { sent += try client.sendSome(piece.prefix(count - sent)) }
                #expect(try client.reply().text == String(count))
            }
        }
    }

    @Test(arguments: [true, false])
    func anAbandonedUploadNeverLooksCompleteToTheUpstream(_ isChunked: Bool) async throws {
        let hasBegun = Observed(false)
        let isWhole = Observed<Bool?>(nil)
        let reading: Answering = { connection, head in
            hasBegun.change { $0 = true }
            do {
                _ = try connection.readBody(after: head)
                isWhole.change { $0 = true }
            } catch {
                isWhole.change { $0 = false }
                throw error
            }
        }
        try await proxying(to: reading) { port, _ in
            hasBegun.change { $0 = false }
            isWhole.change { $0 = nil }
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 200000"
            let client = try await blocking {
                let client = try RawClient(port)
                try client.send(request("POST", "/", framing))
                try client.send(isChunked ? chunk(pattern(100_000)) : pattern(100_000))
                return client
            }
            // Of a caller that leaves before that, the server need not hear at all.
            try await hasBegun.wait { $0 }
            client.close()
            #expect(try await isWhole.wait { $0 != nil } == false)
        }
    }

    @Test func anEarlyRefusalIsPassedOn() async throws {
        let refusing: Answering = { connection, _ in
            try connection.send(
                "HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\nConnection: close\r\n\r\ntoo much")
            try connection.drain()
            connection.close()
        }
        try await proxying(to: refusing) { port, _ in
            let reply = try await reply(
                port, request("POST", "/", "Content-Length: 10485760") + pattern(10 << 20))
            #expect(reply.status == 413)
            #expect(reply.text == "too much")
        }
    }

    @Test func aRefusalThatIsResetAtOnceIsStillAnswered() async throws {
        let refusing: Answering = { connection, _ in
            try connection.send(
                "HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\nConnection: close\r\n\r\ntoo much")
            connection.close()
        }
        try await proxying(to: refusing) { port, _ in
            let reply = try await reply(
                port, request("POST", "/", "Content-Length: 10485760") + pattern(10 << 20))
            // The reset that follows may overtake the answer.
            #expect(reply.status == 413 || reply.status == 502)
        }
    }

    /// As a program does that sends back what it reads.
    @Test(arguments: [100_000, 20_000_000], [true, false])
    func anAnswerThatBeginsBeforeTheBodyHasEndedIsWhole(_ count: Int, _ isChunked: Bool) async throws {
        let echo: Answering = { connection, head in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            if isChunked {
                while let chunk = try connection.readChunk() { try connection.send(chunk) }
            } else {
                for _ in 0..<(count / 10_000) { try connection.send(try connection.read(10_000)) }
            }
        }
        let body = pattern(count)
        let pieces = stride(from: 0, to: count, by: 50_000).flatMap { chunk(Array(body[$0..<$0 + 50_000])) }
        try await proxying(to: echo) { port, _ in
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count)"
            let content = isChunked ? pieces + Array("0\r\n\r\n".utf8) : body
            let reply = try await reply(port, request("POST", "/", framing) + content)
            #expect(reply.status == 200)
            #expect(reply.body == body)
        }
    }

    /// What cannot begin is kept, and uses the memory for bodies of all requests.
    @Test func anAnswerThatExceedsTheMemoryForBodiesIsA503() async throws {
        let count = 64 * Self.megabyte
        let echo: Answering = { connection, head in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            for _ in 0..<(count >> 16) { try connection.send(try connection.read(1 << 16)) }
        }
        var limits = Limits()
        limits.memoryForBodies = 4 * Self.megabyte
        try await proxying(to: echo, limits: limits) { port, _ in
            for _ in 0..<3 {
                let reply = try await blocking {
                    let client = try RawClient(port, timeout: 30)
                    try client.send(request("POST", "/", "Content-Length: \(count)"))
                    let piece = [UInt8](repeating: 0x61, count: 1 << 16)
                    for _ in 0..<(count >> 16) { try client.send(piece) }
                    return try client.reply()
                }
                #expect(reply.status == 503)
                #expect(reply["Retry-After"] == "1")
                #expect(reply.text.contains("--memory-for-bodies"))
            }
        }
    }

    @Test func anAnswerThatEndsBeforeTheRequestBodyIsPassedOn() async throws {
        let gate = DispatchSemaphore(value: 0)
        let early: Answering = { connection, head in
            try connection.send(ok("early"))
            gate.signal()
            #expect(try connection.readBody(after: head).count == 300_000)
        }
        try await proxying(to: early) { port, _ in
            try await blocking {
                let client = try RawClient(port)
                try client.send(request("POST", "/", "Content-Length: 300000") + pattern(100_000))
                gate.wait()
                try client.send(pattern(200_000))
                #expect(try client.repliesToEnd().map(\.text) == ["early"])
            }
        }
    }
}

/// One chunk of a chunked body.
func chunk(_ bytes: [UInt8]) -> [UInt8] {
    Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A]
}
