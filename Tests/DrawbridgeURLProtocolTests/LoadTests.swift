import Dispatch
import Drawbridge
import DrawbridgeTesting
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import HTTPTypes
import Synchronization
import TestSupport
import Testing

/// The life of one instance: started, stopped, and not heard any more.
@Suite(.timeLimit(.minutes(5))) struct LoadTests {
    @Test func everyRequestHasItsOwnInstanceOfTheClass() async throws {
        let instances = Mutex<[ObjectIdentifier: Scripted]>([:])
        let path = ScriptedProtocol.script { scripted in
            instances.withLock { $0[ObjectIdentifier(scripted.instance)] = scripted }
            scripted.answer("")
        }
        let gateway = Gateway.scripted()
        for _ in 0..<20 { _ = await gateway.respond(to: Request(path)) }
        #expect(instances.withLock { $0.count } == 20)
    }

    @Test(arguments: ["finish", "fail", "redirect"])
    func theInstanceIsStoppedOnceWhenItHasEnded(end: String) async throws {
        let journal = Notebook()
        let path = ScriptedProtocol.script(stop: { _ in journal.note("stop") }) { scripted in
            journal.note("start")
            switch end {
            case "finish": scripted.answer("")
            case "fail": scripted.fail(URLError(.cancelled))
            default: scripted.redirect(to: "http://localhost/next")
            }
            journal.note("started")
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        _ = try? await response.text()
        await journal.wait(for: 3)
        #expect(
            journal.entries == ["start", "started", "stop"], "one after the other, as their class expects")
    }

    @Test func aCallerThatLeavesStopsTheInstanceOnce() async throws {
        let journal = Notebook()
        let path = ScriptedProtocol.script(stop: { _ in journal.note("stop") }) { _ in journal.note("start") }
        let gateway = Gateway.scripted()
        let caller = Task { await gateway.respond(to: Request(path)) }
        await journal.wait(for: 1)
        caller.cancel()
        _ = await caller.value
        await journal.wait(for: 2)
        #expect(journal.entries == ["start", "stop"])
    }

    @Test func aReaderThatLeavesStopsTheInstance() async throws {
        let journal = Notebook()
        let path = ScriptedProtocol.script(stop: { _ in journal.note("stop") }) { scripted in
            scripted.receive()
            scripted.load("endless")
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        let read = Event()
        let reader = Task { try await response.body.write(to: Client { _ in read.happen() }) }
        await read.wait()
        #expect(journal.entries.isEmpty)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        await journal.wait(for: 1)
    }

    @Test func aClassThatNeverAnswersIsAnsweredForAtItsDeadline() async throws {
        let journal = Notebook()
        let path = ScriptedProtocol.script(stop: { _ in journal.note("stop") }) { _ in journal.note("start") }
        let gateway = Gateway.scripted(deadline: .milliseconds(20))
        // On a busy machine it may pass before the class is started at all.
        while journal.entries.isEmpty {
            let response = await gateway.respond(to: Request(path))
            #expect(response.status == .gatewayTimeout)
            #expect(try await response.text().contains("ScriptedProtocol did not answer within 0.02 seconds"))
        }
        await journal.wait(for: 2)
        #expect(journal.entries == ["start", "stop"])
    }

    @Test func aClassThatBlocksInStartLoadingHoldsNobodyElseUp() async throws {
        let blocked = DispatchSemaphore(value: 0)
        let started = Notebook()
        let blocking = ScriptedProtocol.script { scripted in
            started.note("start")
            blocked.wait()
            scripted.answer("at last")
        }
        let quick = ScriptedProtocol.script { $0.answer("quick") }
        let gateway = Gateway.scripted()
        async let slow = gateway.respond(to: Request(blocking)).text()
        await started.wait(for: 1)
        #expect(try await gateway.respond(to: Request(quick)).text() == "quick")
        blocked.signal()
        #expect(try await slow == "at last")
    }

    @Test func hundredsOfConcurrentLoadsDoNotMix() async throws {
        let path = ScriptedProtocol.script { scripted in
            let name = scripted.request.url?.query ?? ""
            DispatchQueue.global().async {
                scripted.receive()
                for _ in 0..<10 { scripted.load(name) }
                scripted.finish()
            }
        }
        let gateway = Gateway.scripted()
        try await withThrowingTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    let text = try await gateway.respond(to: Request("\(path)?n\(number);")).text()
                    #expect(text == String(repeating: "n\(number);", count: 10))
                }
            }
            try await group.waitForAll()
        }
    }

    /// As much as 1 GB passes with all tests, and what lies between writer and reader stays small.
    @Test func aLargeBodyPassesWithLittleOfItInMemory() async throws {
        let written = Atomic<Int>(0)
        let chunk = Data(repeating: 7, count: 256 << 10)
        let count = getenv("DRAWBRIDGE_ALL") == nil ? 256 : 4096
        let path = ScriptedProtocol.script { scripted in
            scripted.receive(200, ["Content-Length": "\(count * chunk.count)"])
            for _ in 0..<count {
                written.add(chunk.count, ordering: .relaxed)
                scripted.load(chunk)
            }
            scripted.finish()
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        let read = Atomic<Int>(0)
        let most = Atomic<Int>(0)
        try await response.body.write(
            to: Client { chunk in
                let ahead = written.load(ordering: .relaxed) - read.load(ordering: .relaxed)
                most.max(ahead, ordering: .relaxed)
                read.add(chunk.count, ordering: .relaxed)
            })
        #expect(read.load(ordering: .relaxed) == count * chunk.count)
        #expect(most.load(ordering: .relaxed) <= 4 << 20)
    }

    @Test func loadingWithinATaskDoesNotBlockItsThread() async throws {
        let path = ScriptedProtocol.script { scripted in
            Task {
                scripted.receive()
                for _ in 0..<100 { scripted.load(String(repeating: "x", count: 100_000)) }
                scripted.finish()
            }
        }
        // More of them than the cooperative pool has threads.
        let gateway = Gateway.scripted()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    let bytes = try await gateway.respond(to: Request(path)).body.collect()
                    #expect(bytes.count == 10_000_000)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func aChallengeIsAnsweredWithoutACredential() async throws {
        final class Sender: NSObject, URLAuthenticationChallengeSender {
            let went: @Sendable () -> Void
            init(_ went: @escaping @Sendable () -> Void) { self.went = went }
            func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
            func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { went() }
            func cancel(_ challenge: URLAuthenticationChallenge) {}
            func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
            func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
        }
        let path = ScriptedProtocol.script { scripted in
            let space = URLProtectionSpace(
                host: "localhost", port: 80, protocol: "http", realm: nil, authenticationMethod: nil)
            let challenge = URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: nil, previousFailureCount: 0,
                failureResponse: nil, error: nil, sender: Sender { scripted.answer("without") })
            scripted.instance.client?.urlProtocol(scripted.instance, didReceive: challenge)
        }
        #expect(try await Gateway.scripted().respond(to: Request(path)).text() == "without")
    }
}

/// The one suite here that drops on purpose, one test after the other.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LateCallTests {
    enum Call: String, CaseIterable, Sendable { case receive, load, finish, fail, redirect }

    private static func make(_ call: Call, _ scripted: Scripted) {
        switch call {
        case .receive: scripted.receive()
        case .load: scripted.load("late")
        case .finish: scripted.finish()
        case .fail: scripted.fail(URLError(.cancelled))
        case .redirect: scripted.redirect(to: "http://localhost/")
        }
    }

    private static var dropped: Int {
        Gateway.droppedAnswers.load(ordering: .relaxed) + Client.dropped.load(ordering: .relaxed)
    }

    @Test func anAnswerThatNobodyReadsStopsItsInstance() async throws {
        struct Replacing: Middleware {
            func handle(_ request: Request, next: Next) async throws -> Response {
                _ = await next(request)
                return Response(text: "another")
            }
        }
        let journal = Notebook()
        let path = ScriptedProtocol.script(stop: { _ in journal.note("stop") }) { scripted in
            scripted.receive()
            // More than is kept for a reader: this thread waits for one.
            for _ in 0..<100 { scripted.load(String(repeating: "x", count: 100_000)) }
            journal.note("all loaded")
        }
        let gateway = Gateway.testing(middleware: [Replacing()])
        gateway.register(ScriptedProtocol.self)
        #expect(try await gateway.respond(to: Request(path)).text() == "another")
        await journal.wait(for: 2)
        #expect(journal.entries == ["all loaded", "stop"])
    }

    @Test func loadsThatEndAtAnyMomentAreStoppedOnceEach() async throws {
        let counts = Mutex<[String: (started: Int, stopped: Int)]>([:])
        @Sendable func count(_ scripted: Scripted, _ started: Int, _ stopped: Int) {
            counts.withLock { counts in
                let old = counts[scripted.request.url?.query ?? "", default: (0, 0)]
                counts[scripted.request.url?.query ?? ""] = (old.started + started, old.stopped + stopped)
            }
        }
        let path = ScriptedProtocol.script(stop: { count($0, 0, 1) }) { scripted in
            count(scripted, 1, 0)
            DispatchQueue.global().async { scripted.answer("text") }
        }
        let gateway = Gateway.scripted()
        for round in 0..<300 {
            let caller = Task { try await gateway.respond(to: Request("\(path)?\(round)")).text() }
            for _ in 0..<round % 9 { await Task.yield() }
            caller.cancel()
            _ = try? await caller.value
        }
        await until { !counts.withLock { $0.values.contains { $0.stopped < $0.started } } }
        #expect(counts.withLock { $0.values.allSatisfy { $0 == (1, 1) } })
    }

    @Test(arguments: Call.allCases)
    func aCallAfterTheEndIsDroppedAndCounted(call: Call) async throws {
        let path = ScriptedProtocol.script { scripted in
            scripted.answer("in time")
            Self.make(call, scripted)
        }
        let before = Self.dropped
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(try await response.text() == "in time")
        await until { Self.dropped != before }
    }

    @Test(arguments: Call.allCases)
    func aCallAfterTheStopIsDroppedAndCounted(call: Call) async throws {
        let started = Notebook()
        let path = ScriptedProtocol.script(
            stop: { scripted in DispatchQueue.global().async { Self.make(call, scripted) } },
            start: { _ in started.note("start") })
        let before = Self.dropped
        let gateway = Gateway.scripted()
        let caller = Task { await gateway.respond(to: Request(path)) }
        await started.wait(for: 1)
        caller.cancel()
        _ = await caller.value
        await until { Self.dropped != before }
    }

    @Test func aSecondResponseIsDroppedAndTheFirstGoesOn() async throws {
        let before = Self.dropped
        let path = ScriptedProtocol.script { scripted in
            scripted.receive(201)
            scripted.receive(404)
            scripted.redirect(to: "http://localhost/")
            scripted.load("first")
            scripted.finish()
        }
        let response = await Gateway.scripted().respond(to: Request(path))
        #expect(response.status == .created)
        #expect(try await response.text() == "first")
        #expect(Self.dropped >= before + 2)
    }
}
