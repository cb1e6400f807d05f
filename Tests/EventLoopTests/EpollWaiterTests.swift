import EventLoop
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5)))
final class EpollWaiterTests {
    /// They are open until the test is over.
    private var pairs: [Pair] = []

    private func pair() throws -> Pair {
        let new = try Pair()
        pairs.append(new)
        return new
    }

    @Test func aReadySocketIsReportedAsLongAsItIsReady() throws {
        let waiter = try Waiter()
        let (one, other) = (try pair(), try pair())
        try waiter.add(one.near, for: .readable)
        try waiter.add(other.near, for: .readable)
        #expect(waiter.ready(within: 0) == [:])
        one.say("x")
        #expect(waiter.ready(within: 1000) == [one.near: .readable])
        #expect(waiter.ready(within: 1000) == [one.near: .readable])
        one.hear()
        #expect(waiter.ready(within: 0) == [:])
    }

    @Test func onlyTheWatchedEventsOfASocketAreReported() throws {
        let waiter = try Waiter()
        let pair = try self.pair()
        pair.say("x")
        try waiter.add(pair.near, for: .writable)
        #expect(waiter.ready(within: 1000) == [pair.near: .writable])
        try waiter.change(pair.near, for: [.readable, .writable])
        #expect(waiter.ready(within: 1000) == [pair.near: [.readable, .writable]])
        try waiter.change(pair.near, for: .readable)
        #expect(waiter.ready(within: 1000) == [pair.near: .readable])
        try waiter.change(pair.near, for: [])
        #expect(waiter.ready(within: 0) == [:])
    }

    @Test func aRemovedSocketIsNoLongerReported() throws {
        let waiter = try Waiter()
        let pairs = try (0..<3).map { _ in try pair() }
        for pair in pairs {
            try waiter.add(pair.near, for: .readable)
            pair.say("x")
        }
        waiter.remove(pairs[0].near)
        waiter.remove(pairs[0].near)
        #expect(waiter.ready(within: 1000).keys.sorted() == [pairs[1].near, pairs[2].near].sorted())
        try waiter.add(pairs[0].near, for: .readable)
        #expect(waiter.ready(within: 1000).count == 3)
    }

    /// Who is told of one socket may close another, whose number is the next one's from then on.
    @Test func aSocketThatIsRemovedDuringARoundIsNotReported() throws {
        let waiter = try Waiter()
        let pairs = try (0..<3).map { _ in try pair() }
        for pair in pairs {
            try waiter.add(pair.near, for: .readable)
            pair.say("x")
        }
        waiter.wait(milliseconds: 1000)
        let first = try #require(waiter.next())
        let others = pairs.filter { $0.near != first.socket }
        waiter.remove(others[0].near)
        // As the next socket of its number.
        try waiter.add(others[0].near, for: .writable)
        #expect(waiter.next()?.socket == others[1].near)
        #expect(waiter.next() == nil)
        #expect(waiter.ready(within: 1000)[others[0].near] == .writable)
    }

    @Test func socketsThatAreAddedDuringARoundWaitForTheNext() throws {
        let waiter = try Waiter()
        let (one, other) = (try pair(), try pair())
        one.say("x")
        other.say("x")
        try waiter.add(one.near, for: .readable)
        waiter.wait(milliseconds: 1000)
        try waiter.add(other.near, for: .readable)
        #expect(waiter.next()?.socket == one.near)
        #expect(waiter.next() == nil)
        #expect(waiter.ready(within: 1000).count == 2)
    }

    @Test func thePeersHalfCloseIsReported() throws {
        let waiter = try Waiter()
        let pair = try self.pair()
        try waiter.add(pair.near, for: [.readable, .closed])
        shutdown(pair.far, Int32(SHUT_WR))
        #expect(waiter.ready(within: 1000) == [pair.near: [.readable, .closed]])
        try waiter.change(pair.near, for: .closed)
        #expect(waiter.ready(within: 1000) == [pair.near: .closed])
    }

    @Test func hangingUpIsReportedWhateverASocketIsWatchedFor() throws {
        let waiter = try Waiter()
        let pair = try self.pair()
        try waiter.add(pair.near, for: [])
        #expect(waiter.ready(within: 0) == [:])
        pair.closeFar()
        #expect(waiter.ready(within: 1000) == [pair.near: .hungUp])
        #expect(waiter.ready(within: 1000) == [pair.near: .hungUp])
    }

    /// A peer that closes with something unread breaks the connection.
    @Test func aBrokenConnectionIsReported() throws {
        let waiter = try Waiter()
        let pair = try self.pair()
        try waiter.add(pair.near, for: [.closed, .onceEach])
        precondition(write(pair.near, "x", 1) == 1)
        pair.closeFar()
        let told = waiter.ready(within: 1000)[pair.near] ?? []
        #expect(told.isSuperset(of: [.closed, .hungUp, .failed]))
        #expect(waiter.ready(within: 0) == [:])
    }

    @Test func anEdgeTriggeredEventIsReportedAgainAfterItEnded() throws {
        let waiter = try Waiter()
        let pair = try self.pair()
        try waiter.add(pair.near, for: [.readable, .writable, .closed, .onceEach])
        #expect(waiter.ready(within: 1000) == [pair.near: .writable])
        #expect(waiter.ready(within: 0) == [:])
        pair.say("x")
        #expect(waiter.ready(within: 1000)[pair.near]?.contains(.readable) == true)
        #expect(waiter.ready(within: 0) == [:])
        pair.hear()
        #expect(waiter.ready(within: 0) == [:])
        pair.say("y")
        #expect(waiter.ready(within: 1000)[pair.near]?.contains(.readable) == true)
        pair.closeFar()
        #expect(waiter.ready(within: 1000)[pair.near]?.isSuperset(of: [.closed, .hungUp]) == true)
        #expect(waiter.ready(within: 0) == [:])
    }

    @Test func roomToWriteIsReportedAgainAfterItWasUsedUp() throws {
        let waiter = try Waiter()
        let pair = try self.pair()
        try waiter.add(pair.near, for: [.writable, .onceEach])
        #expect(waiter.ready(within: 1000) == [pair.near: .writable])
        let bytes = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        while true {
            let written = write(pair.near, bytes, bytes.count)
            if written < 0 { break }
            count += written
        }
        #expect(waiter.ready(within: 0) == [:])
        var buffer = bytes
        while count > 0 { count -= read(pair.far, &buffer, buffer.count) }
        #expect(waiter.ready(within: 1000) == [pair.near: .writable])
    }

    @Test func waitingEndsAfterTheGivenTime() throws {
        let waiter = try Waiter()
        let pair = try self.pair()
        try waiter.add(pair.near, for: .readable)
        let start = ContinuousClock.now
        #expect(waiter.ready(within: 50) == [:])
        #expect(ContinuousClock.now - start >= .milliseconds(49))
    }

    @Test func manySocketsCanBeWatchedAtOnce() throws {
        let waiter = try Waiter()
        let pairs = try (0..<300).map { _ in try pair() }
        for pair in pairs { try waiter.add(pair.near, for: .readable) }
        pairs[299].say("x")
        #expect(waiter.ready(within: 1000) == [pairs[299].near: .readable])
        for pair in pairs { pair.say("x") }
        // They may come in several rounds.
        var told: Set<Int32> = []
        for _ in 0..<4 where told.count < 300 {
            for socket in waiter.ready(within: 1000).keys {
                told.insert(socket)
                waiter.remove(socket)
            }
        }
        #expect(told == Set(pairs.map(\.near)))
        #expect(waiter.ready(within: 0) == [:])
    }

    @Test func invalidDescriptorsAreNotWatched() throws {
        let waiter = try Waiter()
        #expect(throws: SystemError.self) { try waiter.add(-1, for: .readable) }
        let pair = try self.pair()
        #expect(throws: SystemError.self) { try waiter.change(pair.near, for: .readable) }
        try waiter.add(pair.near, for: .readable)
        waiter.remove(pair.near)
        #expect(throws: SystemError.self) { try waiter.change(pair.near, for: .readable) }
        pair.say("x")
        #expect(waiter.ready(within: 0) == [:])
    }

    /// In a process of its own, where nobody else opens so much that the numbers are reached.
    @Test func aSocketThatWasClosedBeforeItsRemovalIsForgotten() async {
        await #expect(processExitsWith: .success) { try closeWhatIsWatched() }
    }

    @Test func anotherThreadEndsTheWait() throws {
        let waiter = try Waiter()
        let wakeUp = try WakeUp()
        try waiter.add(wakeUp.descriptor, for: .readable)
        #expect(waiter.ready(within: 0) == [:])
        wakeUp.ring()
        #expect(waiter.ready(within: 1000) == [wakeUp.descriptor: .readable])
        wakeUp.clear()
        #expect(waiter.ready(within: 0) == [:])
        wakeUp.clear()
        wakeUp.ring()
        #expect(waiter.ready(within: 1000) == [wakeUp.descriptor: .readable])
    }
}

/// Closes a socket that has something to read and is watched, and watches the next one of its number.
private func closeWhatIsWatched() throws {
    let waiter = try Waiter()
    let (number, far) = try pair(from: 700)
    precondition(write(far, "x", 1) == 1)
    try waiter.add(number, for: .readable)
    close(number)
    precondition(waiter.ready(within: 0) == [:])
    do {
        try waiter.change(number, for: .writable)
        preconditionFailure("one that is closed was watched for something else")
    } catch {}
    try waiter.add(far, for: .readable)
    close(far)
    let next = try pair(from: 700)
    precondition(next == (number, far))
    try waiter.add(number, for: .writable)
    try waiter.add(far, for: .writable)
    precondition(waiter.ready(within: 1000) == [number: .writable, far: .writable])
}

/// Two sockets with the first numbers from this one on that are free.
private func pair(from number: Int32) throws -> (Int32, Int32) {
    let (near, far) = try pair()
    defer {
        close(near)
        close(far)
    }
    return (fcntl(near, F_DUPFD, number), fcntl(far, F_DUPFD, number))
}

/// A waiter as an object, which the macros of tests can call.
private final class Waiter {
    private var waiter: EpollWaiter

    init() throws { waiter = try EpollWaiter() }

    func add(_ socket: Int32, for readiness: Readiness) throws { try waiter.add(socket, for: readiness) }
    func change(_ socket: Int32, for readiness: Readiness) throws {
        try waiter.change(socket, for: readiness)
    }
    func remove(_ socket: Int32) { waiter.remove(socket) }
    func wait(milliseconds: Int32) { waiter.wait(milliseconds: milliseconds) }
    func next() -> (socket: Int32, readiness: Readiness)? { waiter.next() }

    /// All that is ready.
    func ready(within milliseconds: Int32) -> [Int32: Readiness] {
        wait(milliseconds: milliseconds)
        var ready: [Int32: Readiness] = [:]
        while let (socket, readiness) = next() { ready[socket] = readiness }
        return ready
    }
}
