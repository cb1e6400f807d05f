import Dispatch
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Drawbridge

/// The one suite in which answers and chunks are dropped on purpose, one test after the other: the counts are exact.
@Suite("Running one handler", .serialized, .timeLimit(.minutes(5)))
struct LoadTests {
    /// Waits until it is released, whether it is cancelled or not, and notes what it is told.
    struct Stubborn: Handler {
        let journal: Notebook
        let released: Event

        static let options = HandlerOptions(deadline: .milliseconds(20))

        func handle(_ request: Request) async throws -> Response {
            await withTaskCancellationHandler {
                journal.note("start")
                await released.wait()
            } onCancel: {
                journal.note("cancel")
            }
            return Response(text: "too late")
        }

        func stopLoading() { journal.note("stop") }
    }

    @Test func aMissedDeadlineStopsTheHandlerAndIsAnswered() async throws {
        let gateway = Gateway.testing()
        let (journal, released) = (Notebook(), Event())
        try gateway.register(at: "/stubborn") { Stubborn(journal: journal, released: released) }
        let before = Gateway.droppedAnswers.load(ordering: .relaxed)
        let response = await gateway.respond(to: Request("/stubborn?_mobile_bridge=1"))
        journal.note("answer")
        #expect(response.status == .ok)
        let json = try await response.json()
        #expect(json["code"] == 504)
        #expect(
            json["message"]?.stringValue?.hasPrefix("Stubborn did not answer within 0.02 seconds") == true)
        #expect(journal.entries == ["start", "cancel", "stop", "answer"])

        released.happen()
        await until { Gateway.droppedAnswers.load(ordering: .relaxed) > before }
        #expect(journal.entries.count == 4)
    }

    /// Ends at once when it is cancelled, as a well-behaved handler does.
    struct Obedient: Handler {
        let journal: Notebook

        static let options = HandlerOptions(deadline: .milliseconds(1))

        func handle(_ request: Request) async throws -> Response {
            try await Task.sleep(for: .seconds(3600))
            return Response()
        }

        func stopLoading() { journal.note("stop") }
    }

    @Test func aHandlerThatEndsOnCancellationIsStillStoppedAndAnsweredFor() async throws {
        let gateway = Gateway.testing()
        let journal = Notebook()
        try gateway.register(at: "/obedient") { Obedient(journal: journal) }
        for round in 1...50 {
            let json = try await gateway.respond(to: Request("/obedient?_mobile_bridge=1")).json()
            #expect(json["code"] == 504)
            #expect(journal.entries.count == round)
        }
    }

    @Test func theHTTPStatusOfAMissedDeadlineIs504() async throws {
        let gateway = Gateway.testing(answers: .http)
        try gateway.register(at: "/obedient") { Obedient(journal: Notebook()) }
        let response = await gateway.respond(to: Request("/obedient?_mobile_bridge=1"))
        #expect(response.status == .gatewayTimeout)
    }

    /// Waits for a person, and has no deadline.
    struct Patient: Handler {
        let journal: Notebook

        static let options = HandlerOptions(deadline: nil)

        func handle(_ request: Request) async throws -> Response {
            journal.note("start")
            try await Task.sleep(for: .seconds(3600))
            return Response()
        }

        func stopLoading() { journal.note("stop") }
    }

    @Test func aCallerThatLeavesStopsTheHandlerExactlyOnce() async throws {
        let gateway = Gateway.testing()
        let journal = Notebook()
        try gateway.register(at: "/patient") { Patient(journal: journal) }
        let caller = Task { await gateway.respond(to: Request("/patient?_mobile_bridge=1")) }
        await journal.wait(for: 1)
        caller.cancel()
        caller.cancel()
        _ = await caller.value
        #expect(journal.entries == ["start", "stop"])
    }

    @Test func aCallerThatHasLeftBeforeTheStartStopsTheHandlerToo() async throws {
        let gateway = Gateway.testing()
        let (journal, left) = (Notebook(), Event())
        try gateway.register(at: "/patient") { Patient(journal: journal) }
        let caller = Task {
            await left.wait()
            return await gateway.respond(to: Request("/patient?_mobile_bridge=1"))
        }
        caller.cancel()
        left.happen()
        _ = await caller.value
        #expect(journal.entries == ["start", "stop"])
    }

    @Test func cancellingManyCallersAtAnyMomentStopsEachHandlerOnce() async throws {
        let gateway = Gateway.testing()
        let (started, stopped) = (Notebook(), Notebook())
        struct Sleeping: Handler {
            let started: Notebook
            let stopped: Notebook
            func handle(_ request: Request) async throws -> Response {
                started.note("")
                try await Task.sleep(for: .seconds(3600))
                return Response()
            }
            func stopLoading() { stopped.note("") }
        }
        try gateway.register(at: "/sleep") { Sleeping(started: started, stopped: stopped) }
        for round in 0..<200 {
            let caller = Task { await gateway.respond(to: Request("/sleep?_mobile_bridge=1")) }
            for _ in 0..<round % 7 { await Task.yield() }
            caller.cancel()
            _ = await caller.value
        }
        #expect(started.entries.count == 200)
        #expect(stopped.entries.count == 200)
    }

    @Test func aHandlerThatAnswersIsNeverToldToStop() async throws {
        let gateway = Gateway.testing()
        let journal = Notebook()
        struct Quick: Handler {
            let journal: Notebook
            func handle(_ request: Request) async throws -> Response {
                await Task.yield()
                return Response(text: "done")
            }
            func stopLoading() { journal.note("stop") }
        }
        try gateway.register(at: "/quick") { Quick(journal: journal) }
        for _ in 0..<50 { #expect(try await gateway.text(at: "/quick") == "done") }
        #expect(journal.entries.isEmpty)
    }

    @Test func anAnswerAfterTheCallerLeftIsDroppedAndCounted() async {
        let gateway = Gateway.testing()
        let (started, released) = (Event(), Event())
        gateway.answer(at: "/late") { _ in
            started.happen()
            await released.wait()
            return Response(text: "late")
        }
        let before = Gateway.droppedAnswers.load(ordering: .relaxed)
        let caller = Task { await gateway.respond(to: Request("/late?_mobile_bridge=1")) }
        await started.wait()
        caller.cancel()
        _ = await caller.value
        released.happen()
        await until { Gateway.droppedAnswers.load(ordering: .relaxed) > before }
    }

    /// Misses its deadline, and blocks when it is told so, until it is released.
    struct Blocking: Handler {
        static let options = HandlerOptions(deadline: .milliseconds(20), execution: .thread)

        let journal: Notebook
        let released: DispatchSemaphore

        func handle(_ request: Request) async throws -> Response {
            try await Task.sleep(for: .seconds(3600))
            return Response()
        }

        func stopLoading() {
            journal.note("blocked")
            released.wait()
            released.signal()
        }
    }

    /// The answers of the others come while it blocks: it ends only after that.
    @Test func aBlockingStopLoadingDelaysNobodyElse() async throws {
        let gateway = Gateway.testing()
        let released = DispatchSemaphore(value: 0)
        let (journal, blocking) = (Notebook(), Notebook())
        try gateway.register(at: "/blocking") { Blocking(journal: blocking, released: released) }
        try gateway.register(at: "/obedient") { Obedient(journal: journal) }
        let blocked = (0..<5).map { _ in
            Task { await gateway.respond(to: Request("/blocking?_mobile_bridge=1")) }
        }
        await blocking.wait(for: 5)
        let json = try await gateway.respond(to: Request("/obedient?_mobile_bridge=1")).json()
        #expect(json["code"] == 504)
        #expect(journal.entries == ["stop"])
        released.signal()
        for task in blocked { #expect(try await task.value.json()["code"] == 504) }
    }

    /// Blocks its thread until it is told to stop.
    struct Stuck: Handler {
        static let options = HandlerOptions(deadline: .milliseconds(500), execution: .thread)

        let told = DispatchSemaphore(value: 0)

        func handle(_ request: Request) async throws -> Response {
            told.wait()
            return Response()
        }

        func stopLoading() { told.signal() }
    }

    /// Dispatch has some 250 threads: they take all of them, and yet each is told, and answered for.
    ///
    /// None of them ends before it is told, and nothing is asked of when: a slow machine only takes longer.
    @Test func handlersThatBlockAllThreadsAreStillToldToStop() async throws {
        let gateway = Gateway.testing()
        try gateway.register(at: "/stuck") { Stuck() }
        let codes = await withTaskGroup(of: JSON?.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    try? await gateway.respond(to: Request("/stuck?_mobile_bridge=1")).json()["code"]
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: 504, count: 300))
    }

    // MARK: - Streams

    /// Streams numbers for ever.
    struct Ticking: Handler {
        let journal: Notebook

        func handle(_ request: Request) async throws -> Response {
            Response(contentType: "text/event-stream") { client in
                var number = 0
                while true {
                    number += 1
                    try await client.didLoad("\(number)\n")
                    await Task.yield()
                }
            }
        }

        func stopLoading() { journal.note("stop") }
    }

    @Test func aStreamsHandlerIsStoppedOnceWhenItsReaderLeaves() async throws {
        let gateway = Gateway.testing()
        let journal = Notebook()
        try gateway.register(at: "/tick") { Ticking(journal: journal) }
        let response = await gateway.respond(to: Request("/tick?_mobile_bridge=1"))
        #expect(response.headers[.contentType] == "text/event-stream")
        #expect(response.body.length == nil)
        let read = Event()
        let reader = Task {
            let client = Client { chunk in
                if chunk == Array("3\n".utf8) { read.happen() }
            }
            try await response.body.write(to: client)
        }
        await read.wait()
        #expect(journal.entries.isEmpty)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(journal.entries == ["stop"])
    }

    @Test func aStreamThatEndsNormallyIsReadWhole() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/stream") { _ in
            Response(contentType: "text/plain", length: 6) { client in
                for part in ["one", "", "two"] { try await client.didLoad(part) }
            }
        }
        let response = await gateway.respond(to: Request("/stream?_mobile_bridge=1"))
        #expect(response.body.length == 6)
        #expect(try await response.text() == "onetwo")
    }

    @Test func aStreamThatFailsHandsItsErrorToTheReader() async throws {
        let gateway = Gateway.testing()
        gateway.answer(at: "/broken") { _ in
            Response(contentType: "text/plain") { client in
                try await client.didLoad("half")
                throw HTTPError(.badGateway, "the other half is gone")
            }
        }
        let response = await gateway.respond(to: Request("/broken?_mobile_bridge=1"))
        await #expect(throws: HTTPError(.badGateway, "the other half is gone")) { try await response.text() }
    }

    @Test func chunksAfterTheEndAreDroppedAndCounted() async throws {
        let escaped = Mutex<Client?>(nil)
        let gateway = Gateway.testing()
        gateway.answer(at: "/escaping") { _ in
            Response(contentType: "text/plain") { client in
                escaped.withLock { $0 = client }
                try await client.didLoad("in time")
            }
        }
        let response = await gateway.respond(to: Request("/escaping?_mobile_bridge=1"))
        #expect(try await response.text() == "in time")
        let before = Client.dropped.load(ordering: .relaxed)
        let client = try #require(escaped.withLock { $0 })
        // A writer that goes on and on must come to an end.
        await #expect(throws: CancellationError.self) { try await client.didLoad("late") }
        #expect(Client.dropped.load(ordering: .relaxed) > before)
    }

    @Test func aWriterWaitsForASlowReader() async throws {
        let gateway = Gateway.testing()
        let (written, room) = (Notebook(), Notebook())
        gateway.answer(at: "/fast") { _ in
            Response(contentType: "text/plain") { client in
                for number in 1...3 {
                    try await client.didLoad("\(number)")
                    written.note("\(number)")
                }
            }
        }
        let response = await gateway.respond(to: Request("/fast?_mobile_bridge=1"))
        let arrived = Notebook()
        let reader = Task {
            let client = Client { chunk in
                arrived.note(String(decoding: chunk, as: UTF8.self))
                let number = arrived.entries.count
                await until { room.entries.count >= number }
            }
            try await response.body.write(to: client)
        }
        for number in 1...3 {
            await arrived.wait(for: number)
            #expect(written.entries.count == number - 1)
            room.note("")
            await written.wait(for: number)
        }
        try await reader.value
        #expect(arrived.entries == ["1", "2", "3"])
    }

    /// Answers with a stream, and notes when it is forgotten.
    struct Forgettable: Handler {
        final class Remains: Sendable {
            let journal: Notebook

            init(_ journal: Notebook) { self.journal = journal }

            deinit { journal.note("forgotten") }
        }

        let remains: Remains

        func handle(_ request: Request) async throws -> Response {
            Response(contentType: "text/plain") { client in try await client.didLoad("part") }
        }
    }

    @Test func aHandlerIsReleasedWhenItsStreamHasEnded() async throws {
        let gateway = Gateway.testing()
        let journal = Notebook()
        try gateway.register(at: "/stream") { Forgettable(remains: .init(journal)) }
        let bytes = try await gateway.respond(to: Request("/stream?_mobile_bridge=1")).body.collect()
        #expect(bytes == Array("part".utf8))
        await journal.wait(for: 1)
    }

    @Test func aStreamOfMoreThanTheLimitIsNotCollected() async throws {
        let response = Response(contentType: "text/plain") { client in
            while true { try await client.didLoad([UInt8](repeating: 0, count: 1024)) }
        }
        await #expect(throws: HTTPError.self) { try await response.body.collect(upTo: 10_000) }
        await #expect(throws: HTTPError.self) { try await Response(text: "abcd").body.collect(upTo: 3) }
    }
}
