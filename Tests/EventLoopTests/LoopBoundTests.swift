import EventLoop
import Glibc
import TestSupport
import Testing

/// What belongs to a loop is touched on its thread: the three phases of a ``LoopBound``.
@Suite(.timeLimit(.minutes(5)))
struct LoopBoundTests {
    @Test func aLoopMayUseItsOwnState() async throws {
        let loop = try Loop.standalone()
        let count = LoopBound(1, to: loop)
        await withCheckedContinuation { continuation in
            loop.perform {
                count.value += 1
                continuation.resume()
            }
        }
        let value = await withCheckedContinuation { continuation in
            loop.perform { continuation.resume(returning: count.value) }
        }
        #expect(value == 2)
    }

    @Test func theCreatorOfALoopMaySetItsStateBeforeTheStart() throws {
        let count = LoopBound(1, to: try Loop())
        count.value += 1
        #expect(count.value == 2)
    }

    @Test func anyThreadMayUseTheStateAfterTheLoopHasEnded() async throws {
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
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try Loop.standalone()
            let count = LoopBound(1, to: loop)
            await withCheckedContinuation { continuation in
                loop.perform { continuation.resume() }
            }
            print(count.value)
        }
    }

    @Test func anotherThreadThatChangesTheStateTraps() async {
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try Loop.standalone()
            let count = LoopBound(1, to: loop)
            await withCheckedContinuation { continuation in
                loop.perform { continuation.resume() }
            }
            count.value = 2
        }
    }

    @Test func usingTheStateOfAnotherLoopTraps() async {
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try Loop.standalone()
            let count = LoopBound(1, to: loop)
            await withCheckedContinuation { continuation in
                loop.perform { continuation.resume() }
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

    @Test func aLoopsOwnStateTrapsOnAnotherThread() async {
        await #expect(processExitsWith: .signal(trap)) { try await running().stop() }
        await #expect(processExitsWith: .signal(trap)) { try await running().setRunDue() }
        await #expect(processExitsWith: .signal(trap)) { try await running().attachment = nil }
        await #expect(processExitsWith: .signal(trap)) { try await running().listen(on: pair().0) }
        await #expect(processExitsWith: .signal(trap)) { try await running().stopListening() }
        await #expect(processExitsWith: .signal(trap)) { try await running().drainTasks(atMost: 1) { false } }
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try await running()
            print(loop.isListening)
        }
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try await running()
            try loop.start(LetGo {}, socket: nil)
        }
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try Loop()
            let (near, _) = try pair()
            try loop.watch(near, for: .readable, Deaf())
            try loop.start(LetGo {}, socket: nil)
            await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
            try loop.change(near, .writable)
        }
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try await running()
            loop.setTimer(for: Deaf(), in: 1)
        }
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try await running()
            try loop.watch(pair().0, for: .readable, Deaf())
        }
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try await running()
            loop.dismiss(0)
        }
    }

    /// The same calls are good before the thread runs.
    @Test func theCreatorOfALoopMayUseTheLoopsOwnStateBeforeTheStart() throws {
        let loop = try Loop()
        loop.setRunDue()
        loop.setTimer(for: Deaf(), in: 1)
        let (reader, writer) = try pair()
        let socket = WatchedSocket(reader, on: loop)
        try socket.watch(for: .readable, Deaf())
        socket.close()
        close(writer)
    }
}

/// A socket and its place on a loop, which one object owns.
@Suite(.timeLimit(.minutes(5)))
struct WatchedSocketTests {
    @Test func closingAWatchedSocketWithoutItsLoopTraps() async {
        await #expect(processExitsWith: .signal(trap)) {
            let loop = try Loop()
            let (reader, _) = try pair()
            try loop.watch(reader, for: .readable, Deaf())
            close(reader)
            try loop.watch(reader, for: .writable, Deaf())
        }
    }

    @Test func aSocketIsWatchedAndReleasedOnItsLoopOnly() async {
        await #expect(processExitsWith: .signal(trap)) {
            let socket = WatchedSocket(try pair().0, on: try await running())
            try socket.watch(for: .readable, Deaf())
        }
        await #expect(processExitsWith: .signal(trap)) {
            let socket = WatchedSocket(try pair().0, on: try await running())
            socket.close()
        }
        await #expect(processExitsWith: .signal(trap)) {
            let socket = WatchedSocket(try pair().0, on: try await running())
            socket.release()
        }
    }

    /// The system gives its number to the next socket, which must be told of nothing that was meant for this one.
    ///
    /// In a process of its own, where nobody else opens anything.
    @Test func aSocketThatReusesADescriptorNumberIsWatchedAnew() async {
        await #expect(processExitsWith: .success) {
            let loop = try Loop.standalone()
            let heard = Heard()
            try await withCheckedThrowingContinuation { continuation in
                loop.perform { continuation.resume(with: Result { try replaceSocket(on: loop, heard) }) }
            }
            let byte = await heard.first()
            precondition(byte == UInt8(ascii: "y"))
        }
    }
}

/// Closes a socket that has something to read, and watches the next one of its number.
private func replaceSocket(on loop: Loop, _ heard: Heard) throws {
    let (first, writer) = try pair()
    let socket = WatchedSocket(first, on: loop)
    try socket.watch(for: .readable, Deaf())
    precondition(write(writer, "x", 1) == 1)
    socket.close()
    let (next, nextWriter) = try pair()
    precondition(next == first)
    // It may be called again, when the number is another's.
    socket.close()
    let other = WatchedSocket(next, on: loop)
    try other.watch(for: .readable, heard)
    heard.socket = other
    precondition(write(nextWriter, "y", 1) == 1)
}

/// A loop whose thread runs.
private func running() async throws -> Loop {
    let loop = try Loop.standalone()
    await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
    return loop
}

/// A guest that does nothing.
private final class Deaf: Loop.Guest {
    func ready(_ socket: Int32, _ readiness: Readiness) {}
}

/// A guest that reads one byte, and closes its socket; all of it on its loop's thread.
private final class Heard: Loop.Guest, @unchecked Sendable {
    var socket: WatchedSocket?
    private let bytes: AsyncStream<UInt8>
    private let tell: AsyncStream<UInt8>.Continuation

    init() { (bytes, tell) = AsyncStream.makeStream() }

    func ready(_ socket: Int32, _ readiness: Readiness) {
        var byte: UInt8 = 0
        guard read(socket, &byte, 1) == 1 else { return }
        self.socket?.close()
        tell.yield(byte)
        tell.finish()
    }

    func first() async -> UInt8? {
        for await byte in bytes { return byte }
        return nil
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
    func tick() {}
}
