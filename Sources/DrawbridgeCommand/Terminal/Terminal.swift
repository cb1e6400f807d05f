import Glibc
import Synchronization

/// The terminal that is typed at: its mode, and who may use it.
///
/// Its mode is ours only while questions wait. It is never read or changed in the background, where it belongs to
/// somebody else, and the system would stop the whole process for trying.
final class Terminal: Sendable {
    /// What a process may do with its terminal.
    enum Standing {
        case foreground
        case background
        /// It was hung up.
        case gone
    }

    /// What came of waiting for a key.
    enum Input {
        case bytes([UInt8])
        case nothing
        case gone
    }

    private struct State {
        /// The mode before ours.
        var before: termios?
        var isEntered = false
        var isOver = false
    }

    private let descriptor: Int32
    private let editsLines: Bool
    private let state = Mutex(State())

    /// - Parameter editsLines: false where lines come as the terminal itself edits them, and its mode stays.
    init(_ descriptor: Int32, editsLines: Bool) {
        self.descriptor = descriptor
        self.editsLines = editsLines
    }

    /// Whether it is ours to use now.
    var standing: Standing {
        let group = tcgetpgrp(descriptor)
        return group < 0 ? .gone : group == getpgrp() ? .foreground : .background
    }

    /// Makes it send each key, unseen.
    ///
    /// What was typed before is dropped: it was no answer to a question that nobody had seen. Entering once more is
    /// right whenever others may have changed the mode.
    ///
    /// - Returns: whether it could be entered.
    func enter() -> Standing {
        state.withLock { state in
            let standing = standing
            guard standing == .foreground, !state.isOver else { return state.isOver ? .gone : standing }
            var mode = termios()
            guard tcgetattr(descriptor, &mode) == 0 else { return .gone }
            let isCooked = mode.c_lflag & tcflag_t(ICANON | ECHO) != 0
            if !state.isEntered || editsLines && isCooked { unstopped { _ = tcflush(descriptor, TCIFLUSH) } }
            state.isEntered = true
            // Where the terminal edits lines, its mode is a shell's: from before, or from while this process was
            // stopped. That is the mode to give back.
            guard editsLines, isCooked else { return .foreground }
            state.before = mode
            // Ctrl-C and Ctrl-Z still are signals.
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            // Reading never waits: that is what poll is for.
            mode[control: VMIN] = 0
            mode[control: VTIME] = 0
            unstopped { _ = tcsetattr(descriptor, TCSANOW, &mode) }
            return .foreground
        }
    }

    /// Gives it back as it was.
    ///
    /// - Parameter forGood: for the end of the process: entering does nothing from then on.
    func leave(forGood: Bool = false) {
        state.withLock { state in
            if forGood { state.isOver = true }
            state.isEntered = false
            guard var before = state.before else { return }
            state.before = nil
            // In the background the mode is that of whoever is in the foreground, and must stay.
            guard standing == .foreground else { return }
            unstopped { _ = tcsetattr(descriptor, TCSANOW, &before) }
        }
    }

    /// Waits for keys, or to be woken.
    func read(unless wakeup: Wakeup) -> Input {
        var waits = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waits, 2, -1) > 0 else { return .nothing }
        if waits[1].revents != 0 { wakeup.clear() }
        guard waits[0].revents != 0, standing != .background else { return .nothing }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unstopped { Glibc.read(descriptor, &bytes, bytes.count) }
        if count > 0 { return .bytes(Array(bytes[..<count])) }
        // Nothing at all is Ctrl-D in a line of the terminal's own; an error is what the background gets.
        let isHungUp = waits[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
        return isHungUp || standing == .gone ? .gone : .nothing
    }

    /// Does what would stop the process if it came to be in the background a moment ago.
    private func unstopped<Value>(_ body: () -> Value) -> Value {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTTIN)
        sigaddset(&signals, SIGTTOU)
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }
}

extension termios {
    /// One of the control characters, which Swift sees as a tuple.
    fileprivate subscript(control index: Int32) -> cc_t {
        get { withUnsafeBytes(of: c_cc) { $0[Int(index)] } }
        set { withUnsafeMutableBytes(of: &c_cc) { $0[Int(index)] = newValue } }
    }
}
