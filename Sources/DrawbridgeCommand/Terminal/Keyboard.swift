import Dispatch
import Glibc

/// Reads the lines that are typed at a terminal, which does the line editing.
///
/// It has a thread of its own for the life of the process. It does not read while the process is in the background: the
/// system would stop the process for that (SIGTTIN).
final class Keyboard: Sendable {
    /// What a process may do with its terminal.
    enum Standing {
        case foreground
        case background
        /// The terminal is closed.
        case gone
    }

    private let descriptor: Int32
    private let presenter: TerminalPresenter

    init(_ descriptor: Int32, for presenter: TerminalPresenter) {
        self.descriptor = descriptor
        self.presenter = presenter
    }

    func start() {
        // Questions are not answered any more: the stop of the server cancels their requests.
        for number in [SIGINT, SIGTERM] { onSignal(number) { [presenter] in presenter.leave() } }
        DispatchQueue(label: "drawbridge.terminal").async { self.run() }
    }

    static func standing(at descriptor: Int32) -> Standing {
        let group = tcgetpgrp(descriptor)
        return group < 0 ? .gone : group == getpgrp() ? .foreground : .background
    }

    private func run() {
        // With SIGTTIN blocked, a read in the background fails, and does not stop the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTTIN)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var typed: [UInt8] = []
        while true {
            switch Self.standing(at: descriptor) {
            case .foreground: break
            case .background:
                // There is no notification of a return to the foreground.
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
