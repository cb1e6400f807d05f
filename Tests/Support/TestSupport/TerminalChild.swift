import Dispatch
import Glibc
import Synchronization

/// A child process at a terminal of its own: a pseudo-terminal that controls its session.
package final class TerminalChild: Sendable {
    package struct Failure: Error { let message: String }

    package let processIdentifier: pid_t
    private let keyboard: Mutex<Int32>
    /// Closed to make the thread that reads let go of the terminal.
    private let reading: Mutex<Int32>
    private let exited: Task<Int32, Never>

    /// Starts a program; `onOutput` gets what appears on the terminal, and at last an empty array.
    ///
    /// - Parameter environment: added to that of the test.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String],
        onOutput: @escaping @Sendable ([UInt8]) -> Void
    ) throws {
        let (ours, theirs) = try Self.open()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        // POSIX_SPAWN_SETSID, which is not imported: the terminal that is opened first then controls the session.
        var attributes = Child.attributes(0x80)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, theirs, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var argv = ([executable] + arguments).map { (text: String) in strdup(text) } + [nil]
        var envp = Child.environment(with: environment)
        defer { for text in argv + envp { free(text) } }
        var pid = pid_t()
        let code = posix_spawnp(&pid, executable, &actions, &attributes, &argv, &envp)
        guard code == 0 else {
            close(ours)
            throw Failure(message: "cannot start \(executable): \(String(cString: strerror(code)))")
        }
        processIdentifier = pid
        keyboard = Mutex(ours)
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        let isOver = ends[0]
        reading = Mutex(ends[1])
        exited = Child.end(of: pid)
        // A copy, so that hanging up does not take the descriptor from under the thread.
        let screen = fcntl(ours, F_DUPFD_CLOEXEC, 0)
        DispatchQueue(label: "terminal.output").async {
            Self.read(screen, until: isOver, onOutput)
            close(screen)
            close(isOver)
            onOutput([])
        }
    }

    deinit {
        kill(processIdentifier, SIGKILL)
        hangUp()
    }

    /// Presses keys.
    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        keyboard.withLock { _ = write($0, bytes, bytes.count) }
    }

    package func send(_ signal: Int32) { kill(processIdentifier, signal) }

    /// The exit code, or the number of a signal; a test whose time is over ends the child.
    package func exitCode() async -> Int32 {
        await withTaskCancellationHandler {
            await exited.value
        } onCancel: {
            kill(processIdentifier, SIGKILL)
        }
    }

    /// Takes the terminal away.
    package func hangUp() {
        for end in [keyboard.take(), reading.take()] where end >= 0 { close(end) }
    }

    /// The terminal's mode, as its local flags.
    package var mode: tcflag_t {
        get {
            var mode = termios()
            return keyboard.withLock { tcgetattr($0, &mode) } == 0 ? mode.c_lflag : 0
        }
        set {
            var mode = termios()
            keyboard.withLock { descriptor in
                tcgetattr(descriptor, &mode)
                mode.c_lflag = newValue
                tcsetattr(descriptor, TCSANOW, &mode)
            }
        }
    }

    /// By the requests of ioctl_tty(2): the functions for it are not imported.
    private static func open() throws -> (ours: Int32, theirs: String) {
        let unlock: UInt = 0x4004_5431
        let number: UInt = 0x8004_5430
        let ours = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var index: Int32 = 0
        guard ours >= 0, ioctl(ours, unlock, &isLocked) == 0, ioctl(ours, number, &index) == 0 else {
            throw Failure(message: "no terminal: errno \(errno)")
        }
        return (ours, "/dev/pts/\(index)")
    }

    private static func read(_ screen: Int32, until isOver: Int32, _ onOutput: ([UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var waits = [screen, isOver].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&waits, 2, -1) > 0 else { continue }
            if waits[1].revents != 0 { return }
            let count = Glibc.read(screen, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // An error is the end too: nobody has the terminal open any more.
            guard count > 0 else { return }
            onOutput(Array(buffer.prefix(count)))
        }
    }
}

extension Mutex<Int32> {
    /// The descriptor, which is then no longer there.
    fileprivate borrowing func take() -> Int32 {
        withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
    }
}
