import DrawbridgeServer
import Foundation
import MicroHTTPD
import TestSupport
import Testing

/// Bodies on their way from an upstream: at once, as fast as the slower side, and no longer than somebody reads.
@Suite("Hostile 30: streamed answers, and callers that leave", .serialized, .timeLimit(.minutes(5)))
struct StreamTests {
    private static let megabyte = 1 << 20

    @Test(arguments: [true, false])
    func eachEventArrivesBeforeTheNextIsSent(_ isChunked: Bool) async throws {
        let isSeen = DispatchSemaphore(value: 0)
        let sending: Answering = { connection, _ in
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Connection: close"
            try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\(framing)\r\n\r\n")
            for number in 1...9 {
                isSeen.wait()
                let event = "data: \(number)\n\n"
                try connection.send(isChunked ? "9\r\n\(event)\r\n" : event)
            }
            isSeen.wait()
            if isChunked { try connection.send("0\r\n\r\n") } else { connection.close() }
        }
        try await proxying(to: sending) { port, _ in
            try await blocking {
                let client = try RawClient(port)
                try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let head = try client.head()
                #expect(head["Content-Type"] == "text/event-stream")
                #expect(head["Transfer-Encoding"] == "chunked")
                isSeen.signal()
                for number in 1...9 {
                    let event = try client.chunk()
                    #expect(event == Array("data: \(number)\n\n".utf8))
                    isSeen.signal()
                }
                #expect(try client.chunk() == nil)
            }
        }
    }

    @Test func aCallerThatLeavesEndsAnEndlessAnswer() async throws {
        let endless: Answering = { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true { try connection.send("4\r\nmore\r\n") }
        }
        try await proxying(to: endless) { port, upstream in
            try await blocking {
                let client = try RawClient(port)
                try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                _ = try client.head()
                _ = try client.chunk()
                client.close()
            }
            #expect(await eventually { upstream.connections.value[0].isOver.value })
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
    func aCallerThatLeavesEndsASilentAnswer(_ beginning: String) async throws {
        let isAsked = Observed(false)
        let silent: Answering = { connection, _ in
            try connection.send(beginning)
            isAsked.change { $0 = true }
            try connection.drain()
            connection.close()
        }
        try await proxying(to: silent) { port, upstream in
            isAsked.change { $0 = false }
            let client = try await blocking {
                let client = try RawClient(port)
                try client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                if !beginning.isEmpty { _ = try client.head() }
                return client
            }
            try await isAsked.wait { $0 }
            client.close()
            #expect(await eventually { upstream.connections.value[0].isOver.value })
        }
    }

    @Test func aSlowReaderHoldsAFastServerBack() async throws {
        let count = 100 * Self.megabyte
        let sent = Observed(0)
        let fast: Answering = { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            let piece = [UInt8](repeating: 0x61, count: 64 << 10)
            for _ in 0..<(count / piece.count) {
                try connection.send(piece)
                sent.change { $0 += piece.count }
            }
        }
        try await proxying(to: fast) { port, _ in
            sent.change { $0 = 0 }
            let before = residentBytes()
            let client = try await blocking {
                let client = try RawClient(port, receiveBuffer: 4096)
                try client.send(get("/"))
                _ = try client.readSome(100)
                return client
            }
            // Until it stalls.
            var last = -1
            while sent.value != last {
                last = sent.value
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(last < 40 * Self.megabyte, "\(last >> 20) MB")
            #expect(!isAlone || residentBytes() - before < 16 * Self.megabyte)
            let rest = try await blocking { try client.drainToEnd() }
            #expect(rest > count)
            #expect(sent.value == count)
        }
    }

    /// A body with an end has the reader's rate, whoever it is from; and its server is let go with the reader.
    @Test func aReaderWhoTakesNothingOfABodyWithALengthIsCutOff() async throws {
        var limits = Limits()
        limits.graceTime = .seconds(1)
        let endless: Answering = { connection, _ in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 40)\r\n\r\n")
            let piece = [UInt8](repeating: 0x61, count: 64 << 10)
            while true { try connection.send(piece) }
        }
        try await proxying(to: endless, limits: limits) { port, upstream in
            let client = try await blocking {
                let client = try RawClient(port, receiveBuffer: 4096)
                try client.send(get("/"))
                _ = try client.readSome(100)
                return client
            }
            #expect(await eventually(within: 30) { upstream.connections.value[0].isOver.value })
            client.close()
        }
    }

    @Test(arguments: [true, false])
    func streamingAHundredMegabytesTakesNoMemory(_ isChunked: Bool) async throws {
        let count = 100 * Self.megabyte
        let fast: Answering = { connection, _ in
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(count)"
            try connection.send("HTTP/1.1 200 OK\r\n\(framing)\r\n\r\n")
            let piece = [UInt8](repeating: 0x61, count: 64 << 10)
            let sent = isChunked ? Array("10000\r\n".utf8) + piece + [0x0D, 0x0A] : piece
            for _ in 0..<(count / piece.count) { try connection.send(sent) }
            if isChunked { try connection.send("0\r\n\r\n") }
        }
        try await proxying(to: fast) { port, _ in
            let before = residentBytes()
            let (read, peak) = try await blocking {
                let client = try RawClient(port)
                try client.send(get("/"))
                var (read, peak) = (0, 0)
                while true {
                    let more = try client.readSome(256 << 10)
                    guard more > 0 else { return (read, peak) }
                    read += more
                    peak = max(peak, residentBytes())
                }
            }
            #expect(read > count)
            #expect(!isAlone || peak - before < 24 * Self.megabyte, "\((peak - before) >> 20) MB more")
        }
    }
}
