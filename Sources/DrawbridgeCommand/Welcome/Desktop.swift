import Drawbridge
import Glibc

/// Opens URLs on the desktop of the person who runs the gateway.
enum Desktop {
    /// Opens a URL with a secret in it, which must not be in a program's arguments.
    ///
    /// - Returns: a file that redirects to it, to be removed after use.
    static func open(secretly url: String) throws -> RedirectFile {
        let file = try RedirectFile(to: url)
        do {
            try open(file.path)
        } catch {
            file.remove()
            throw error
        }
        return file
    }

    /// Hands a URL to the program that the desktop opens it with; returns at once.
    ///
    /// - Throws: a 501 where there is no desktop to do that.
    static func open(_ url: String) throws {
        // In a process group of its own the browser does not get the Ctrl-C that ends the gateway.
        var attributes = posix_spawnattr_t.ofOwnGroup()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        defer {
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&actions)
        }
        // The shell starts it in the background, and its exit code says whether there is an xdg-open.
        let script = "command -v xdg-open >/dev/null || exit 127; xdg-open \"$0\" &"
        var arguments = ["sh", "-c", script, url].map { (text: String) in strdup(text) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        var status: Int32 = 0
        let code = posix_spawnp(&process, "sh", &actions, &attributes, &arguments, environ)
        if code == 0 { while waitpid(process, &status, 0) < 0, errno == EINTR {} }
        guard code == 0, status == 0 else {
            throw HTTPError(
                .notImplemented,
                "cannot open \(url): there is no xdg-open here; open it by hand, or install xdg-utils")
        }
    }
}

extension posix_spawnattr_t {
    /// Attributes for a program in a process group of its own; the caller destroys them.
    ///
    /// Signals that this process ignores or blocks have their default effect in the program.
    static func ofOwnGroup() -> Self {
        var attributes = Self()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        return attributes
    }
}
