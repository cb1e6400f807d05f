import EngineSupport
import Glibc
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// What goes through the engine arrives as it was sent, in both directions.
struct FramingTests {
    private static let okHead = HTTPResponse(status: .ok)

    // MARK: Requests in general

    @Test func aHeadRequestGetsTheSameHeadersAndNoBody() async throws {
        try await withServer { exchange in
            exchange.send(HTTPResponse(status: .ok, headerFields: [.eTag: "\"a\""]), Array("12345".utf8))
        } test: { server in
            let port = server.port
            let (get, head, next) = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "GET / HTTP/1.1\r\nHost: a\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
                )
                return (try client.reply(), try client.reply(toHead: true), try client.reply())
            }
            #expect(get.text == "12345")
            #expect(head.status == 200)
            #expect(head["Content-Length"] == "5")
            #expect(head["ETag"] == get["ETag"])
            #expect(next.text == "12345")
        }
    }

    @Test func aHeadRequestToAStreamEndsTheHandlersWriting() async throws {
        let ended = Tally()
        try await withServer { exchange in
            exchange.begin(Self.okHead, length: nil)
            do { while true { try await exchange.write(pattern(10_000)) } } catch { ended.add() }
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.reply(toHead: true)
            }
            #expect(reply.status == 200)
            #expect(await ended.reaches(1))
        }
    }

    @Test(arguments: [false, true])
    func fiftyPipelinedRequestsAreAnsweredInOrder(_ suspends: Bool) async throws {
        try await withServer { exchange in
            if suspends { try? await Task.sleep(for: .milliseconds(1)) }
            ok(exchange, exchange.request.path ?? "")
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send((0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
                return try (0..<50).map { _ in try client.reply() }
            }
            #expect(replies.map(\.text) == (0..<50).map { "/\($0)" })
        }
    }

    @Test func aRequestThatComesOneByteAtATimeIsServed() async throws {
        try await withServer { exchange in
            ok(exchange, "\(exchange.request.path ?? "") \(String(decoding: exchange.body, as: UTF8.self))")
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                for byte
                    in "POST /a?b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n"
                    .utf8
                {
                    try client.send([byte])
                }
                return try client.reply()
            }
            #expect(reply.text == "/a?b abcde")
        }
    }

    @Test func aConnectionIsKeptForManyRequestsAndClosedWhenAsked() async throws {
        try await withServer(handle: { ok($0) }) { server in
            let port = server.port
            let isClosed = try await blocking {
                let client = try RawClient(port)
                for _ in 0..<100 {
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    guard try client.reply().status == 200 else { return false }
                }
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                let last = try client.reply()
                let isClosed = try client.isClosedByPeer()
                return last["Connection"] == "close" && isClosed
            }
            #expect(isClosed)
        }
    }

    @Test func anHTTP10RequestIsAnsweredAndClosed() async throws {
        try await withServer { exchange in
            if exchange.request.path == "/stream" {
                exchange.begin(Self.okHead, length: nil)
                try? await exchange.write(pattern(100_000))
            } else {
                ok(exchange)
            }
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                try ["/", "/stream"].map { path in
                    let client = try RawClient(port)
                    try client.send("GET \(path) HTTP/1.0\r\n\r\n")
                    let replies = try client.repliesToEnd()
                    return (replies.count, replies[0])
                }
            }
            #expect(replies.map(\.0) == [1, 1])
            #expect(replies[0].1.text == "ok")
            #expect(replies[1].1.body == pattern(100_000))
            #expect(replies[1].1["Transfer-Encoding"] == nil)
        }
    }

    @Test(arguments: [
        "/a%2Fb%00c%zz?x=%20&&y", "/?" + (0..<1900).map { "a\($0 % 7)=" }.joined(separator: "&").prefix(7000),
        "/?", "/??a=?b",
        "//a//../%2e%2e/./b", "/a;b=c/d,e", "/a+b%2B?c+d", "/%F0%9F%98%80", "/a?%00", "/?%", "/a?b?c&?=",
    ])
    func theTargetIsKeptAsItWasSent(_ target: String) async throws {
        try await withServer {
            ok($0, $0.request.path ?? "-")
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.reply()
            }
            #expect(reply.text == target)
        }
    }

    @Test func repeatedHeadersAndTheirOrderAreKept() async throws {
        let names = ["X-B", "X-A", "x-b", "Accept", "X-B", "Cookie", "X-C", "Cookie"]
        try await withServer { exchange in
            var head = HTTPResponse(status: .ok)
            for field in exchange.request.headerFields { head.headerFields.append(field) }
            exchange.send(
                head,
                Array(
                    exchange.request.headerFields.map { "\($0.name.rawName)=\($0.value)" }.joined(
                        separator: "\n"
                    ).utf8))
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                let lines = names.enumerated().map { "\($1): \($0)\r\n" }.joined()
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n")
                return try client.reply()
            }
            let expected = names.enumerated().map { "\($1)=\($0)" }
            #expect(reply.text == expected.joined(separator: "\n"))
            let relayed = reply.headers.filter { names.contains($0.name) }
            #expect(relayed.map { "\($0.name)=\($0.value)" } == expected)
        }
    }

    // MARK: Bodies of requests

    private static let uploads: [(head: String, pieces: [String], body: String)] = [
        ("Content-Length: 5", ["hello"], "hello"),
        ("Content-Length: 5", ["he", "llo"], "hello"),
        ("Content-Length: 0", [], ""),
        ("Transfer-Encoding: chunked", ["5\r\nhello\r\n0\r\n\r\n"], "hello"),
        ("Transfer-Encoding: chunked", ["5\r", "\nhe", "llo\r\n1\r\n!\r", "\n0\r\n", "\r\n"], "hello!"),
        ("Transfer-Encoding: CHUNKED", ["0\r\n\r\n"], ""),
        (
            "Transfer-Encoding: chunked", ["A\r\n0123456789\r\n000a\r\nabcdefghij\r\n0\r\n\r\n"],
            "0123456789abcdefghij"
        ),
    ]

    @Test(arguments: uploads.indices, [false, true])
    func aBodyArrivesWhole(_ index: Int, _ isStreamed: Bool) async throws {
        let upload = Self.uploads[index]
        try await withServer(chooseBody: { _, _, _ in isStreamed ? .streamed : .collected(upTo: 100) }) {
            exchange in
            var body = exchange.body
            if exchange.isStreamed { while let chunk = try? await exchange.nextChunk() { body += chunk } }
            exchange.send(Self.okHead, body)
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\n\(upload.head)\r\n\r\n")
                for piece in upload.pieces { try client.send(piece) }
                return try client.reply()
            }
            #expect(reply.text == upload.body)
        }
    }

    @Test(arguments: [false, true])
    func aSenderThatExpects100ContinueGetsIt(_ isStreamed: Bool) async throws {
        try await withServer(chooseBody: { _, _, _ in isStreamed ? .streamed : .collected(upTo: 100) }) {
            exchange in
            var body = exchange.body
            if exchange.isStreamed { while let chunk = try? await exchange.nextChunk() { body += chunk } }
            exchange.send(Self.okHead, body)
        } test: { server in
            let port = server.port
            let (first, second) = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
                let first = try client.reply()
                try client.send("hello")
                return (first, try client.reply())
            }
            #expect(first.status == 100)
            #expect(second.text == "hello")
        }
    }

    @Test(arguments: [(99, 200), (100, 200), (101, 413), (5000, 413)], [false, true])
    func aCollectedBodyIsTakenUpToItsLimit(_ expected: (count: Int, status: Int), _ isChunked: Bool)
        async throws
    {
        let reached = Tally()
        try await withServer(chooseBody: { _, _, _ in .collected(upTo: 100) }) { exchange in
            reached.add(exchange.body.count)
            ok(exchange)
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                let body = String(repeating: "b", count: expected.count)
                try client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\n"
                        + (isChunked
                            ? "Transfer-Encoding: chunked\r\n\r\n\(String(expected.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
                            : "Content-Length: \(expected.count)\r\n\r\n\(body)"))
                return try client.reply()
            }
            #expect(reply.status == expected.status)
            #expect(reached.count == (expected.status == 200 ? expected.count : 0))
        }
    }

    @Test(arguments: [false, true])
    func theSenderOfATooLargeBodyCanReadTheRefusalAfterwards(_ isChunked: Bool) async throws {
        try await withServer(chooseBody: { _, _, _ in .collected(upTo: 1 << 20) }, handle: { ok($0) }) {
            server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.upload(megabytes: 20, isChunked: isChunked)
                return try client.reply()
            }
            #expect(reply.status == 413)
        }
    }

    @Test func aRefusedBodyThatDoesNotEndIsCutOff() async throws {
        var limits = Limits()
        limits.discarded = 1 << 20
        try await withServer(
            limits: limits, chooseBody: { _, _, _ in .collected(upTo: 10) }, handle: { ok($0) }
        ) {
            server in
            let port = server.port
            let sent = try await blocking {
                let client = try RawClient(port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                let piece = Array("10000\r\n".utf8) + pattern(1 << 16) + Array("\r\n".utf8)
                var sent = 0
                do { while sent < 64 << 20 { try client.send(piece); sent += 1 << 16 } } catch RawClient
                    .Failure.system
                {}
                return sent
            }
            #expect(sent < 64 << 20)
        }
    }

    @Test func aHandlerThatReadsSlowlyMakesTheSenderWait() async throws {
        let gate = Gate()
        let total = 64 << 20
        try await withServer(chooseBody: { _, _, _ in .streamed }) { exchange in
            await gate.pass()
            var count = 0
            while let chunk = try? await exchange.nextChunk() { count += chunk.count }
            ok(exchange, "\(count)")
        } test: { server in
            let port = server.port
            let (blockedAfter, reply) = try await blocking {
                let client = try RawClient(port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(total)\r\n\r\n")
                let piece = [UInt8](repeating: 7, count: 1 << 16)
                let blockedAfter = try client.sendUntilBlocked(piece, atMost: total)
                gate.open()
                var sent = blockedAfter
                while sent < total { sent += try client.sendSome(piece.prefix(total - sent)) }
                return (blockedAfter, try client.reply())
            }
            // The system's own buffers may hold some megabytes.
            #expect(blockedAfter < 32 << 20)
            #expect(reply.text == "\(total)")
        }
    }

    @Test func aStreamedBodyArrivesByteForByteWhateverTheReadersSpeed() async throws {
        let total = 8 << 20
        try await withServer(chooseBody: { _, _, _ in .streamed }) { exchange in
            var count = 0
            var isSame = true
            var pauses = 0
            while let chunk = try? await exchange.nextChunk() {
                isSame = isSame && chunk == pattern(chunk.count, from: count)
                count += chunk.count
                pauses += 1
                if pauses % 16 == 0 { try? await Task.sleep(for: .milliseconds(1)) }
            }
            ok(exchange, "\(count) \(isSame)")
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(total)\r\n\r\n")
                try client.send(pattern(total))
                return try client.reply()
            }
            #expect(reply.text == "\(total) true")
        }
    }

    @Test(arguments: [0, 1])
    func aHandlerMayAnswerBeforeItHasReadItsBody(_ chunksRead: Int) async throws {
        try await withServer(chooseBody: { _, _, _ in .streamed }) { exchange in
            for _ in 0..<chunksRead { _ = try? await exchange.nextChunk() }
            ok(exchange, "early")
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(4 << 20)\r\n\r\n")
                try client.send(pattern(4 << 20))
                let first = try client.reply()
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
                return [first, try client.reply()]
            }
            #expect(replies.map(\.text) == ["early", "early"])
        }
    }

    @Test func aHandlerThatReturnsWithoutAnAnswerGives500() async throws {
        try await withServer(chooseBody: { _, _, _ in .streamed }, handle: { _ in }) { server in
            let port = server.port
            let replies = try await blocking {
                try [
                    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
                ].map {
                    let client = try RawClient(port)
                    try client.send($0)
                    return try client.repliesToEnd().map(\.status)
                }
            }
            #expect(replies == [[500], [500]])
        }
    }

    @Test func onlyTheFirstAnswerIsSent() async throws {
        try await withServer { exchange in
            ok(exchange, "first")
            ok(exchange, "second")
            exchange.begin(Self.okHead, length: 5)
            try? await exchange.write(Array("third".utf8))
            exchange.fail()
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return try client.repliesToEnd().map(\.text)
            }
            #expect(replies == ["first", "first"])
        }
    }

    // MARK: Answers

    @Test(arguments: [
        "a\rb", "a\nb", "a\r\nX-Evil: 1", "a\r\n\r\nevil", "a\0b", "a\u{01}b", "a\u{1B}b", "a\u{7F}b", "\n",
        "a\tb",
    ])
    func aHeaderValueWithControlCharactersNeverReachesTheWire(_ value: String) async throws {
        try await withServer { exchange in
            var head = Self.okHead
            head.headerFields[HTTPField.Name("X-Given")!] = value
            exchange.send(head, Array("ok".utf8))
        } test: { server in
            let port = server.port
            let bytes = try await blocking {
                let client = try RawClient(port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return try client.readToEnd()
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let head = text.replacing("\r\n", with: "|")
            #expect(head.hasPrefix("HTTP/1.1 200 OK|"))
            #expect(!head.contains("|X-Evil") && head.hasSuffix("||ok"))
            #expect(head.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\t" })
        }
    }

    @Test func framingHeadersOfAHandlerAreReplacedByTheEngines() async throws {
        try await withServer { exchange in
            var head = Self.okHead
            head.headerFields[.contentLength] = "77"
            head.headerFields[.transferEncoding] = "chunked"
            head.headerFields[.connection] = "keep-alive, Upgrade"
            head.headerFields[.upgrade] = "h2c"
            exchange.send(head, Array("ok".utf8))
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.reply()
            }
            #expect(reply.text == "ok")
            #expect(reply.all("Content-Length") == ["2"])
            #expect(reply["Upgrade"] == nil)
        }
    }

    @Test(arguments: [204, 304])
    func anAnswerWhoseStatusAllowsNoBodyHasNone(_ status: Int) async throws {
        try await withServer { exchange in
            exchange.send(
                HTTPResponse(status: .init(code: exchange.request.path == "/" ? status : 200)),
                Array("body".utf8))
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                try client.send(
                    "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                )
                return try client.repliesToEnd()
            }
            #expect(replies.map(\.status) == [status, 200])
            #expect(replies.last?.text == "body")
        }
    }

    @Test func aHundredMegabytesArriveWhole() async throws {
        let body = pattern(100 << 20)
        try await withServer {
            $0.send(Self.okHead, body)
        } test: { server in
            let port = server.port
            let isSame = try await blocking {
                let client = try RawClient(port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return try client.reply().body == body
            }
            #expect(isSame)
        }
    }

    private final class TemporaryFile: Sendable {
        let descriptor: Int32

        init(_ bytes: [UInt8]) {
            var name = Array("/tmp/engine-test-XXXXXX".utf8CString)
            descriptor = mkstemp(&name)
            unlink(name)
            var written = 0
            while written < bytes.count {
                written += bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            }
        }

        deinit { close(descriptor) }
    }

    @Test(arguments: [
        (0, 5_000_000), (0, 1), (4_999_999, 1), (1_000, 3_000_000), (0, 0), (5_000_000, 0), (4096, 4096),
    ])
    func anyRangeOfAFileArrives(_ range: (offset: Int, length: Int)) async throws {
        let content = pattern(5_000_000)
        let file = TemporaryFile(content)
        try await withServer { exchange in
            exchange.send(
                Self.okHead, file: file.descriptor, owner: file, offset: range.offset, length: range.length)
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                let request = "GET / HTTP/1.1\r\nHost: a\r\n"
                try client.send(
                    "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n\(request)\r\n\(request)Connection: close\r\n\r\n")
                return [try client.reply(toHead: true), try client.reply(), try client.reply()]
            }
            #expect(replies[0]["Content-Length"] == "\(range.length)")
            #expect(replies[1].body == Array(content[range.offset..<range.offset + range.length]))
            #expect(replies[2].body == replies[1].body)
        }
    }

    @Test func aFileThatIsShorterThanPromisedBreaksTheTransfer() async throws {
        let file = TemporaryFile(pattern(1000))
        var limits = Limits()
        limits.graceTime = .seconds(1)
        try await withServer(limits: limits) { exchange in
            exchange.send(Self.okHead, file: file.descriptor, owner: file, offset: 0, length: 100_000)
        } test: { server in
            let port = server.port
            await #expect(throws: RawClient.Failure.self) {
                try await blocking {
                    let client = try RawClient(port)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try client.reply()
                }
            }
        }
    }

    @Test(arguments: [nil, 1_000_000], [1, 7_001, 1_000_000])
    func aStreamArrivesByteForByte(_ length: Int?, _ piece: Int) async throws {
        let total = piece == 1 ? 2_000 : 1_000_000
        let declared = length.map { _ in total }
        try await withServer { exchange in
            exchange.begin(Self.okHead, length: declared)
            let body = pattern(total)
            for start in stride(from: 0, to: total, by: piece) {
                try? await exchange.write(Array(body[start..<min(total, start + piece)]))
            }
        } test: { server in
            let port = server.port
            let replies = try await blocking {
                let client = try RawClient(port)
                let request = "GET / HTTP/1.1\r\nHost: a\r\n"
                try client.send("\(request)\r\n\(request)Connection: close\r\n\r\n")
                return try client.repliesToEnd()
            }
            #expect(replies.count == 2)
            #expect(replies.allSatisfy { $0.body == pattern(total) })
            #expect(replies.first?["Transfer-Encoding"] == (declared == nil ? "chunked" : nil))
        }
    }

    @Test func aPieceOfAStreamArrivesBeforeTheNextIsWritten() async throws {
        let gate = Gate()
        try await withServer { exchange in
            exchange.begin(Self.okHead, length: nil)
            try? await exchange.write(Array("first".utf8))
            await gate.pass()
            try? await exchange.write([])
            try? await exchange.write(Array("second".utf8))
        } test: { server in
            let port = server.port
            let chunks = try await blocking {
                let client = try RawClient(port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.head()
                let first = try client.chunk()
                gate.open()
                return [first, try client.chunk(), try client.chunk()]
            }
            #expect(chunks == [Array("first".utf8), Array("second".utf8), nil])
        }
    }

    @Test func aPieceOfAHundredMegabytesIsStreamedWhole() async throws {
        try await withServer { exchange in
            exchange.begin(Self.okHead, length: nil)
            try? await exchange.write([UInt8](repeating: 5, count: 100 << 20))
        } test: { server in
            let port = server.port
            let count = try await blocking {
                let client = try RawClient(port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return try client.drainToEnd()
            }
            #expect(count > 100 << 20)
        }
    }

    @Test func aReaderThatIsSlowMakesTheWriterWait() async throws {
        let written = Tally()
        try await withServer { exchange in
            exchange.begin(Self.okHead, length: nil)
            do {
                while written.count < 64 << 20 {
                    try await exchange.write([UInt8](repeating: 1, count: 1 << 16))
                    written.add(1 << 16)
                }
            } catch {}
        } test: { server in
            let port = server.port
            let client = try await blocking {
                let client = try RawClient(port, receiveBuffer: 8 << 10)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.head()
                return client
            }
            var last = -1
            let isBlocked = await eventually {
                defer { last = written.count }
                usleep(50_000)
                return written.count == last && last > 0
            }
            #expect(isBlocked)
            #expect(written.count < 32 << 20)
            client.close()
        }
    }

    /// What a handler may do wrong with a stream: pieces, declared length, and whether it fails at the end.
    private static let broken: [(pieces: [Int], length: Int?, fails: Bool)] = [
        ([99], 100, false), ([], 100, false), ([50, 51], 100, false), ([101], 100, false),
        ([100_000], 50_000, false),
        ([50], 100, true), ([50], nil, true), ([], nil, true), ([100_000, 100_000], nil, true),
        ([200_000], 300_000, true),
    ]

    @Test(arguments: broken.indices)
    func aFailedStreamNeverLooksCompleteToItsReader(_ index: Int) async throws {
        let stream = Self.broken[index]
        try await withServer { exchange in
            exchange.begin(Self.okHead, length: stream.length)
            for count in stream.pieces { try? await exchange.write(pattern(count)) }
            if stream.fails { exchange.fail() }
        } test: { server in
            let port = server.port
            await #expect(throws: RawClient.Failure.self) {
                try await blocking {
                    let client = try RawClient(port)
                    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try client.reply()
                }
            }
        }
    }

    @Test func aBodyThatWasReadIsEchoedAsAStream() async throws {
        try await withServer(chooseBody: { _, _, _ in .streamed }) { exchange in
            var chunks: [[UInt8]] = []
            while let chunk = try? await exchange.nextChunk() { chunks.append(chunk) }
            exchange.begin(Self.okHead, length: nil)
            for chunk in chunks { try? await exchange.write(chunk) }
        } test: { server in
            let port = server.port
            let isSame = try await blocking {
                let client = try RawClient(port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(4 << 20)\r\n\r\n")
                try client.send(pattern(4 << 20))
                return try client.reply().body == pattern(4 << 20)
            }
            #expect(isSame)
        }
    }

    /// The library takes an answer only when the request is complete: what is not read by then is dropped.
    @Test func beginningTheAnswerBeforeTheBodyIsReadDropsTheRestOfTheBody() async throws {
        let hasThrown = Tally()
        try await withServer(chooseBody: { _, _, _ in .streamed }) { exchange in
            let first = (try? await exchange.nextChunk()) ?? []
            exchange.begin(Self.okHead, length: nil)
            try? await exchange.write(first)
            do { while try await exchange.nextChunk() != nil {} } catch { hasThrown.add() }
        } test: { server in
            let port = server.port
            let reply = try await blocking {
                let client = try RawClient(port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(4 << 20)\r\n\r\n")
                try client.send(pattern(4 << 20))
                return try client.reply()
            }
            #expect(!reply.body.isEmpty)
            #expect(reply.body == pattern(reply.body.count))
            #expect(hasThrown.count == 1)
        }
    }
}
