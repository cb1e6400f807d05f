import EngineSupport
import Glibc
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

extension OneAtATime {
    /// Callers that leave: their handlers are cancelled, and nothing of them stays.
    struct LeavingTests {
        /// How a caller goes.
        enum Exit: CaseIterable, Sendable {
            case close, reset

            func take(_ client: RawClient) {
                switch self {
                case .close: client.close()
                case .reset: client.reset()
                }
            }
        }

        /// The server's sockets are its listening ones again.
        private static func expectNoConnections(_ server: HTTPServer, _ idle: Int) async {
            let port = server.port
            #expect(
                await eventually { sockets(on: port) == idle }, "\(sockets(on: port)) sockets, \(idle) before"
            )
        }

        @Test(arguments: Exit.allCases)
        func aWaitingHandlerIsCancelledWhenItsCallerLeaves(_ exit: Exit) async throws {
            let started = Tally()
            let cancelled = Tally()
            try await withServer { exchange in
                started.add()
                await Gate().pass()
                if Task.isCancelled { cancelled.add() }
                ok(exchange)
            } test: { server in
                let port = server.port
                let idle = sockets(on: port)
                let client = try await blocking {
                    let client = try RawClient(port)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return client
                }
                #expect(await started.reaches(1))
                // Nothing else would ever cancel it.
                exit.take(client)
                #expect(await cancelled.reaches(1))
                await Self.expectNoConnections(server, idle)
            }
        }

        @Test func twoThousandCallersThatLeaveLeaveNothingBehind() async throws {
            let running = Tally()
            let started = Tally()
            try await withServer { exchange in
                running.add()
                started.add()
                await Gate().pass()
                running.add(-1)
            } test: { server in
                let port = server.port
                let idle = sockets(on: port)
                for round in 0..<4 {
                    let clients = try await blocking {
                        try (0..<500).map { _ in
                            let client = try RawClient(port)
                            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                            return client
                        }
                    }
                    #expect(await started.reaches(500 * (round + 1)))
                    for (index, client) in clients.enumerated() { Exit.allCases[index % 2].take(client) }
                    #expect(await running.reaches(0))
                    await Self.expectNoConnections(server, idle)
                }
            }
        }

        /// With others that wait, a request is not suspended at once, but asked for again in the loop's next round.
        @Test(arguments: [0, 20])
        func callersThatLeaveBeforeTheReplyLeaveNothingBehind(_ others: Int) async throws {
            let running = Tally()
            let (waiting, gate) = (Tally(), Gate())
            try await withServer { exchange in
                running.add()
                if exchange.request.path == "/wait" {
                    waiting.add()
                    await gate.pass()
                }
                if exchange.request.path == "/suspend" { await Task.yield() }
                if exchange.request.path == "/sleep" { try? await Task.sleep(for: .milliseconds(1)) }
                ok(exchange)
                running.add(-1)
            } test: { server in
                let port = server.port
                let idle = sockets(on: port)
                let waiters = try await blocking {
                    try (0..<others).map { _ in
                        let client = try RawClient(port)
                        try client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
                        return client
                    }
                }
                #expect(await waiting.reaches(others))
                try await blocking {
                    for index in 0..<1500 {
                        let client = try RawClient(port)
                        try client.send(
                            "GET \(["/", "/suspend", "/sleep"][index % 3]) HTTP/1.1\r\nHost: a\r\n\r\n")
                        Exit.allCases[index % 2].take(client)
                    }
                }
                #expect(await running.reaches(others))
                gate.open()
                let replies = try await blocking { try waiters.map { try $0.reply().status } }
                #expect(replies.allSatisfy { $0 == 200 })
                #expect(await running.reaches(0))
                for waiter in waiters { waiter.close() }
                await Self.expectNoConnections(server, idle)
            }
        }

        @Test(arguments: Exit.allCases)
        func anExchangeIsReleasedWhenItsCallerHasLeft(_ exit: Exit) async throws {
            final class Witness: Sendable {
                let gone: Tally
                init(_ gone: Tally) { self.gone = gone }
                deinit { gone.add() }
            }
            let gone = Tally()
            let started = Tally()
            try await withServer(chooseBody: { _, _, _ in .streamed }) { exchange in
                let witness = Witness(gone)
                exchange.begin(HTTPResponse(status: .ok, headerFields: [.eTag: "a"]), length: nil)
                started.add()
                while (try? await exchange.write([1])) != nil { try? await Task.sleep(for: .milliseconds(5)) }
                withExtendedLifetime(witness) {}
            } test: { server in
                let port = server.port
                let clients = try await blocking {
                    try (0..<50).map { _ in
                        let client = try RawClient(port)
                        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        return client
                    }
                }
                #expect(await started.reaches(50))
                for client in clients { exit.take(client) }
                #expect(await gone.reaches(50))
            }
        }

        @Test(arguments: Exit.allCases, [false, true])
        func readingABodyEndsWhenItsCallerLeaves(_ exit: Exit, _ isSlow: Bool) async throws {
            let started = Tally()
            let failed = Tally()
            try await withServer(chooseBody: { _, _, _ in .streamed }) { exchange in
                started.add()
                // With a slow reader the connection is suspended when its caller leaves.
                if isSlow { await Gate().pass() }
                do { while try await exchange.nextChunk() != nil {} } catch { failed.add() }
            } test: { server in
                let port = server.port
                let idle = sockets(on: port)
                let client = try await blocking {
                    let client = try RawClient(port)
                    try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n")
                    try client.send([UInt8](repeating: 1, count: 100_000))
                    return client
                }
                #expect(await started.reaches(1))
                exit.take(client)
                #expect(await failed.reaches(1))
                await Self.expectNoConnections(server, idle)
            }
        }

        @Test(arguments: Exit.allCases)
        func aCallerThatLeavesWhileItsBodyIsCollectedReachesNoHandler(_ exit: Exit) async throws {
            let reached = Tally()
            try await withServer { exchange in
                reached.add()
                ok(exchange)
            } test: { server in
                let port = server.port
                let idle = sockets(on: port)
                try await blocking {
                    for size in 0..<100 {
                        let client = try RawClient(port)
                        try client.send(
                            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"
                                + String(repeating: "b", count: size * 9))
                        exit.take(client)
                    }
                }
                await Self.expectNoConnections(server, idle)
                #expect(reached.count == 0)
            }
        }

        @Test(arguments: Exit.allCases, [false, true])
        func writingAStreamEndsWhenItsCallerLeaves(_ exit: Exit, _ isSlowProducer: Bool) async throws {
            let ended = Tally()
            try await withServer { exchange in
                exchange.begin(HTTPResponse(status: .ok), length: nil)
                do {
                    while true {
                        try await exchange.write([UInt8](repeating: 1, count: isSlowProducer ? 10 : 100_000))
                        if isSlowProducer { await Gate().pass() }
                    }
                } catch { ended.add() }
            } test: { server in
                let port = server.port
                let idle = sockets(on: port)
                let client = try await blocking {
                    let client = try RawClient(port)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try client.head()
                    _ = try client.chunk()
                    return client
                }
                exit.take(client)
                #expect(await ended.reaches(1))
                await Self.expectNoConnections(server, idle)
            }
        }

        /// The library puts off the end of a connection that breaks while an older one is idle.
        @Test(arguments: Exit.allCases, [false, true])
        func aStreamThatItsReaderLeavesIsClosedAtOnce(_ exit: Exit, _ isSecure: Bool) async throws {
            // No deadline closes it, all of them are hours away.
            var limits = Limits()
            limits.headTime = .seconds(3600)
            limits.graceTime = .seconds(3600)
            limits.idleTime = .seconds(3600)
            let certificates = try Certificates()
            let (certificate, key) = try await certificates.make()
            let identity = try isSecure ? TLSIdentity(certificateFile: certificate, keyFile: key) : nil
            try await withServer(tls: identity, limits: limits, loops: 1) { exchange in
                if exchange.request.path == "/idle" { return ok(exchange) }
                exchange.begin(HTTPResponse(status: .ok), length: nil)
                while (try? await exchange.write(Array("tick".utf8))) != nil {
                    try? await Task.sleep(for: .milliseconds(2))
                }
            } test: { server in
                let port = server.port
                let older = try await blocking {
                    let client = try RawClient(port)
                    if isSecure { try client.secure() }
                    try client.send("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try client.reply()
                    return client
                }
                defer { older.close() }
                let idle = sockets(on: port)
                try await blocking {
                    for count in 0..<200 {
                        let client = try RawClient(port)
                        if isSecure { try client.secure() }
                        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        _ = try client.head()
                        for _ in 0...count % 3 { _ = try client.chunk() }
                        exit.take(client)
                    }
                }
                await Self.expectNoConnections(server, idle)
            }
        }

        @Test(arguments: Exit.allCases)
        func aCallerThatLeavesWhileItReadsALargeBodyIsForgotten(_ exit: Exit) async throws {
            let body = [UInt8](repeating: 1, count: 20 << 20)
            try await withServer {
                $0.send(HTTPResponse(status: .ok), body)
            } test: { server in
                let port = server.port
                let idle = sockets(on: port)
                try await blocking {
                    for _ in 0..<10 {
                        let client = try RawClient(port)
                        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        _ = try client.head()
                        exit.take(client)
                    }
                }
                await Self.expectNoConnections(server, idle)
            }
        }

        @Test(arguments: Exit.allCases)
        func abandonedIncompleteRequestsAreReleased(_ exit: Exit) async throws {
            let head = Array("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel".utf8)
            try await withServer(handle: { ok($0) }) { server in
                let port = server.port
                let idle = sockets(on: port)
                try await blocking {
                    for count in 0...head.count {
                        let client = try RawClient(port)
                        try client.send(Array(head.prefix(count)))
                        exit.take(client)
                    }
                }
                await Self.expectNoConnections(server, idle)
            }
        }

        @Test func answersAfterTheCallerLeftAreDropped() async throws {
            let started = Tally()
            let done = Tally()
            try await withServer { exchange in
                started.add()
                await Gate().pass()
                ok(exchange)
                exchange.begin(HTTPResponse(status: .ok), length: nil)
                await #expect(throws: CancellationError.self) { try await exchange.write([1]) }
                await #expect(throws: CancellationError.self) { _ = try await exchange.nextChunk() }
                exchange.fail()
                done.add()
            } test: { server in
                let port = server.port
                let client = try await blocking {
                    let client = try RawClient(port)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return client
                }
                #expect(await started.reaches(1))
                client.close()
                #expect(await done.reaches(1))
            }
        }

        /// The sizes are such that other tests' memory does not matter.
        @Test(arguments: [false, true])
        func aRefusedUploadTakesNoMemory(_ isChunked: Bool) async throws {
            var limits = Limits()
            limits.discarded = 1 << 30
            try await withServer(
                limits: limits, chooseBody: { _, _, _ in .collected(upTo: 1 << 20) }, handle: { ok($0) }
            ) { server in
                let port = server.port
                let before = residentBytes()
                let (reply, after) = try await blocking {
                    let client = try RawClient(port)
                    try client.upload(megabytes: 256, isChunked: isChunked)
                    let after = residentBytes()
                    return (try client.reply(), after)
                }
                #expect(reply.status == 413)
                if isAlone { #expect(after - before < 128 << 20) }
            }
        }

        /// The library spins on an extension that does not fit its buffer, until the connection is cut off.
        @Test func anEndlessChunkExtensionTakesNoMemoryAndIsCutOff() async throws {
            // No deadline cuts it off, all of them are hours away.
            var limits = Limits()
            limits.headTime = .seconds(3600)
            limits.graceTime = .seconds(3600)
            limits.idleTime = .seconds(3600)
            try await withServer(limits: limits, handle: { ok($0) }) { server in
                let port = server.port
                let before = residentBytes()
                let status = try await blocking {
                    let client = try RawClient(port)
                    try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;")
                    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
                    do { for _ in 0..<4000 { try client.send(piece) } } catch RawClient.Failure.system {}
                    return (try? client.head())?.status
                }
                #expect([400, 413, nil].contains(status))
                if isAlone { #expect(residentBytes() - before < 128 << 20) }
            }
        }
    }
}
