import Foundation
import TestSupport
import Testing

/// A browser, opened with a page that tests itself and reports what it saw.
enum Browser: String, CaseIterable, Sendable {
    case chromium, firefox, webKit

    /// Those that are tried: those that `DRAWBRIDGE_BROWSERS` names with commas between, Chromium alone without it.
    static let tried: [Browser] = {
        guard let names = getenv("DRAWBRIDGE_BROWSERS") else { return [.chromium] }
        return String(cString: names).split(separator: ",").map { name in
            guard let browser = Browser(rawValue: String(name)) else {
                fatalError("DRAWBRIDGE_BROWSERS names \(name); write some of \(allCases.map(\.rawValue))")
            }
            return browser
        }
    }()

    /// For tests of what only one of them tells.
    var isTried: Bool { Self.tried.contains(self) }

    /// True in `scripts/test --all`.
    static let isThorough = getenv("DRAWBRIDGE_ALL") != nil

    /// A name that these browsers find on this machine, as if somebody had rebound it.
    static let reboundName = "rebound.test"

    struct Ended: Error, CustomStringConvertible { let description: String }

    /// Opens a page in a browser with a fresh profile, waits for its report, and ends the browser.
    ///
    /// Where the browser is missing, the test is skipped, and says so.
    ///
    /// - Throws: an ``Ended`` when the browser ends before it.
    func open<Report: Sendable>(
        _ url: String, until report: @escaping @Sendable () async throws -> Report
    ) async throws -> Report {
        try skipWhereMissing()
        let profile = try Folder()
        let display = self == .webKit ? try await Display() : nil
        defer { withExtendedLifetime((profile, display)) {} }
        var url = url
        if url.hasPrefix("file:") {
            // Not every browser takes a query with a file that it is started with.
            url = try "file://" + profile.write("start.html", "<script>location = '\(url)'</script>")
        }
        let program = try start(url, profile, display)
        let outcome = await Result { try await Self.first(of: report, or: program, self) }
        // The browser leads its process group, and has nothing to keep.
        kill(-program.child.processIdentifier, SIGKILL)
        _ = await program.child.exitCode()
        return try outcome.get()
    }

    /// Ends a test as skipped where this browser is not there.
    ///
    /// - Parameter driven: it also needs what drives it.
    func skipWhereMissing(driven: Bool = false) throws {
        guard !isThere || driven && !hasDriver else { return }
        let reason =
            "\(rawValue)\(driven ? " with its driver" : "") is not there; run scripts/setup \(self == .chromium ? "pages" : "browsers")"
        // That a single case is skipped, Swift Testing does not print.
        print("➜ skipped: \(reason)")
        try Test.cancel("\(reason)")
    }

    var isThere: Bool {
        switch self {
        case .chromium: isInstalled("chromium")
        case .firefox: isInstalled("firefox-esr")
        case .webKit: isInstalled("Xvfb") && !Self.miniBrowsers.isEmpty
        }
    }

    /// Firefox has one in itself.
    private var hasDriver: Bool {
        switch self {
        case .chromium: isInstalled("chromedriver")
        case .firefox: true
        case .webKit: isInstalled("WebKitWebDriver")
        }
    }

    /// Debian has WebKit's below the machine's architecture and the library's version.
    static let miniBrowsers: [String] = {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser", 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }()

    private static func first<Report: Sendable>(
        of report: @escaping @Sendable () async throws -> Report, or program: Program, _ browser: Browser
    ) async throws -> Report {
        try await withThrowingTaskGroup(of: Report.self) { group in
            group.addTask { try await report() }
            group.addTask {
                throw Ended(description: "\(browser) has ended: \(await program.wholeOutput())")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    private func start(
        _ url: String, _ profile: Folder, _ display: Display?
    ) throws -> Program {
        let home = profile.path
        var environment = ["HOME": home, "TMPDIR": home]
        let command: [String]
        switch self {
        case .chromium:
            command = [
                "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--disable-popup-blocking",
                "--autoplay-policy=no-user-gesture-required", "--user-data-dir=\(home)",
                "--host-resolver-rules=MAP \(Self.reboundName) 127.0.0.1",
                "--no-proxy-server", url,
            ]
        case .firefox:
            try profile.write("user.js", Self.firefoxPreferences)
            command = ["firefox-esr", "-headless", "-no-remote", "-profile", home, url]
        case .webKit:
            for folder in ["CACHE", "CONFIG", "DATA"] { environment["XDG_\(folder)_HOME"] = home }
            environment["DISPLAY"] = display?.name
            environment["LD_PRELOAD"] = "libnss_wrapper.so"
            environment["NSS_WRAPPER_HOSTS"] = try profile.write(
                "hosts", "127.0.0.1 localhost\n127.0.0.1 \(Self.reboundName)\n")
            command = [
                Self.miniBrowsers[0], "--javascript-can-open-windows-automatically=true",
                "--autoplay-policy=allow", url,
            ]
        }
        return try Program("setsid", command, environment: environment)
    }

    /// Windows, sounds and pings as pages want them; no first-run pages, and no traffic of its own.
    static let firefoxPreferences = """
        user_pref("network.dns.localDomains", "\(reboundName)");
        user_pref("dom.disable_open_during_load", false);
        user_pref("dom.popup_maximum", -1);
        user_pref("browser.send_pings", true);
        user_pref("media.autoplay.default", 0);
        user_pref("dom.security.https_first", false);
        user_pref("browser.aboutwelcome.enabled", false);
        user_pref("browser.startup.homepage_override.mstone", "ignore");
        user_pref("browser.shell.checkDefaultBrowser", false);
        user_pref("datareporting.policy.dataSubmissionEnabled", false);
        user_pref("toolkit.telemetry.enabled", false);
        user_pref("app.normandy.enabled", false);
        user_pref("app.update.enabled", false);
        user_pref("extensions.update.enabled", false);
        user_pref("extensions.getAddons.cache.enabled", false);
        user_pref("browser.safebrowsing.malware.enabled", false);
        user_pref("browser.safebrowsing.phishing.enabled", false);
        user_pref("browser.safebrowsing.downloads.remote.enabled", false);
        user_pref("services.settings.server", "data:,");
        user_pref("network.captive-portal-service.enabled", false);
        user_pref("network.connectivity-service.enabled", false);

        """
}

extension Result where Failure == any Error {
    /// What an asynchronous function gives or throws.
    init(_ work: () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
