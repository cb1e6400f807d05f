import Dispatch
import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

/// When a loop runs what it is given, and behind what.
@Suite(.timeLimit(.minutes(5)))
struct LoopOrderTests {
    /// The cancellation of a task gives such a job, and would free the task within itself.
    @Test func jobsAddedAfterTheLoopEndedRunOnAnotherThread() async throws {
        let loop = try Loop.standalone()
        await withCheckedContinuation { continuation in
            loop.perform {
                loop.stop()
                continuation.resume()
            }
        }
        // Whoever is told on the loop's thread is told before its end; the others are told after it.
        while await isOnLoop(loop) {}
        let isElsewhere = try await blocking {
            let here = UInt(pthread_self())
            let there = Atomic<UInt>(0)
            let done = DispatchSemaphore(value: 0)
            loop.enqueue {
                there.store(UInt(pthread_self()), ordering: .relaxed)
                done.signal()
            }
            // This thread is taken until then, and so it is another one.
            done.wait()
            return there.load(ordering: .relaxed) != here
        }
        #expect(isElsewhere)
    }

    private func isOnLoop(_ loop: Loop) async -> Bool {
        await withCheckedContinuation { continuation in
            loop.performSoon { continuation.resume(returning: loop.isCurrent) }
        }
    }

    @Test func performRunsAtOnceOnTheLoopsOwnThread() async throws {
        let order = try await words { loop, say in
            say("before")
            loop.perform { say("call") }
            say("after")
        }
        #expect(order == ["before", "call", "after"])
    }

    @Test func performSoonNeverRunsAtOnceAndKeepsTheOrder() async throws {
        let order = try await words { loop, say in
            say("before")
            loop.performSoon { say("one") }
            loop.performSoon { say("two") }
            loop.perform { say("at once") }
            say("after")
        }
        #expect(order == ["before", "at once", "after", "one", "two"])
    }

    @Test func jobsOfOneThreadRunInTheirOrder() async throws {
        let loop = try Loop.standalone()
        let said = Said()
        for number in 0..<100 {
            if number.isMultiple(of: 2) {
                loop.perform { said.say("\(number)") }
            } else {
                loop.performSoon { said.say("\(number)") }
            }
        }
        #expect(await said.all(on: loop) == (0..<100).map { "\($0)" })
    }

    @Test func performSoonRunsAfterEarlierJobsOfOtherThreads() async throws {
        let order = try await words { loop, say in
            elsewhere {
                loop.perform { say("other, perform") }
                loop.performSoon { say("other, performSoon") }
            }
            loop.performSoon { say("own") }
            loop.perform { say("at once") }
        }
        #expect(order == ["at once", "other, perform", "other, performSoon", "own"])
    }

    @Test func stepsOfTasksAndCallsRunInTheirOrder() async throws {
        let order = try await words { loop, say in
            loop.enqueue { say("step") }
            loop.performSoon { say("call") }
            loop.enqueue { say("another step") }
        }
        #expect(order == ["step", "call", "another step"])
    }

    /// The library may be in the middle of something that a call would end.
    @Test func drainTasksRunsStepsOfTasksButNoCalls() async throws {
        let order = try await words { loop, say in
            loop.enqueue { say("step") }
            loop.performSoon { say("call") }
            loop.enqueue { say("step behind the call") }
            loop.drainTasks(atMost: 32) { false }
            say("drained")
        }
        #expect(order == ["step", "drained", "call", "step behind the call"])
    }

    @Test func drainTasksRunsNoMoreStepsThanAskedFor() async throws {
        let order = try await words { loop, say in
            for number in 1...4 { loop.enqueue { say("\(number)") } }
            let drained = Guarded(0)
            loop.drainTasks(atMost: 3) {
                drained.withLock { count in
                    count += 1
                    return count > 2
                }
            }
            say("done")
            loop.drainTasks(atMost: 1) { false }
            say("drained")
        }
        #expect(order == ["1", "2", "done", "3", "drained", "4"])
    }

    /// One that gives the loop the next again and again would be all that the loop does.
    @Test func callsThatScheduleTheNextLetSocketsHaveTheirTurn() async throws {
        let loop = try Loop.standalone()
        let pair = try Pair()
        let chain = Chain(loop, pair)
        let count = await withCheckedContinuation { continuation in
            loop.perform { chain.start(telling: continuation) }
        }
        #expect((1...4).contains(count))
    }

    @Test func jobsAddedAfterTheLoopEndedRunInOrder() async throws {
        let loop = try Loop.standalone()
        await withCheckedContinuation { continuation in
            // The last that it does on its thread.
            loop.perform {
                loop.attachment = AtEnd { continuation.resume() }
                loop.stop()
            }
        }
        let said = Said()
        loop.perform {
            said.say("before")
            loop.performSoon { said.say("soon") }
            loop.perform { said.say("call") }
            said.say("after")
        }
        // The first waits for what was given here, the second for what that gave.
        _ = await said.all(on: loop)
        #expect(await said.all(on: loop) == ["before", "after", "soon", "call"])
    }
}

/// What is said on a loop, in the order in which it is.
private final class Said: Sendable {
    let words = Guarded<[String]>([])

    func say(_ word: String) { words.withLock { $0.append(word) } }

    /// All that the loop has been given to say by now.
    func all(on loop: Loop) async -> [String] {
        await withCheckedContinuation { continuation in
            loop.performSoon { continuation.resume() }
        }
        return words.withLock { $0 }
    }
}

/// What is said when `body` runs on the thread of a loop, and when the loop has done what it was given by that.
private func words(
    _ body: @escaping @Sendable (Loop, @escaping @Sendable (String) -> Void) -> Void
) async throws -> [String] {
    let loop = try Loop.standalone()
    let said = Said()
    await withCheckedContinuation { continuation in
        loop.perform {
            body(loop) { said.say($0) }
            continuation.resume()
        }
    }
    return await said.all(on: loop)
}

/// Does something on another thread, and waits until it is done.
private func elsewhere(_ work: @escaping @Sendable () -> Void) {
    final class Work: Sendable {
        let work: @Sendable () -> Void
        init(_ work: @escaping @Sendable () -> Void) { self.work = work }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Work(work)).toOpaque()
    let code = pthread_create(
        &thread, nil,
        { box in
            guard let box else { return nil }
            Unmanaged<Work>.fromOpaque(box).takeRetainedValue().work()
            return nil
        }, box)
    precondition(code == 0)
    pthread_join(thread, nil)
}

/// Gives its loop one call after the other, until its socket is ready; all of it on its loop's thread.
private final class Chain: Loop.Guest, @unchecked Sendable {
    private let loop: Loop
    private let pair: Pair
    private var count = 0
    private var told: CheckedContinuation<Int, Never>?

    init(_ loop: Loop, _ pair: Pair) {
        self.loop = loop
        self.pair = pair
    }

    func start(telling told: CheckedContinuation<Int, Never>) {
        self.told = told
        pair.say("x")
        do {
            try loop.watch(pair.near, for: .readable, self)
            next()
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private func next() {
        loop.performSoon {
            self.count += 1
            if self.told != nil, self.count < 2000 { self.next() }
        }
    }

    func ready(_ socket: Int32, _ readiness: Readiness) {
        loop.dismiss(socket)
        told?.resume(returning: count)
        told = nil
    }
}

/// Tells when nobody knows it any more.
private final class AtEnd {
    private let tell: () -> Void

    init(_ tell: @escaping () -> Void) { self.tell = tell }

    deinit { tell() }
}
