import Foundation
import HTTPTypes
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge

@Suite("Making and choosing handlers")
struct HandlerTests {
    @Test func aHandlerWithARequestPropertyGetsTheRequest() async throws {
        struct WhoAmI: JSONHandler {
            let request: Request
            func handle(_ input: Nothing) async throws -> String? { request.headers[.userAgent] }
        }
        let gateway = Gateway.testing()
        try gateway.register(WhoAmI.self, at: "/who")
        let request = Request("/who?_mobile_bridge=1", headers: [.userAgent: "Probe"])
        #expect(try await gateway.respond(to: request).json()["data"] == "Probe")
    }

    @Test func aFactoryGivesAHandlerItsDependencies() async throws {
        let gateway = Gateway.testing()
        try gateway.register(at: "/plain") { Named(name: "dependency") }
        try gateway.register(at: "/asked") { request in Named(name: request.query["name"] ?? "") }
        #expect(try await gateway.text(at: "/plain") == "dependency")
        let response = await gateway.respond(to: Request("/asked?_mobile_bridge=1&name=ann"))
        #expect(try await response.text() == "ann")
    }

    @Test func aFactoryThatThrowsAnswersLikeItsHandler() async throws {
        let gateway = Gateway.testing()
        try gateway.register(at: "/closed") { () throws -> Named in
            throw HTTPError(.serviceUnavailable, "closed until nine", code: 9)
        }
        #expect(try await gateway.text(at: "/closed") == #"{"code":9,"message":"closed until nine"}"#)
    }

    struct Declining: Handler {
        static func canInit(with request: Request) -> Bool { request.query["take"] == "yes" }
        func handle(_ request: Request) async throws -> Response { Response(text: "declining") }
    }

    @Test func aTypeThatDeclinesLeavesTheRequestToTheNextRouteThatFits() async throws {
        let gateway = Gateway.testing()
        try gateway.register(Declining.self, at: "/a/b")
        let declined = Request("/a/b?_mobile_bridge=1")
        #expect(try await gateway.respond(to: declined).json()["message"] == "No response")
        try gateway.register(at: "/a/*") { Named(name: "wildcard") }
        #expect(try await gateway.respond(to: declined).text() == "wildcard")
        try gateway.register(at: "/a/:x") { Named(name: "parameter") }
        #expect(try await gateway.respond(to: declined).text() == "parameter")
        let taken = Request("/a/b?_mobile_bridge=1&take=yes")
        #expect(try await gateway.respond(to: taken).text() == "declining")
    }

    struct Deleting: Handler {
        static let options = HandlerOptions(methods: [.delete, .head])
        func handle(_ request: Request) async throws -> Response { Response(text: "\(request.method)") }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post, .put, .patch, .delete])
    func anyMethodButHeadAndOptionsReachesAHandler(method: HTTPRequest.Method) async throws {
        let response = await Gateway.testing().respond(to: Request(method, "/echo?_mobile_bridge=1&a=1"))
        #expect(try await response.json()["code"] == 200)
    }

    @Test(arguments: [HTTPRequest.Method.head, .options])
    func headAndOptionsReachOnlyHandlersThatAskForThem(method: HTTPRequest.Method) async throws {
        let response = await Gateway.testing().respond(to: Request(method, "/echo?_mobile_bridge=1"))
        #expect(response.headers[.allow] == "GET, POST, PUT, PATCH, DELETE")
        #expect(
            try await response.text()
                == #"{"code":405,"message":"/echo has no handler that takes \#(method); registered there: "#
                + #"GET, POST, PUT, PATCH, DELETE"}"#)
    }

    @Test func aHandlerGetsTheMethodsThatItAsksFor() async throws {
        let gateway = Gateway.testing()
        try gateway.register(Deleting.self, at: "/thing")
        for method in [HTTPRequest.Method.delete, .head] {
            let response = await gateway.respond(to: Request(method, "/thing?_mobile_bridge=1"))
            #expect(try await response.text() == "\(method)")
        }
        let refused = await gateway.respond(to: Request("/thing?_mobile_bridge=1"))
        #expect(refused.headers[.allow] == "DELETE, HEAD")
        #expect(try await refused.json()["code"] == 405)
        try gateway.register(at: "/*") { Named(name: "wildcard") }
        #expect(try await gateway.text(at: "/thing") == "wildcard")
    }

    struct Naming: Handler {
        static let options = HandlerOptions(methods: [.head])
        func handle(_ request: Request) async throws -> Response { Response(text: "named") }
    }

    struct Reading: SynchronousHandler {
        static let options = HandlerOptions(methods: [.get])
        func handle(_ request: Request) -> Response { Response(text: "\(request.method)") }
    }

    @Test func whoTakesGETTakesHEAD() async throws {
        let gateway = Gateway.testing()
        try gateway.register(Reading.self, at: "/thing")
        for method in [HTTPRequest.Method.get, .head] {
            let response = await gateway.respond(to: Request(method, "/thing?_mobile_bridge=1"))
            #expect(try await response.text() == "\(method)")
        }
        let refused = await gateway.respond(to: Request(.post, "/thing?_mobile_bridge=1"))
        #expect(refused.headers[.allow] == "GET, HEAD")
        // One that names HEAD is another handler of the same path, and does not replace it.
        try gateway.register(Deleting.self, at: "/thing")
        #expect(gateway.registered["/thing"] == ["Deleting", "Reading"])
        try gateway.register(Naming.self, at: "/thing")
        #expect(try await gateway.respond(to: Request(.head, "/thing?_mobile_bridge=1")).text() == "named")
    }

    @Test(arguments: ["prefetch", "prefetch;prerender"])
    func aPrefetchStartsNoHandler(purpose: String) async throws {
        let journal = Notebook()
        let gateway = Gateway.testing(passThrough: [Behind()])
        gateway.answer(at: "/pay") { _ in
            journal.note("paid")
            return Response()
        }
        // Chromium says so of a page of another site too, when it is that page's speculation rule.
        let headers: HTTPFields = [.secPurpose: purpose, .secFetchSite: "none"]
        let response = await gateway.respond(to: Request("/pay?_mobile_bridge=1", headers: headers))
        #expect(response.status == .serviceUnavailable)
        #expect(journal.entries.isEmpty)
        let page = await gateway.respond(to: Request("/page", headers: headers))
        #expect(page.status == .ok)
    }

    @Test func theHandlerGetsTheRequestWithoutTheBridgesMarks() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/seen") { Response(text: "\($0.method) \($0.head.path ?? "")") }
        let request = Request(.post, "/seen?a=%31&_mobile_bridge=1&b=+")
        #expect(try await gateway.respond(to: request).text() == "POST /seen?a=%31&b=+")
        #expect(try await gateway.respond(to: Request("/__jsbridge__/seen/?a=1")).text() == "GET /seen/?a=1")
    }

    /// Blocks its thread until all of its kind have arrived.
    struct Blocking: Handler {
        let arrived: DispatchSemaphore
        let released: DispatchSemaphore

        static let options = HandlerOptions(execution: .thread)

        func handle(_ request: Request) async throws -> Response {
            block()
            return Response(text: Thread.isMainThread ? "main" : "own")
        }

        private func block() {
            arrived.signal()
            released.wait()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func handlersThatBlockTheirThreadsHoldNobodyUp() async throws {
        let gateway = Gateway.testing()
        let (arrived, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try gateway.register(at: "/block") { Blocking(arrived: arrived, released: released) }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<40 { group.addTask { try await gateway.text(at: "/block") } }
            group.addTask {
                // More than there are processors block now, and others are still served.
                await Self.wait(for: arrived, 40)
                let text = try await gateway.text(at: "/echo")
                for _ in 0..<40 { released.signal() }
                return text
            }
            var texts: [String: Int] = [:]
            for try await text in group { texts[text, default: 0] += 1 }
            #expect(texts == ["own": 40, #"{"code":200,"message":""}"#: 1])
        }
    }

    /// Waits on a thread of its own: those of the pool are few, and everybody's.
    private static func wait(for semaphore: DispatchSemaphore, _ count: Int) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                for _ in 0..<count { semaphore.wait() }
                continuation.resume()
            }
        }
    }

    /// Tells on which thread it answers and streams.
    struct Apart: Handler {
        static let options = HandlerOptions(execution: .thread)

        func handle(_ request: Request) async throws -> Response {
            let thread = HandlerTests.currentThread()
            return Response(contentType: "text/plain") { client in
                try await client.didLoad("\(thread) \(HandlerTests.currentThread())")
            }
        }
    }

    @Test func aHandlerRunsOnItsCallersThreadUnlessItSaysOtherwise() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/loop") { _ in Response(text: Self.currentThread()) }
        try gateway.register(Apart.self, at: "/thread")
        try await withTaskExecutorPreference(OneThread()) {
            let own = Self.currentThread()
            #expect(try await gateway.text(at: "/loop") == own)
            let threads = try await gateway.text(at: "/thread").split(separator: " ")
            #expect(threads.count == 2)
            #expect(threads.allSatisfy { $0 != own })
        }
    }

    @Test func aHandlerOfAnEngineStaysOnTheLoopThatReadItsRequest() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/loop") { _ in
            await Task.yield()
            return Response(text: Self.currentThread())
        }
        let loop = OneThread()
        let (own, response) = await Task(executorPreference: loop) {
            let own = Self.currentThread()
            let response = await gateway.respond(
                to: Request("/loop?_mobile_bridge=1"), by: HandlerTasks(on: loop))
            return (own, response)
        }.value
        #expect(try await response.text() == own)
    }

    /// Runs every job on one thread of its own.
    private final class OneThread: TaskExecutor, HandlerLoop {
        let watch: LoopWatch
        private let jobs: JobQueue

        init(logger: Logger = Logger(label: "test")) {
            watch = LoopWatch(logger: logger)
            let jobs = JobQueue()
            self.jobs = jobs
            Thread.detachNewThread { while let run = jobs.next() { run() } }
        }

        deinit {
            watch.end()
            jobs.add(nil)
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.add { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        func enqueue(_ step: @escaping @Sendable () -> Void) { jobs.add(step) }

        /// Nobody starts a load on this thread.
        var isCurrent: Bool { false }
    }

    /// Jobs in order; nil ends them.
    private final class JobQueue: Sendable {
        private let waiting = Mutex<[(@Sendable () -> Void)?]>([])
        private let available = DispatchSemaphore(value: 0)

        func add(_ job: (@Sendable () -> Void)?) {
            waiting.withLock { $0.append(job) }
            available.signal()
        }

        func next() -> (@Sendable () -> Void)? {
            available.wait()
            return waiting.withLock { $0.removeFirst() }
        }
    }

    fileprivate static func currentThread() -> String { "\(pthread_self())" }
}

extension HandlerTests {
    /// Blocks where it must not.
    struct Sleepy: JSONHandler {
        func handle(_ input: Nothing) async throws -> Nothing {
            await Task.yield()
            usleep(80_000)
            return Nothing()
        }
    }

    @Test func aHandlerThatBlocksItsLoopIsNamedInTheLog() async throws {
        let book = LogBook()
        let gateway = Gateway.testing(logger: book.logger)
        try gateway.register(Sleepy.self, at: "/sleepy")
        _ = await gateway.respond(to: Request("/sleepy?_mobile_bridge=1"), by: HandlerTasks(on: OneThread()))
        await until { book.entries.contains(where: { $0.contains("Sleepy held its loop for ") }) }
    }

    @Test func aHandlerThatBlocksItsLoopForEverIsNamedWhileItDoes() async throws {
        let (book, end) = (LogBook(), DispatchSemaphore(value: 0))
        let gateway = Gateway.testing(logger: book.logger)
        gateway.answer(at: "/stuck") { _ in
            Self.block(until: end)
            return Response(text: "at last")
        }
        async let response = gateway.respond(
            to: Request("/stuck?_mobile_bridge=1"), by: HandlerTasks(on: OneThread(logger: book.logger)))
        await until { book.entries.contains { $0.hasPrefix("error: ") && $0.contains(" blocked its loop") } }
        end.signal()
        #expect(try await response.text() == "at last")
    }

    private static func block(until end: DispatchSemaphore) { end.wait() }
}
