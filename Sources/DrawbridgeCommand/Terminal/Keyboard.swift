import Dispatch
import Glibc

/// Reads the lines that are typed at a terminal, which edits them itself.
///
/// It lives as long as the process, on a thread of its own. In the background the terminal is somebody else's and is not
/// read: the system would stop the whole process for trying.
final class Keyboard: Sendable {
    /// What a process may do with its terminal.
    enum Standing {
        case foreground
        case background
        /// It was hung up.
        case gone
    }

    private let descriptor: Int32
    private let presenter: TerminalPresenter

    init(_ descriptor: Int32, for presenter: TerminalPresenter) {
        self.descriptor = descriptor
        self.presenter = presenter
    }

    func start() {
        // Nobody answers any more; callers get what the stop gives them.
        for number in [SIGINT, SIGTERM] { onSignal(number) { [presenter] in presenter.leave() } }
        DispatchQueue(label: "drawbridge.terminal").async { self.run() }
    }

    static func standing(at descriptor: Int32) -> Standing {
        let group = tcgetpgrp(descriptor)
        return group < 0 ? .gone : group == getpgrp() ? .foreground : .background
    }

    private func run() {
        // Where the process comes to be in the background just before it reads, reading fails, and stops nothing.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTTIN)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var typed: [UInt8] = []
        while true {
            switch Self.standing(at: descriptor) {
            case .foreground: break
            case .background:
                // Nothing tells that the foreground is ours again.
                usleep(250_000)
                continue
            case .gone: return presenter.end()
            }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, -1) > 0, Self.standing(at: descriptor) != .background else { continue }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            if count > 0 {
                typed += bytes[..<count]
                while let end = typed.firstIndex(of: UInt8(ascii: "\n")) {
                    presenter.take(String(decoding: typed[..<end], as: UTF8.self))
                    typed.removeSubrange(...end)
                }
            } else if wait.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
                return presenter.end()
            }
        }
    }
}
