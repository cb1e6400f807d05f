import Dispatch
import Glibc

/// A child process with pipes of its own.
///
/// Foundation's pipes are inherited by every other child that is started meanwhile, and then never end.
package final class Child: Sendable {
    package struct Failure: Error { let message: String }

    package let processIdentifier: pid_t
    private let input: Int32
    private let exited: Task<Int32, Never>

    /// Starts a program; `onOutput` gets what it prints, on both outputs, and at last an empty array.
    ///
    /// - Parameter environment: what the program has in addition to our own environment, or instead of it.
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        onOutput: @escaping @Sendable ([UInt8]) -> Void
    ) throws {
        let (stdinRead, stdinWrite) = try Self.pipe()
        let (stdoutRead, stdoutWrite) = try Self.pipe()
        defer {
            close(stdinRead)
            close(stdoutWrite)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, stdinRead, 0)
        posix_spawn_file_actions_adddup2(&actions, stdoutWrite, 1)
        posix_spawn_file_actions_adddup2(&actions, stdoutWrite, 2)
        var pid = pid_t()
        var argv: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) }
        argv.append(nil)
        defer { for text in argv { free(text) } }
        var envp = Self.environment(with: environment)
        defer { for text in envp { free(text) } }
        var attributes = Self.attributes()
        defer { posix_spawnattr_destroy(&attributes) }
        let code = posix_spawnp(&pid, executable, &actions, &attributes, argv, &envp)
        guard code == 0 else {
            throw Failure(message: "cannot start \(executable): \(String(cString: strerror(code)))")
        }
        processIdentifier = pid
        input = stdinWrite
        exited = Self.end(of: pid)
        DispatchQueue(label: "child.output").async {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(stdoutRead, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                onOutput(Array(buffer.prefix(count)))
            }
            close(stdoutRead)
            onOutput([])
        }
    }

    deinit {
        kill(processIdentifier, SIGKILL)
        close(input)
    }

    package func write(_ bytes: [UInt8]) { _ = Glibc.write(input, bytes, bytes.count) }

    /// Ends what it reads.
    package func closeInput() { shutdown(input, Int32(SHUT_WR)) }

    package func terminate() { kill(processIdentifier, SIGTERM) }

    /// The exit code, or the number of a signal; a test whose time is over ends the child.
    package func exitCode() async -> Int32 {
        await withTaskCancellationHandler {
            await exited.value
        } onCancel: {
            kill(processIdentifier, SIGKILL)
        }
    }

    /// A child has all signals as a shell gives them: the thread that starts it may block some, and who started the
    /// tests, as `nohup` does, may ignore some.
    static func attributes(_ flags: Int16 = 0) -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, flags | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        return attributes
    }

    /// Waits for a child on a thread of its own; gives its exit code, or the number of the signal that ended it.
    static func end(of child: pid_t) -> Task<Int32, Never> {
        Task {
            let code = try? await blocking { () -> Int32 in
                var status: Int32 = 0
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                return status & 0x7F != 0 ? status & 0x7F : (status >> 8) & 0xFF
            }
            return code ?? -1
        }
    }

    /// Our own environment with some variables changed or added; the caller frees it.
    static func environment(with own: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
        var all: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let text = next.pointee {
            let name = String(cString: text).prefix { $0 != "=" }
            if own[String(name)] == nil { all.append(strdup(text)) }
            next += 1
        }
        for (name, value) in own { all.append(strdup("\(name)=\(value)")) }
        return all + [nil]
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        // Closed in every other child, from its first moment on.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw Failure(message: "no pipe: errno \(errno)")
        }
        return (ends[0], ends[1])
    }
}
