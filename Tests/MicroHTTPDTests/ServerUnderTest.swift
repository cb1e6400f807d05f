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
    chooseBody: @escaping HTTPServer.ChooseBody = { _, _, _ in .collected(upTo: 8 << 20) },
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
