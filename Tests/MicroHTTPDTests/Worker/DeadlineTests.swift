import EngineSupport
import Glibc
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

extension Deadlines {
    /// Callers that are too slow are cut off, those that wait for us are not.
    struct DeadlineTests {
        fileprivate static var limits: Limits {
            var limits = Limits()
            limits.headTime = .seconds(1)
            limits.graceTime = .seconds(1)
            limits.idleTime = .seconds(2)
            return limits
        }

        /// What a slow caller does: first this, then one piece after another.
        struct Slow: Sendable, CustomTestStringConvertible {
            let name: String
            let first: String
            let piece: String
            /// Between two pieces, in milliseconds.
            let pause: UInt32
            var replies = 0
            var mayEndAtOnce = false
            /// Whether it gets a 408 before it is cut off; one that goes on sending may miss it.
            var isTold: Bool?

            var testDescription: String { name }
        }

        private static let plain = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        private static let slow: [Slow] = [
            Slow(
                name: "a head that stands still", first: "GET / HT", piece: "", pause: 100, isTold: true),
            Slow(
                name: "a head that trickles", first: "GET / HTTP/1.1\r\nHost: a\r\n", piece: "X", pause: 100
            ),
            Slow(
                name: "headers that trickle", first: "GET / HTTP/1.1\r\nHost: a\r\n", piece: "X: y\r\n",
                pause: 300),
            Slow(name: "a request line that trickles", first: "G", piece: "A", pause: 100),
            // libmicrohttpd 1.0 skips one of them, and closes at the second.
            Slow(
                name: "empty lines that trickle", first: "\r\n", piece: "\r\n", pause: 100, mayEndAtOnce: true
            ),
            Slow(name: "a second head that trickles", first: plain, piece: "G", pause: 100, replies: 1),
            Slow(
                name: "a third head that trickles", first: plain + plain + "GET / HTTP/1.1\r\n",
                piece: "X: y\r\n", pause: 400, replies: 2),
            Slow(
                name: "a body that stands still",
                first: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\nx", piece: "", pause: 100,
                isTold: true),
            Slow(
                name: "a body that trickles",
                first: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n", piece: "xxxx",
                pause: 100
            ),
            Slow(
                name: "chunks that trickle",
                first: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                piece: "1\r\nx\r\n", pause: 100),
            Slow(
                name: "a chunk size that trickles",
                first: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", piece: "0",
                pause: 100),
            Slow(
                name: "trailers that trickle",
                first: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
                piece: "X: y\r\n", pause: 100),
            Slow(
                name: "a chunk extension that does not fit",
                first: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;"
                    + String(repeating: "x", count: 40_000), piece: "", pause: 100),
            Slow(
                name: "a refused body that trickles",
                first: "POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n", piece: "xxxx",
                pause: 100),
            Slow(
                name: "a streamed body that trickles",
                first: "POST /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n", piece: "xxxx",
                pause: 100),
        ]
        private static let silent: [Slow] = [
            Slow(name: "nothing at all", first: "", piece: "", pause: 100, isTold: false),
            // Its beginning came with the request before, so it is silence.
            Slow(
                name: "a second head that stands still", first: plain + "GET / HT", piece: "", pause: 100,
                replies: 1),
            Slow(
                name: "nothing after a reply", first: plain, piece: "", pause: 100, replies: 1,
                isTold: false),
        ]

        @Test func slowSendersAreCutOff() async throws {
            // The time that a connection may be silent is the library's, which tells nobody: it must not be over first.
            var limits = Self.limits
            limits.idleTime = .seconds(3600)
            try await Self.cutsOff(Self.slow, limits)
        }

        @Test func silentCallersAreCutOff() async throws {
            try await Self.cutsOff(Self.silent, Self.limits)
        }

        private static func cutsOff(_ callers: [Slow], _ limits: Limits) async throws {
            try await withServer(
                limits: limits,
                chooseBody: { head, _, _ in
                    switch head.path {
                    case "/refused": .refused(HTTPResponse(status: .forbidden), [])
                    case "/stream": .streamed
                    default: .collected(upTo: 1 << 20)
                    }
                },
                handle: { exchange in
                    while exchange.isStreamed, let chunk = try? await exchange.nextChunk(), !chunk.isEmpty {}
                    ok(exchange)
                }
            ) { server in
                let port = server.port
                let results = try await withThrowingTaskGroup(of: (Slow, Double, String).self) { group in
                    for slow in callers {
                        group.addTask {
                            try await blocking {
                                let start = now()
                                let answer = try send(slow, port)
                                return (slow, now() - start, answer)
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                for (slow, seconds, text) in results {
                    #expect(
                        slow.mayEndAtOnce || seconds > 0.5, "\(slow.name) was cut after \(seconds) seconds")
                    #expect(text.components("HTTP/1.1 200 OK") == slow.replies, "\(slow.name)")
                    guard let isTold = slow.isTold else { continue }
                    let count = text.components("HTTP/1.1 408 Request Timeout\r\n")
                    #expect(count == (isTold ? 1 : 0), "\(slow.name), over after \(seconds) s: \(text)")
                }
            }
        }

        /// Sends until the connection is closed; returns what came, nothing where nobody closed it.
        private static func send(_ slow: Slow, _ port: Int) throws -> String {
            let client = try RawClient(port)
            try client.send(slow.first)
            let end = now() + 60
            client.timeout(Double(slow.pause) / 1000)
            while true {
                guard now() < end else {
                    return "nobody closed it: HTTP/1.1 200 OK HTTP/1.1 200 OK HTTP/1.1 200 OK"
                }
                do {
                    if try client.isClosedByPeer() { break }
                    try client.send(slow.piece)
                } catch RawClient.Failure.system { break }
            }
            return String(decoding: (try? client.readToEnd()) ?? [], as: UTF8.self)
        }

        /// So does one of a body that its handler writes as it goes, where its length is known.
        @Test func aReaderThatTakesNothingOfAStreamWithALengthIsCutOff() async throws {
            let ended = Tally()
            try await withServer(limits: Self.limits) { exchange in
                exchange.begin(HTTPResponse(status: .ok), length: 64 << 20)
                while (try? await exchange.write([UInt8](repeating: 1, count: 64 << 10))) != nil {}
                ended.add()
            } test: { server in
                let port = server.port
                let client = try await blocking {
                    let client = try RawClient(port, receiveBuffer: 4096)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try client.head()
                    return client
                }
                #expect(await ended.reaches(1, within: 20))
                client.close()
            }
        }

        /// Nobody is slow while there is nothing to take: the writer is.
        @Test func aReaderOfASlowWriterIsNotCutOff() async throws {
            try await withServer(limits: Self.limits) { exchange in
                exchange.begin(HTTPResponse(status: .ok), length: 4)
                for byte in Array("slow".utf8) {
                    try? await exchange.write([byte])
                    try? await Task.sleep(for: .milliseconds(1500))
                }
            } test: { server in
                let port = server.port
                let text = try await blocking {
                    let client = try RawClient(port)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try client.reply().text
                }
                #expect(text == "slow")
            }
        }

        @Test func aReaderThatTakesNothingOfALargeBodyIsCutOff() async throws {
            try await withServer(limits: Self.limits) { exchange in
                exchange.send(HTTPResponse(status: .ok), [UInt8](repeating: 1, count: 32 << 20))
            } test: { server in
                let port = server.port
                let idle = sockets(on: port)
                let clients = try await blocking {
                    try (0..<2).map { _ in
                        let client = try RawClient(port, receiveBuffer: 4 << 10)
                        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        return client
                    }
                }
                // One takes nothing, one takes a little, in time for every look.
                async let reading: Void = blocking {
                    do { while try clients[1].readSome(64) > 0 { usleep(200_000) } } catch {}
                }
                #expect(await eventually { sockets(on: port) == idle })
                for client in clients { client.shutDown() }
                _ = try? await reading
            }
        }

        @Test func aReaderThatIsJustFastEnoughIsNotCutOff() async throws {
            let body = [UInt8](repeating: 1, count: 8 << 20)
            // Long enough for a machine on which a thread stalls for a while.
            var limits = Self.limits
            limits.graceTime = .seconds(4)
            limits.idleTime = .seconds(60)
            try await withServer(limits: limits) {
                $0.send(HTTPResponse(status: .ok), body)
            } test: { server in
                let port = server.port
                let count = try await blocking {
                    let client = try RawClient(port, receiveBuffer: 64 << 10)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    let end = now() + 9
                    var count = 0
                    while now() < end {
                        count += try client.readSome(32 << 10)
                        usleep(100_000)
                    }
                    return try count + client.drainToEnd()
                }
                #expect(count > body.count)
            }
        }

        @Test func callersThatWaitForTheServerAreNotCutOff() async throws {
            // What the callers send must be there within these.
            var limits = Self.limits
            limits.headTime = .seconds(4)
            limits.graceTime = .seconds(4)
            try await withServer(limits: limits, chooseBody: { _, _, _ in .streamed }) { exchange in
                switch exchange.request.path {
                case "/stream":
                    exchange.begin(HTTPResponse(status: .ok), length: nil)
                    for _ in 0..<2 {
                        try? await Task.sleep(for: .seconds(6))
                        try? await exchange.write(Array("x".utf8))
                    }
                case "/upload":
                    try? await Task.sleep(for: .seconds(8))
                    var count = 0
                    while let chunk = try? await exchange.nextChunk() { count += chunk.count }
                    ok(exchange, "\(count)")
                default:
                    try? await Task.sleep(for: .seconds(8))
                    ok(exchange, "late")
                }
            } test: { server in
                let port = server.port
                async let stream = blocking {
                    let client = try RawClient(port)
                    try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try client.reply().text
                }
                async let late = blocking {
                    let client = try RawClient(port)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try client.reply().text
                }
                async let upload = blocking {
                    let client = try RawClient(port)
                    try client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n")
                    try client.send([UInt8](repeating: 1, count: 4_000_000))
                    return try client.reply().text
                }
                let texts = try await [stream, late, upload]
                #expect(texts == ["xx", "late", "4000000"])
            }
        }

        @Test(arguments: ["", "GET / HT"], [20, 200])
        func atTheLimitOfConnectionsANewCallerIsAnswered(_ first: String, _ count: Int) async throws {
            var limits = Limits()
            limits.connections = 20
            // Nobody has to go but to make room: who waited for another reason would wait for an hour.
            limits.headTime = .seconds(3600)
            limits.idleTime = .seconds(3600)
            try await withServer(limits: limits, loops: 1, handle: { ok($0) }) { server in
                let port = server.port
                let statuses = try await blocking {
                    let slow = try (0..<count).map { _ in
                        let client = try RawClient(port)
                        try client.send(first)
                        return client
                    }
                    let statuses = try (0..<20).map { _ in
                        let client = try RawClient(port)
                        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        return try client.reply().status
                    }
                    withExtendedLifetime(slow) {}
                    return statuses
                }
                #expect(statuses == Array(repeating: 200, count: 20))
            }
        }
    }
}

extension String {
    /// How often another text occurs.
    fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}

extension Deadlines.DeadlineTests {
    @Test func aStreamThatBeginsBeforeItsUploadEndsIsNotCutOff() async throws {
        try await withServer(limits: Self.limits, chooseBody: { _, _, _ in .streamed }) { exchange in
            exchange.begin(HTTPResponse(status: .ok), length: nil)
            for _ in 0..<30 {
                try? await exchange.write(Array("tick\n".utf8))
                try? await Task.sleep(for: .milliseconds(100))
            }
        } test: { server in
            let reply = try await blocking {
                let client = try RawClient(server.port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
                try client.send([UInt8](repeating: 120, count: 100_000))
                return try client.reply()
            }
            #expect(reply.text == String(repeating: "tick\n", count: 30))
        }
    }
}
