import EngineSupport
import Glibc
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import MicroHTTPD

extension OneAtATime {
    /// Stopping waits for those it can wait for, cancels the others, and always returns.
    struct StoppingTests {
        private static func server(
            _ limits: Limits = Limits(), port: Int = 0,
            chooseBody: @escaping ChooseBody = { _, _, _ in .collected(upTo: 1 << 20) },
            _ handle: @escaping Handle
        ) throws -> HTTPServer {
            let server = HTTPServer(
                port: port, limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
                chooseBody: chooseBody, handle: handle)
            try server.start()
            return server
        }

        /// A client that has sent a request.
        private static func client(_ port: Int, _ path: String = "/") async throws -> RawClient {
            try await blocking {
                let client = try RawClient(port)
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
        }

        @Test func aStopClosesIdleConnectionsAtOnce() async throws {
            let server = try Self.server { ok($0) }
            let port = server.port
            let clients = try await blocking {
                try (0..<50).map { index in
                    let client = try RawClient(port)
                    if index % 2 == 0 {
                        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                        _ = try client.reply()
                    }
                    return client
                }
            }
            // Were one of them waited for, that would be for an hour.
            await server.stop(within: .seconds(3600))
            for client in clients { #expect(try await blocking { try client.isClosedByPeer() }) }
        }

        @Test func afterAStopCallersAreRefusedAndThePortIsFree() async throws {
            let port = try freePort()
            let server = try Self.server(port: port) { ok($0) }
            _ = try await Self.client(port)
            await server.stop()
            #expect(sockets(on: port) == 0)
            #expect(throws: RawClient.Failure.system("connect", ECONNREFUSED)) { try RawClient(port) }

            let next = try Self.server(port: port) { ok($0, "next") }
            let client = try await Self.client(port)
            #expect(try await blocking { try client.reply() }.text == "next")
            await next.stop()
        }

        /// A child that is being started has copies of all descriptors, those too that are closed when it runs.
        @Test func afterAStopThePortIsFreeDespiteCopiesOfTheSocket() async throws {
            let port = try freePort()
            let server = try Self.server(port: port) { ok($0) }
            let copy = dup(try #require(Self.listener(on: port)))
            defer { close(copy) }
            #expect(holders(of: port).contains { $0.hasSuffix("(\(getpid())) listens") })
            await server.stop()
            #expect(throws: RawClient.Failure.system("connect", ECONNREFUSED)) { try RawClient(port) }
            let next = try Self.server(port: port) { ok($0, "next") }
            let client = try await Self.client(port)
            #expect(try await blocking { try client.reply() }.text == "next")
            await next.stop()
        }

        /// A server that stops has closed its socket, whose number is soon another server's.
        @Test func aStoppingServerAcceptsNoConnectionMeantForAnotherServer() async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<150 {
                            let server = try Self.server { ok($0, "served") }
                            let client = try await Self.client(server.port)
                            #expect(try await blocking { try client.reply() }.text == "served")
                            await server.stop()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        /// A descriptor of this process that listens on the port.
        private static func listener(on port: Int) -> Int32? {
            (0..<Int32(4096)).first { descriptor in
                var (listens, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
                let name = try? ListeningSocket.name(descriptor)
                return name?.1 == port
                    && getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0
                    && listens == 1
            }
        }

        @Test func handlersThatFinishInTimeAreWaitedForAndAnswered() async throws {
            for _ in 0..<20 {
                let started = Tally()
                let gate = Gate()
                let server = try Self.server { exchange in
                    started.add()
                    await gate.pass()
                    ok(exchange, "finished")
                }
                var clients: [RawClient] = []
                for _ in 0..<10 { clients.append(try await Self.client(server.port)) }
                #expect(await started.reaches(10))
                // It is right whichever comes first.
                async let stopping: Void = server.stop(within: .seconds(300))
                try await Task.sleep(for: .milliseconds(5))
                gate.open()
                await stopping
                for client in clients {
                    #expect(try await blocking { try client.reply() }.text == "finished")
                }
            }
        }

        @Test(arguments: ["/bytes", "/stream"])
        func aLargeAnswerUnderWayIsSentWhole(_ path: String) async throws {
            let body = [UInt8](repeating: 9, count: 16 << 20)
            let server = try Self.server { exchange in
                if exchange.request.path == "/stream" {
                    exchange.begin(HTTPResponse(status: .ok), length: nil)
                    try? await exchange.write(body)
                } else {
                    exchange.send(HTTPResponse(status: .ok), body)
                }
            }
            let port = server.port
            let client = try await Self.client(port, path)
            // Under way is what has begun, and the stop what lets nobody connect any more.
            let head = try await blocking { try client.head() }
            async let stopping: Void = server.stop(within: .seconds(300))
            #expect(await eventually { (try? RawClient(port)) == nil })
            #expect(try await blocking { try client.wholeBody(of: head) }.count == body.count)
            await stopping
        }

        @Test func aStalledReaderDelaysTheStopNoLongerThanItsGrace() async throws {
            // Nothing else lets it go: the end of the stop is the proof.
            var limits = Limits()
            limits.graceTime = .seconds(3600)
            limits.idleTime = .seconds(3600)
            let server = try Self.server(limits) {
                $0.send(HTTPResponse(status: .ok), [UInt8](repeating: 9, count: 32 << 20))
            }
            let client = try await Self.client(server.port)
            _ = try await blocking { try client.head() }
            await server.stop(within: .milliseconds(500))
        }

        @Test func handlersThatWaitForEverAreCancelled() async throws {
            let started = Tally()
            let cancelled = Tally()
            let server = try Self.server { exchange in
                started.add()
                await Gate().pass()
                if Task.isCancelled { cancelled.add() }
            }
            var clients: [RawClient] = []
            for _ in 0..<20 { clients.append(try await Self.client(server.port)) }
            #expect(await started.reaches(20))
            _ = await server.end(within: .milliseconds(100), patience: .seconds(300))
            #expect(cancelled.count == 20)
            for client in clients { #expect(try await blocking { try client.isClosedByPeer() }) }
        }

        /// Whoever waits and has no head yet is told; a stream that has begun ends without a sign that it is whole.
        @Test func callersWithoutAnAnswerAreToldOfTheStop() async throws {
            let started = Tally()
            let cancelled = Tally()
            let server = try Self.server { exchange in
                if exchange.request.path == "/stream" {
                    exchange.begin(HTTPResponse(status: .ok), length: nil)
                    try? await exchange.write([1])
                }
                started.add()
                await Gate().pass()
                if Task.isCancelled { cancelled.add() }
            }
            var clients: [RawClient] = []
            for _ in 0..<20 { clients.append(try await Self.client(server.port)) }
            let stream = try await Self.client(server.port, "/stream")
            #expect(await started.reaches(21))
            #expect(await server.end(within: .milliseconds(100), patience: .seconds(300)) == 0)
            #expect(cancelled.count == 21)
            for client in clients {
                let replies = try await blocking { try client.repliesToEnd() }
                #expect(replies.map(\.status) == [503])
                #expect(replies.first?.text.contains("the server is stopping") == true)
            }
            await #expect(throws: RawClient.Failure.self) { try await blocking { try stream.reply() } }
        }

        @Test func handlersStillRunningAfterTheStopAreCounted() async throws {
            let started = Tally()
            let gate = Gate()
            let server = try Self.server { exchange in
                started.add()
                await Task { await gate.pass() }.value
            }
            let clients = [try await Self.client(server.port), try await Self.client(server.port)]
            #expect(await started.reaches(2))
            #expect(await server.end(within: .milliseconds(10)) == 2)
            // Their callers are told all the same.
            for client in clients {
                #expect(try await blocking { try client.repliesToEnd() }.map(\.status) == [503])
            }
            gate.open()
        }

        /// What a stubborn handler does.
        enum Stubborn: CaseIterable { case waits, yields, writes, blocksItsLoop }

        @Test(arguments: Stubborn.allCases)
        func theStopAbandonsHandlersThatIgnoreTheirCancellation(_ kind: Stubborn) async throws {
            let started = Tally()
            let ended = Tally()
            let gate = Gate()
            let isFree = Box(false)
            let server = try Self.server { exchange in
                started.add()
                switch kind {
                case .waits: await Task { await gate.pass() }.value
                case .yields:
                    await Task { await gate.pass() }.value
                    // After the loop's end these run on the thread that opens the gate.
                    for _ in 0..<50_000 { await Task.yield() }
                case .writes:
                    exchange.begin(HTTPResponse(status: .ok), length: nil)
                    while !isFree.value {
                        try? await exchange.write(Array("x".utf8))
                        await Task { await withCheckedContinuation { $0.resume() } }.value
                    }
                case .blocksItsLoop: usleep(1_500_000)
                }
                ok(exchange)
                ended.add()
            }
            let client = try await Self.client(server.port)
            #expect(await started.reaches(1))
            await server.stop(within: .milliseconds(100))
            // A loop that is held has to be waited for.
            if kind != .blocksItsLoop { #expect(ended.count == 0) }
            #expect(try await blocking { try client.isClosedByPeer() })
            gate.open()
            isFree.change { $0 = true }
            #expect(await ended.reaches(1))
        }

        @Test func aStopEndsOpenStreams() async throws {
            let started = Tally()
            let ended = Tally()
            let server = try Self.server(chooseBody: { _, _, _ in .streamed }) { exchange in
                started.add()
                if exchange.isStreamed {
                    do { while try await exchange.nextChunk() != nil {} } catch { ended.add() }
                } else {
                    exchange.begin(HTTPResponse(status: .ok), length: nil)
                    do {
                        while true {
                            try await exchange.write([1])
                            if exchange.request.path == "/slow" { await Gate().pass() }
                        }
                    } catch { ended.add() }
                }
            }
            let port = server.port
            let slow = try await Self.client(port, "/slow")
            let fast = try await Self.client(port, "/fast")
            let upload = try await blocking {
                let upload = try RawClient(port)
                try upload.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
                _ = try slow.head()
                _ = try fast.head()
                return upload
            }
            #expect(await started.reaches(3))
            await server.stop(within: .milliseconds(200))
            #expect(ended.count == 3)
            for client in [slow, fast, upload] { #expect(try await blocking { try client.isClosedByPeer() }) }
        }

        @Test func incompleteRequestsDoNotDelayTheStop() async throws {
            let server = try Self.server { ok($0) }
            let port = server.port
            let clients = try await blocking {
                try [
                    "GET", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx",
                ].map { text in
                    let client = try RawClient(port)
                    try client.send(text)
                    return client
                }
            }
            // Were one of them waited for, that would be for an hour.
            await server.stop(within: .seconds(3600))
            for client in clients { #expect(try await blocking { try client.isClosedByPeer() }) }
        }

        @Test func stoppingUnderLoadFiftyTimesNeitherHangsNorAborts() async throws {
            let descriptors = openDescriptors().count
            for round in 0..<50 {
                let server = try Self.server { exchange in
                    switch exchange.request.path {
                    case "/sleep": try? await Task.sleep(for: .milliseconds(2))
                    case "/wait": await Gate().pass()
                    case "/stream":
                        exchange.begin(HTTPResponse(status: .ok), length: nil)
                        while (try? await exchange.write([UInt8](repeating: 1, count: 1000))) != nil {}
                        return
                    default: break
                    }
                    ok(exchange)
                }
                let port = server.port
                async let load: Void = blocking {
                    var clients: [RawClient] = []
                    do {
                        for index in 0..<1000 {
                            let client = try RawClient(port, timeout: 1)
                            try client.send(
                                "GET \(["/", "/sleep", "/wait", "/stream"][index % 4]) HTTP/1.1\r\nHost: a\r\n\r\n"
                            )
                            clients.append(client)
                            if index % 4 == 0 { _ = try client.reply() }
                        }
                    } catch is RawClient.Failure {}
                }
                try await Task.sleep(for: .milliseconds(round))
                await server.stop(within: .milliseconds(round % 3 * 10))
                try await load
                #expect(sockets(on: port) == 0)
            }
            // Each server has an epoll, an event and a few sockets; other tests may hold some.
            if isAlone { #expect(openDescriptors().count < descriptors + 50) }
        }

        @Test func stoppingTwiceOrBeforeTheStartDoesNothing() async throws {
            let server = HTTPServer { ok($0) }
            await server.stop()
            try server.start()
            async let first: Void = server.stop()
            async let second: Void = server.stop()
            _ = await (first, second)
            #expect(server.port == 0)
        }

        @Test func aPortInUseIsReported() async throws {
            try await withServer(handle: { ok($0) }) { server in
                let second = HTTPServer(port: server.port) { ok($0) }
                #expect {
                    try second.start()
                } throws: { error in
                    "\(error)".contains("\(server.port)") && "\(error)".contains("in use")
                }
            }
        }

        @Test func aHandlerMayAskForTheStop() async throws {
            let own = Box<HTTPServer?>(nil)
            let stopped = Tally()
            let server = try Self.server { exchange in
                ok(exchange, "stopping")
                await own.value?.stop(within: .milliseconds(50))
                stopped.add()
            }
            own.change { $0 = server }
            let client = try await Self.client(server.port)
            #expect(try await blocking { try client.reply() }.text == "stopping")
            #expect(await stopped.reaches(1))
            // It would keep the server, and the server's handler would keep it.
            own.change { $0 = nil }
        }

        @Test func aBodyThatEndsDuringTheStopReachesNoHandler() async throws {
            let reached = Tally()
            let gate = Gate()
            let server = try Self.server { exchange in
                if exchange.request.path == "/hold" { await gate.pass() } else { reached.add() }
                ok(exchange)
            }
            let holding = try await Self.client(server.port, "/hold")
            let uploading = try await blocking { [port = server.port] in
                let client = try RawClient(port)
                let head =
                    "POST /upload HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
                try client.send(head)
                // The head has been read when this comes.
                #expect(try client.head().status == 100)
                return client
            }
            // Once this is refused, the stop has begun; the request that holds it keeps it from ending.
            let port = server.port
            async let stopping: Void = server.stop(within: .seconds(5))
            #expect(await eventually { (try? RawClient(port)) == nil })
            let status = try await blocking {
                try uploading.send("xy")
                return try uploading.reply().status
            }
            #expect(status == 503)
            gate.open()
            _ = try await blocking { try holding.reply() }
            await stopping
            #expect(reached.count == 0)
        }
    }
}
