import Glibc

/// A headless browser with a fresh profile, which shows one page.
///
/// It is a process group of its own, so that all of it can be ended.
struct TestBrowser {
    private static let known = [
        "chromium": ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
        "firefox": ["firefox", "firefox-esr"],
    ]

    private let process: pid_t
    private let output: String

    // MARK: Which one

    /// The path of a browser.
    ///
    /// - Parameter name: `chromium` or `firefox`, a path, or the name of a program; nil for the first that there is.
    /// - Throws: a ``Failure`` that says what to install or to name.
    static func find(_ name: String?) throws -> String {
        let words = name.map { known[$0] ?? [$0] } ?? ["chromium", "firefox"].flatMap { known[$0] ?? [] }
        let folders = getenv("PATH").map { String(cString: $0).split(separator: ":") } ?? []
        for word in words {
            let paths = word.contains("/") ? [word] : folders.map { "\($0)/\(word)" }
            if let path = paths.first(where: isProgram) { return path }
        }
        guard let word = words.first, words.count == 1 else {
            throw Failure(
                "there is no browser: none of \(words.joined(separator: ", ")) is on the PATH; install one "
                    + "(apt-get install chromium), or name one: --browser /path/to/chromium")
        }
        throw Failure(
            "there is no program \(word); name one that is there: --browser chromium, firefox, or a path")
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    // MARK: Its life

    /// Starts the browser.
    ///
    /// - Parameters:
    ///   - program: its path; a file name with `firefox` in it is Firefox, any other takes Chromium's options.
    ///   - folder: where it keeps its profile, and what it prints.
    init(_ program: String, opens url: String, in folder: TestFolder) throws {
        output = "\(folder.path)/output"
        let isFirefox = program.split(separator: "/").last?.contains("firefox") == true
        let options =
            isFirefox ? try Self.firefox(folder) : Self.chromium(folder)
        // Its temporary files are in the folder too, and are removed with it.
        let words = ["env", "TMPDIR=\(folder.path)", program] + options + [url]
        let (process, code) = pid_t.start(words, output: output)
        guard code == 0 else { throw Failure("cannot start \(program): \(String(cString: strerror(code)))") }
        self.process = process
    }

    private static func chromium(_ folder: TestFolder) -> [String] {
        [
            "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--disable-breakpad", "--user-data-dir=\(folder.path)/profile",
        ]
            // Its sandbox does not work for root.
            + (geteuid() == 0 ? ["--no-sandbox"] : [])
    }

    private static func firefox(_ folder: TestFolder) throws -> [String] {
        let profile = "\(folder.path)/profile"
        mkdir(profile, 0o700)
        // Without these, it shows pages of its own at its first start, before ours.
        let settings = [
            "browser.aboutwelcome.enabled", "browser.shell.checkDefaultBrowser",
            "datareporting.policy.dataSubmissionEnabled", "app.update.enabled",
        ]
        _ = try folder.write(
            "profile/user.js", settings.map { "user_pref(\"\($0)\", false);\n" }.joined())
        return ["--headless", "--no-remote", "--profile", profile]
    }

    /// Waits until the process fails; one that ends with 0 has not, as it may have left its work to another process.
    ///
    /// - Throws: where the task is cancelled first.
    func untilItFails() async throws {
        while true {
            var info = siginfo_t()
            // WNOWAIT leaves a zombie, so that its id is not reused before its process group is killed.
            waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT)
            let hasEnded = info.si_signo == SIGCHLD
            if hasEnded, info.si_code != CLD_EXITED || info._sifields._sigchld.si_status != 0 { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// The last lines of its output, to tell why it has not opened the page.
    var lastWords: String {
        guard let text = try? FileText(output).bytes else { return "" }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").suffix(5).joined(
            separator: " | ")
    }

    func end() {
        // Its profile is removed anyway, so it needs no time for an orderly end.
        kill(-process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
        // The other processes of its group end a moment later. Where nobody reaps zombies they stay for ever, so this
        // waits for a second at most.
        for _ in 0..<100 where kill(-process, 0) == 0 { usleep(10_000) }
    }
}
