import EventLoop
import Testing

/// What belongs to a loop is touched on its thread: the three phases of a ``LoopBound``.
@Suite(.timeLimit(.minutes(1)))
struct LoopBoundTests {
    @Test func theLoopReachesItsOwnState() async throws {
        let count = LoopBound(1, to: try Loop.standalone())
        await withCheckedContinuation { continuation in
            count.loop.perform {
                count.value += 1
                continuation.resume()
            }
        }
        let value = await withCheckedContinuation { continuation in
            count.loop.perform { continuation.resume(returning: count.value) }
        }
        #expect(value == 2)
    }

    @Test func whoeverMakesTheLoopFillsInTheState() throws {
        let count = LoopBound(1, to: try Loop())
        count.value += 1
        #expect(count.value == 2)
    }

    @Test func theStateIsFreeWhenTheLoopHasEnded() async throws {
        let loop = try Loop()
        let count = LoopBound(1, to: loop)
        await withCheckedContinuation { continuation in
            do {
                try loop.start(LetGo { continuation.resume() }, socket: nil)
            } catch {
                Issue.record(error)
                continuation.resume()
            }
            loop.perform { loop.stop() }
        }
        count.value += 1
        #expect(count.value == 2)
    }

    @Test func anotherThreadThatReadsTheStateTraps() async {
        await #expect(processExitsWith: .failure) {
            let count = LoopBound(1, to: try Loop.standalone())
            await withCheckedContinuation { continuation in
                count.loop.perform { continuation.resume() }
            }
            print(count.value)
        }
    }

    @Test func anotherThreadThatChangesTheStateTraps() async {
        await #expect(processExitsWith: .failure) {
            let count = LoopBound(1, to: try Loop.standalone())
            await withCheckedContinuation { continuation in
                count.loop.perform { continuation.resume() }
            }
            count.value = 2
        }
    }

    @Test func aLoopTrapsOnTheStateOfAnother() async {
        await #expect(processExitsWith: .failure) {
            let count = LoopBound(1, to: try Loop.standalone())
            await withCheckedContinuation { continuation in
                count.loop.perform { continuation.resume() }
            }
            let other = try Loop.standalone()
            await withCheckedContinuation { continuation in
                other.perform {
                    count.value = 2
                    continuation.resume()
                }
            }
        }
    }
}

/// What a loop drives, which does nothing, and tells when its loop lets go of it: the last that a loop does.
private final class LetGo: Loop.Driven {
    private let tell: () -> Void

    init(_ tell: @escaping () -> Void) { self.tell = tell }

    deinit { tell() }

    func run() {}
    var timeout: Int32 { -1 }
    func accept() {}
    func changed(_ socket: Int32, _ events: UInt32) {}
    func tick() {}
}
