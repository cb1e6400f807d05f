import Glibc

/// Waits by `poll(2)`, which every system has, and which costs as much as there are sockets watched.
///
/// `poll` tells what is, not what has changed: what is told once is left out of the next wait, until somebody expects
/// it.
package struct PollWaiter: SocketWaiter, ~Copyable {
    /// A socket that is watched; its number is -1 where one was removed, until the next wait.
    private struct Entry {
        var socket: Int32
        var watched: Readiness
    }

    private var entries: [Entry] = []
    /// What the system is asked, one for each entry.
    ///
    /// The descriptor is -1 where nothing is asked.
    private var questions: [pollfd] = []
    private var places: [Int32: Int] = [:]
    /// The first question whose answer has not been taken; none has where it is behind the last.
    private var position = 0
    private var hasGaps = false

    #if os(Linux)
    /// `POLLRDHUP`, which Swift's Glibc leaves out.
    private static let peerClosed: Int16 = 0x2000
    #else
    /// Elsewhere a peer that has closed its side makes the socket readable, and that is all that is told.
    private static let peerClosed = Int16(POLLIN)
    #endif

    package init() throws {}

    package mutating func add(_ socket: Int32, for readiness: Readiness) throws {
        try check(socket)
        // Its number is there only when it was another's, which was closed before it was removed.
        remove(socket)
        places[socket] = entries.count
        entries.append(Entry(socket: socket, watched: readiness))
        questions.append(pollfd(fd: socket, events: Self.events(for: readiness), revents: 0))
    }

    package mutating func change(_ socket: Int32, for readiness: Readiness) throws {
        try check(socket)
        guard let place = places[socket] else { throw SystemError("cannot watch a socket", code: ENOENT) }
        entries[place].watched = readiness
        questions[place].fd = socket
        questions[place].events = Self.events(for: readiness)
    }

    /// `poll` itself takes any number, and says in its next wait that it is no socket's.
    private func check(_ socket: Int32) throws {
        guard fcntl(socket, F_GETFD) >= 0 else { throw SystemError("cannot watch a socket") }
    }

    package mutating func expect(_ readiness: Readiness, on socket: Int32) {
        guard let place = places[socket] else { return }
        questions[place].fd = socket
        questions[place].events |= Self.events(for: readiness.intersection(entries[place].watched))
    }

    package mutating func remove(_ socket: Int32) {
        guard let place = places.removeValue(forKey: socket) else { return }
        entries[place].socket = -1
        questions[place] = pollfd(fd: -1, events: 0, revents: 0)
        hasGaps = true
    }

    package mutating func wait(milliseconds: Int32) {
        if hasGaps { closeGaps() }
        let count = poll(&questions, nfds_t(questions.count), milliseconds)
        position = count > 0 ? 0 : questions.count
    }

    private mutating func closeGaps() {
        hasGaps = false
        var kept = 0
        for place in entries.indices where entries[place].socket >= 0 {
            entries[kept] = entries[place]
            questions[kept] = questions[place]
            places[entries[kept].socket] = kept
            kept += 1
        }
        entries.removeLast(entries.count - kept)
        questions.removeLast(questions.count - kept)
    }

    package mutating func next() -> (socket: Int32, readiness: Readiness)? {
        while position < questions.count {
            let place = position
            position += 1
            let answer = questions[place].revents
            guard answer != 0 else { continue }
            questions[place].revents = 0
            let entry = entries[place]
            // It was closed before it was removed.
            guard answer & Int16(POLLNVAL) == 0 else {
                remove(entry.socket)
                continue
            }
            let readiness = Self.readiness(answer)
            if entry.watched.contains(.onceEach) {
                questions[place].events &= ~answer
                // These are told whether they are asked for or not.
                if !readiness.isDisjoint(with: [.hungUp, .failed]) { questions[place].fd = -1 }
            }
            return (entry.socket, readiness)
        }
        return nil
    }

    package static func makeWakeUp() throws -> WakeUp {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("cannot make a pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        return WakeUp(reader: ends[0], writer: ends[1])
    }

    /// What is shared is told to all: `poll` knows no other way.
    private static func events(for readiness: Readiness) -> Int16 {
        var events: Int16 = 0
        if readiness.contains(.readable) { events |= Int16(POLLIN) }
        if readiness.contains(.writable) { events |= Int16(POLLOUT) }
        if readiness.contains(.closed) { events |= peerClosed }
        return events
    }

    private static func readiness(_ events: Int16) -> Readiness {
        var readiness: Readiness = []
        if events & Int16(POLLIN) != 0 { readiness.insert(.readable) }
        if events & Int16(POLLOUT) != 0 { readiness.insert(.writable) }
        if events & peerClosed != 0 { readiness.insert(.closed) }
        if events & Int16(POLLHUP) != 0 { readiness.insert(.hungUp) }
        if events & Int16(POLLERR) != 0 { readiness.insert(.failed) }
        return readiness
    }
}
