import EngineSupport
import Glibc
import HTTPTypes
import Logging
import MicroHTTPD
import Synchronization
import TestSupport
import Testing

typealias Handle = @Sendable (Exchange) async -> Void

/// Starts a server on a port of its own, runs the test, and stops it within its grace.
func withServer<Value>(
    tls: TLSIdentity? = nil, limits: Limits = Limits(), loops: Int? = nil,
    grace: Duration = .seconds(2),
    chooseBody: @escaping ChooseBody = { _, _, _ in .collected(upTo: 8 << 20) },
    handle: @escaping Handle, test: (HTTPServer) async throws -> Value
) async throws -> Value {
    let server = HTTPServer(
        tls: tls, limits: limits, loops: loops,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, chooseBody: chooseBody,
        handle: handle)
    try server.start()
    do {
        let value = try await test(server)
        await server.stop(within: grace)
        return value
    } catch {
        await server.stop(within: .milliseconds(1))
        throw error
    }
}

/// Answers 200 with a text.
func ok(_ exchange: Exchange, _ text: String = "ok") {
    exchange.send(HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]), Array(text.utf8))
}

/// Counts; for what happens inside handlers.
final class Tally: Sendable {
    private let value = Atomic<Int>(0)
    private let leaving = Atomic<Bool>(false)

    /// True when those that count may end.
    var isLeaving: Bool { leaving.load(ordering: .sequentiallyConsistent) }

    func leave() { leaving.store(true, ordering: .sequentiallyConsistent) }

    var count: Int { value.load(ordering: .sequentiallyConsistent) }

    func add(_ number: Int = 1) { value.add(number, ordering: .sequentiallyConsistent) }

    func reaches(_ expected: Int, within seconds: Double = 60) async -> Bool {
        await eventually(within: seconds) { self.count == expected }
    }
}

/// Something that many threads put into and a test looks at.
final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value { content.withLock { $0 } }

    func change(_ body: (inout Value) -> Void) { content.withLock { body(&$0) } }
}

/// Opens once; who waits is let through, also later, and also when it is cancelled.
final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiters: [Int: CheckedContinuation<Void, Never>](), next: 0))

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when it is open or the task is cancelled.
    func pass() async {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isFree { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}

extension RawClient {
    /// Sends a request with a large body, whole.
    func upload(megabytes: Int, isChunked: Bool) throws {
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        try send(
            "POST / HTTP/1.1\r\nHost: a\r\n"
                + (isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(megabytes << 20)")
                + "\r\n\r\n")
        for _ in 0..<megabytes {
            if isChunked { try send("100000\r\n") }
            try send(piece)
            if isChunked { try send("\r\n") }
        }
        if isChunked { try send("0\r\n\r\n") }
    }
}

/// Asks a server for an upgrade, and is gone when its handler has begun.
func askForUpgradeAndLeave(_ server: HTTPServer, when started: Tally) async throws {
    let port = server.port
    let client = try await blocking {
        let client = try RawClient(port)
        try client.send(WebSocketClient.handshake())
        return client
    }
    #expect(await started.reaches(1))
    client.reset()
}

/// The memory that each of 2000 connections takes in the echo server, where 500 were there before.
func costOfEach<Connection: Sendable>(_ open: @escaping @Sendable (_ port: Int) throws -> Connection)
    async throws -> Int
{
    let program = try Program.product("echo-server")
    let port = try await program.port()
    let process = "\(program.child.processIdentifier)"
    let first = try await blocking { try (0..<500).map { _ in try open(port) } }
    let before = residentBytes(of: process)
    let more = try await blocking { try (0..<2000).map { _ in try open(port) } }
    let each = (residentBytes(of: process) - before) / 2000
    withExtendedLifetime((first, more)) {}
    return each
}
