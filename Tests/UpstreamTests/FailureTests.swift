import Drawbridge
import DrawbridgeServer
import HTTPTypes
import Logging
import Synchronization
import TestSupport
import Testing

/// What is said where an upstream has no answer: to the caller, to a person, and to the log.
@Suite("Upstreams that fail", .timeLimit(.minutes(5)))
struct FailureTests {
    @Test func theWaitingPageAsksAgainAndIsReplacedByThePage() async throws {
        let upstreamPort = try freePort()
        try await serving(.quiet([.upstream("http://127.0.0.1:\(upstreamPort)")])) { port in
            let navigation = get("/", "Sec-Fetch-Dest: document", "Accept: text/html")
            let waiting = try await reply(port, navigation)
            #expect(waiting.status == 502)
            #expect(waiting["Content-Type"] == "text/html; charset=utf-8")
            #expect(waiting["Cache-Control"] == "no-store")
            #expect(waiting.text.contains(#"<meta http-equiv="refresh" content="2">"#))
            #expect(waiting.text.contains("cannot connect to 127.0.0.1:\(upstreamPort)"))
            // Scripts and forms get a sentence that they can show.
            let asked = try await [
                reply(port, get("/", "Sec-Fetch-Dest: empty")),
                reply(port, request("POST", "/", "Sec-Fetch-Dest: document", body: "a=b")),
            ]
            for reply in asked {
                #expect(reply.status == 502)
                #expect(reply["Content-Type"] == "application/json")
                #expect(reply.text.contains("cannot connect to"))
            }
            let upstream = try RawUpstream(port: upstreamPort) { connection, _ in
                try connection.send(ok("<title>the page</title>", "Content-Type: text/html"))
            }
            defer { upstream.stop() }
            let page = try await reply(port, navigation)
            #expect(page.status == 200)
            #expect(page.text == "<title>the page</title>")
        }
    }

    @Test func theLogReportsAFailureOnceAndCounts() async throws {
        let log = Observed<[String]>([])
        let upstreamPort = try freePort()
        let url = "http://127.0.0.1:\(upstreamPort)"
        let logger = Logger(label: "test") { _ in Log(lines: log) }
        try await serving(.quiet([.upstream(url)], logger: logger)) { port in
            for _ in 0..<5 { _ = try await reply(port, get("/")) }
            let lines = log.value.filter { $0.contains("upstream") }
            #expect(lines.count == 1, "\(log.value)")
            #expect(
                lines.first
                    == "warning: upstream \(url): cannot connect to 127.0.0.1:\(upstreamPort): "
                    + "Connection refused; start it, or correct its URL in --upstream")
            let upstream = try RawUpstream(port: upstreamPort) { connection, _ in
                try connection.send(ok("ok"))
            }
            defer { upstream.stop() }
            for _ in 0..<3 { _ = try await reply(port, get("/")) }
            #expect(
                log.value.filter { $0.contains("upstream") }.dropFirst()
                    == ["notice: upstream \(url) answers again, after 5 requests that failed"])
        }
    }

    @Test func anInvalidUpstreamURLIsNamedInTheAnswer() async throws {
        #expect(throws: (any Error).self) { try Upstream("ftp://host") }
        try await serving(.quiet([.upstream("ftp://host")])) { port in
            let reply = try await reply(port, get("/"))
            #expect(reply.status == 502)
            #expect(reply.text.contains("ftp://host"))
        }
    }

    // MARK: Round and round

    @Test func aLoopToTheGatewayIsNoticed() async throws {
        let itself = Later()
        try await serving(.quiet([itself])) { port in
            itself.become(.upstream("http://127.0.0.1:\(port)"))
            let reply = try await reply(port, get("/x"))
            #expect(reply.status == 508)
            #expect(reply.text.contains("/x is a loop"), "\(reply.text)")
        }
    }

    @Test func askingTheGatewayForItsOwnFilesIsNotALoop() async throws {
        let folder = try Folder()
        try folder.write("own.txt", "own")
        let itself = Later()
        let gateway = Gateway.quiet([.staticFiles(folder.path), itself])
        try gateway.register(at: "/asks") { _ in Asks() }
        try await serving(gateway) { port in
            itself.become(.upstream("/round=http://127.0.0.1:\(port)/"))
            let own = try await reply(port, get("/round/own.txt"))
            #expect(own.text == "own")
            // Flagged, it comes back here, and is not taken a second time.
            let again = try await reply(port, get("/asks?_mobile_bridge=1"))
            #expect(again.text == "own")
        }
    }

    /// Asks the gateway itself, by way of its upstream, for a path whose flag would lead here again.
    private struct Asks: Handler {
        func handle(_ request: Request) async throws -> Response {
            var request = request
            request.path = "/round/own.txt"
            request.query["_mobile_bridge"] = "1"
            return try await request.passThrough()
        }
    }
}

/// A responder that is known when the test has begun.
final class Later: Responder {
    private let responder = Mutex<(any Responder)?>(nil)

    func become(_ responder: some Responder) { self.responder.withLock { $0 = responder } }

    func respond(to request: Request) async throws -> Response? {
        try await responder.withLock { $0 }?.respond(to: request)
    }
}

/// Keeps what is logged.
private struct Log: LogHandler {
    let lines: Observed<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let line = "\(event.level): \(event.message)"
        lines.change { $0.append(line) }
    }
}
