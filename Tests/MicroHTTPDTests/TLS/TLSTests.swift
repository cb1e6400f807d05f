import EngineSupport
import Glibc
import HTTPTypes
import Logging
import MicroHTTPD
import TestSupport
import Testing

extension Deadlines {
    /// What is different over TLS: who is let in, how long the handshake may take, and that all else is as without.
    @Suite(.timeLimit(.minutes(5))) struct TLSTests {
        /// Starts a server for https, runs the test, and stops it.
        @discardableResult private static func serving<Value>(
            limits: Limits = Limits(),
            chooseBody: @escaping ChooseBody = { _, _, _ in .collected(upTo: 8 << 20) },
            handle: @escaping Handle = { ok($0) }, test: (Int) async throws -> Value
        ) async throws -> Value {
            let certificates = try Certificates()
            let (certificate, key) = try await certificates.make()
            let identity = try TLSIdentity(certificateFile: certificate, keyFile: key)
            return try await withServer(
                tls: identity, limits: limits, loops: 1, chooseBody: chooseBody, handle: handle
            ) {
                try await test($0.port)
            }
        }

        private static func client(_ port: Int, _ priorities: String = "NORMAL") throws -> RawClient {
            let client = try RawClient(port)
            try client.secure(priorities)
            return client
        }

        private static func get(_ path: String = "/") -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

        // MARK: Who is let in

        @Test(arguments: ["1.2", "1.3"]) func aCurrentTLSVersionIsAccepted(_ version: String) async throws {
            try await Self.serving(handle: { ok($0, $0.request.scheme ?? "none") }) { port in
                let (agreed, reply) = try await blocking {
                    let client = try Self.client(port, "NORMAL:-VERS-ALL:+VERS-TLS\(version)")
                    try client.send(Self.get())
                    return (client.tlsVersion, try client.reply())
                }
                #expect(agreed == "TLS\(version)")
                #expect(reply.text == "https")
            }
        }

        @Test(arguments: ["-tls1", "-tls1_1"]) func anOldTLSVersionIsRefused(_ flag: String) async throws {
            try await Self.serving { port in
                let certificates = try Certificates()
                await #expect(throws: Certificates.Failure.self) {
                    try await certificates.openssl([
                        "s_client", "-connect", "127.0.0.1:\(port)", flag, "-cipher", "ALL:@SECLEVEL=0",
                    ])
                }
                // The same call with a version that is taken.
                let output = try await certificates.openssl([
                    "s_client", "-connect", "127.0.0.1:\(port)", "-tls1_2",
                ])
                #expect(output.contains("Cipher is ECDHE-"))
            }
        }

        @Test func anOldKindOfKeyExchangeIsRefused() async throws {
            try await Self.serving { port in
                await #expect(throws: RawClient.Failure.self) {
                    try await blocking {
                        _ = try Self.client(port, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+AES-128-CBC")
                    }
                }
            }
        }

        @Test(arguments: ["a request", "noise", "zeros"])
        func aConnectionThatIsNotTLSIsClosed(_ name: String) async throws {
            let bytes: [UInt8] =
                switch name {
                case "a request": Array(Self.get().utf8)
                case "noise": [UInt8](repeating: 0xA5, count: 1024)
                default: [UInt8](repeating: 0, count: 1024)
                }
            let reached = Tally()
            var limits = Limits()
            // Some noise looks like the beginning of a message that never ends.
            limits.headTime = .seconds(1)
            try await Self.serving(
                limits: limits,
                handle: { exchange in
                    reached.add()
                    ok(exchange)
                }
            ) { port in
                let got = try await blocking {
                    let client = try RawClient(port)
                    try client.send(bytes)
                    return try client.readToEnd()
                }
                #expect(!got.starts(with: "HTTP".utf8))
                #expect(reached.count == 0)
                #expect(try await blocking { try Self.ask(port) } == "ok")
            }
        }

        private static func ask(_ port: Int) throws -> String {
            let client = try client(port)
            try client.send(get())
            return try client.reply().text
        }

        // MARK: Handshakes

        /// Of the first message nothing, a part, or all: then the caller would have to go on.
        private static let standing: [Int] = [0, 20, .max]

        private static func stand(_ count: Int, _ version: String, _ port: Int) async throws -> [RawClient] {
            let bytes = try Array(RawClient.hello("NORMAL:-VERS-ALL:+VERS-TLS\(version)").prefix(count))
            #expect(count == 0 || bytes.count >= 20)
            return try await blocking {
                try (0..<20).map { _ in
                    let client = try RawClient(port)
                    try client.send(bytes)
                    return client
                }
            }
        }

        @Test(arguments: standing, ["1.2", "1.3"])
        func aStalledHandshakeUsesNoProcessor(_ count: Int, _ version: String) async throws {
            var limits = Limits()
            limits.headTime = .seconds(3600)
            limits.idleTime = .seconds(3600)
            try await Self.serving(limits: limits, handle: { ok($0, ownThread()) }) { port in
                // It stays, and so do its sockets, which are counted.
                let asking = try await blocking { try Self.client(port) }
                let thread = try await blocking {
                    try asking.send(Self.get())
                    return try asking.reply().text
                }
                let idle = sockets(on: port)
                let clients = try await Self.stand(count, version, port)
                #expect(await eventually { sockets(on: port) == idle + 20 })
                #expect(try await comesToRest(thread: thread))
                withExtendedLifetime((asking, clients)) {}
            }
        }

        @Test(arguments: standing, ["1.2", "1.3"])
        func aStalledHandshakeIsCutOff(_ count: Int, _ version: String) async throws {
            var limits = Limits()
            limits.headTime = .seconds(1)
            try await Self.serving(limits: limits) { port in
                for client in try await Self.stand(count, version, port) {
                    // What it says to a whole message is read before.
                    _ = try await blocking { try? client.drainToEnd() }
                }
            }
        }

        @Test func aHandshakeInSmallPiecesIsTaken() async throws {
            try await Self.serving { port in
                let text = try await blocking {
                    let client = try RawClient(port)
                    try client.secure(inPieces: true)
                    try client.send(Self.get())
                    return try client.reply().text
                }
                #expect(text == "ok")
            }
        }

        @Test func aTLSConnectionMayBeIdleBeforeItsFirstRequest() async throws {
            var limits = Limits()
            limits.headTime = .seconds(2)
            try await Self.serving(limits: limits) { port in
                let client = try await blocking { try Self.client(port) }
                try await Task.sleep(for: .seconds(5))
                let text = try await blocking {
                    try client.send(Self.get())
                    return try client.reply().text
                }
                #expect(text == "ok")
            }
        }

        @Test(arguments: ["1.2", "1.3"]) func aStalledHeadIsCutOff(_ version: String) async throws {
            var limits = Limits()
            limits.headTime = .seconds(1)
            limits.idleTime = .seconds(3600)
            try await Self.serving(limits: limits) { port in
                let isClosed = try await blocking {
                    let client = try Self.client(port, "NORMAL:-VERS-ALL:+VERS-TLS\(version)")
                    try client.send("GET / HT")
                    return try client.isClosedByPeer()
                }
                #expect(isClosed)
            }
        }

        @Test func pendingHandshakesDoNotDelayTheStop() async throws {
            let clients = try await Self.serving { port in
                try await blocking {
                    _ = try Self.ask(port)
                    return try (0..<50).map { index in
                        let client = try RawClient(port)
                        if index % 2 == 0 { try client.send([0x16, 3, 1]) }
                        return client
                    }
                }
            }
            for client in clients { #expect(try await blocking { try client.isClosedByPeer() }) }
        }

        @Test func callersThatLeaveInTheirHandshakeLeaveNothingBehind() async throws {
            try await Self.serving { port in
                let idle = sockets(on: port)
                try await blocking {
                    for index in 0..<300 {
                        let client = try RawClient(port)
                        if index % 3 > 0 { try client.send([0x16, 3, 1]) }
                        if index % 3 == 2 { usleep(500) }
                        if index % 2 == 0 { client.reset() } else { client.close() }
                    }
                }
                #expect(await eventually { sockets(on: port) == idle })
            }
        }

        // MARK: All else is as without

        @Test func pipelinedRequestsOnOneConnectionAreAnsweredInOrder() async throws {
            try await Self.serving(handle: { ok($0, $0.request.path ?? "") }) { port in
                let texts = try await blocking {
                    let client = try Self.client(port)
                    try client.send((0..<50).map { Self.get("/\($0)") }.joined())
                    return try (0..<50).map { _ in try client.reply().text }
                }
                #expect(texts == (0..<50).map { "/\($0)" })
            }
        }

        @Test func aHundredConnectionsAtOnceAreServed() async throws {
            try await Self.serving(handle: { exchange in
                try? await Task.sleep(for: .milliseconds(3))
                ok(exchange, exchange.request.path ?? "")
            }) { port in
                let wrong = try await blocking {
                    let clients = try (0..<100).map { _ in try Self.client(port) }
                    var wrong = 0
                    for round in 0..<3 {
                        for (index, client) in clients.enumerated() {
                            try client.send(Self.get("/\(round)/\(index)"))
                        }
                        for (index, client) in clients.enumerated()
                        where try client.reply().text != "/\(round)/\(index)" { wrong += 1 }
                    }
                    return wrong
                }
                #expect(wrong == 0)
            }
        }

        @Test(arguments: ["/collect", "/stream"]) func aBodyGoesThroughWhole(_ path: String) async throws {
            let body = pattern(5 << 20)
            try await Self.serving(
                chooseBody: { head, _, _ in head.path == "/stream" ? .streamed : .collected(upTo: 8 << 20) },
                handle: { exchange in
                    var body = exchange.body
                    // Slower than the caller: no byte is lost while the library waits.
                    while exchange.isStreamed, let chunk = try? await exchange.nextChunk() {
                        try? await Task.sleep(for: .milliseconds(1))
                        body += chunk
                    }
                    exchange.begin(HTTPResponse(status: .ok), length: nil)
                    for start in stride(from: 0, to: body.count, by: 100_000) {
                        try? await exchange.write(Array(body[start..<min(body.count, start + 100_000)]))
                    }
                }
            ) { port in
                let reply = try await blocking {
                    let client = try Self.client(port)
                    try client.send(
                        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n")
                    try client.send(body)
                    return try client.reply()
                }
                #expect(reply.body == body)
            }
        }

        @Test func aSlowReaderPausesTheWriterAndGetsTheWholeStream() async throws {
            let written = Tally()
            let total = 32 << 20
            try await Self.serving(handle: { exchange in
                exchange.begin(HTTPResponse(status: .ok), length: total)
                for part in 0..<total >> 16 {
                    try? await exchange.write(pattern(1 << 16, from: part << 16))
                    written.add(1 << 16)
                }
            }) { port in
                let client = try await blocking {
                    let client = try Self.client(port)
                    try client.send(Self.get())
                    _ = try client.head()
                    return client
                }
                try await Task.sleep(for: .milliseconds(500))
                #expect(written.count < total)
                let body = try await blocking { try client.bytes(total) }
                #expect(body == pattern(total))
            }
        }

        @Test func aFileIsSentWhole() async throws {
            let certificates = try Certificates()
            let text = String(repeating: "0123456789", count: 300_000)
            let path = try certificates.write(text, to: "file")
            try await Self.serving(handle: { exchange in
                let file = OpenedFile(path)
                exchange.send(
                    HTTPResponse(status: .ok), file: file.descriptor, owner: file, offset: 5,
                    length: 2_000_000)
            }) { port in
                let reply = try await blocking {
                    let client = try Self.client(port)
                    try client.send(Self.get())
                    return try client.reply()
                }
                #expect(reply.body.elementsEqual(text.utf8.dropFirst(5).prefix(2_000_000)))
            }
        }

        @Test(arguments: [false, true]) func aHandlerLearnsThatItsCallerLeft(_ isReset: Bool) async throws {
            let started = Tally()
            let cancelled = Tally()
            try await Self.serving(handle: { _ in
                started.add()
                await Gate().pass()
                if Task.isCancelled { cancelled.add() }
            }) { port in
                let client = try await blocking {
                    let client = try Self.client(port)
                    try client.send(Self.get())
                    return client
                }
                #expect(await started.reaches(1))
                if isReset { client.reset() } else { client.close() }
                #expect(await cancelled.reaches(1))
            }
        }

        /// The library spins on an extension that does not fit its buffer; what GnuTLS has decrypted is included.
        @Test(arguments: [40_000, 64 << 20])
        func aTooLongChunkExtensionClosesTheConnection(_ count: Int) async throws {
            // No deadline cuts it off, all of them are hours away.
            var limits = Limits()
            limits.headTime = .seconds(3600)
            limits.graceTime = .seconds(3600)
            limits.idleTime = .seconds(3600)
            try await Self.serving(limits: limits) { port in
                let idle = sockets(on: port)
                let (client, isClosed) = try await blocking {
                    let client = try Self.client(port)
                    try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;")
                    try? client.send([UInt8](repeating: UInt8(ascii: "x"), count: count))
                    return (client, try client.isClosedByPeer())
                }
                #expect(isClosed)
                // Not only half: the library lets go of it, too.
                #expect(await eventually { sockets(on: port) == idle })
                withExtendedLifetime(client) {}
            }
        }
    }
}

private final class OpenedFile: Sendable {
    let descriptor: Int32

    init(_ path: String) { descriptor = open(path, O_RDONLY | O_CLOEXEC) }

    deinit { close(descriptor) }
}
