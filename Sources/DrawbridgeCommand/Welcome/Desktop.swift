import Glibc

enum Desktop {
    /// Opens a URL with the desktop's default program; returns immediately.
    static func open(_ url: String) throws {
        // The shell starts xdg-open in the background, where nobody hears that it fails without a display.
        let mark = "$DISPLAY$WAYLAND_DISPLAY$BROWSER$WSL_DISTRO_NAME"
        let script = "[ \"\(mark)\" ] && command -v xdg-open >/dev/null || exit 127; xdg-open \"$0\" &"
        var status: Int32 = 0
        let process = start(["sh", "-c", script, url])
        if let process { while waitpid(process, &status, 0) < 0, errno == EINTR {} }
        guard process != nil, status == 0 else {
            throw HTTPError(
                .notImplemented,
                "cannot open \(url): no display here (DISPLAY, WAYLAND_DISPLAY), or no xdg-open (install xdg-utils); open it by hand"
            )
        }
    }

    /// Starts a program in its own process group, so that Ctrl-C, which stops the gateway, does not stop it.
    ///
    /// Signals that this process ignores or blocks are reset to their defaults.
    private static func start(_ words: [String]) -> pid_t? {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var arguments = words.map { (text: String) in strdup(text) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
        return code == 0 ? process : nil
    }
}
