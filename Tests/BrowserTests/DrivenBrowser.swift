import Drawbridge
import Foundation
import TestSupport
import Testing

/// A browser that a test drives as a person would, by keys and clicks, and into whose pages it looks by scripts.
///
/// One task at a time uses it.
final class DrivenBrowser: Sendable {
    /// Keys that are not characters, as WebDriver has them.
    enum Key {
        static let tab = "\u{E004}"
        static let enter = "\u{E007}"
        static let shift = "\u{E008}"
        static let control = "\u{E009}"
        static let escape = "\u{E00C}"
        static let end = "\u{E010}"
        static let home = "\u{E011}"
    }

    let browser: Browser
    private let isDark: Bool
    private let isPerson: Bool
    private let profile: Folder
    private let display: Display?
    private let program: Program
    private let wire: any DriverWire

    /// Starts a browser with a fresh profile, and ends it when the work is done.
    ///
    /// Where the browser or its driver is missing, the test is skipped, and says so.
    ///
    /// - Parameters:
    ///   - isDark: whether it prefers dark pages.
    ///   - isPerson: whether it hides from pages that it is driven; only Chromium can.
    static func drive<Value: Sendable>(
        _ browser: Browser, isDark: Bool = false, isPerson: Bool = false,
        _ work: (DrivenBrowser) async throws -> Value
    ) async throws -> Value {
        try browser.skipWhereMissing(driven: true)
        let driven = try await DrivenBrowser(browser, isDark: isDark, isPerson: isPerson)
        let outcome = await Result {
            try await driven.begin()
            return try await work(driven)
        }
        // It leads its process group, and has nothing to keep.
        kill(-driven.program.child.processIdentifier, SIGKILL)
        _ = await driven.program.child.exitCode()
        return try outcome.get()
    }

    /// What it has downloaded to its end, by the name of the file.
    func download(_ name: String) async throws -> String {
        // WebKit knows no folder for downloads where the desktop names none.
        let place = browser == .webKit ? profile.path : "\(profile.path)/Downloads"
        let file = URL(filePath: "\(place)/\(name)")
        try #require(
            await eventually { (try? Data(contentsOf: file))?.isEmpty == false },
            "\(browser.rawValue) has not downloaded \(name)")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    private init(_ browser: Browser, isDark: Bool, isPerson: Bool) async throws {
        self.browser = browser
        self.isDark = isDark
        self.isPerson = isPerson
        profile = try Folder()
        display = browser == .webKit ? try await Display() : nil
        let home = profile.path
        var environment = ["HOME": home, "TMPDIR": home]
        let port = try freePort()
        switch browser {
        case .chromium:
            program = try Program("setsid", ["chromedriver", "--port=\(port)"], environment: environment)
            wire = try await WebDriverWire(port: port)
        case .webKit:
            for folder in ["CACHE", "CONFIG", "DATA"] { environment["XDG_\(folder)_HOME"] = home }
            environment["DISPLAY"] = display?.name
            if isDark { environment["GTK_THEME"] = "Adwaita:dark" }
            program = try Program("setsid", ["WebKitWebDriver", "--port=\(port)"], environment: environment)
            wire = try await WebDriverWire(port: port)
        case .firefox:
            try profile.write(
                "user.js",
                Browser.firefoxPreferences
                    + """
                    user_pref("marionette.port", \(port));
                    user_pref("focusmanager.testmode", true);
                    user_pref("layout.css.prefers-color-scheme.content-override", \(isDark ? 0 : 1));

                    """)
            let command = ["firefox-esr", "-headless", "-no-remote", "-profile", home, "-marionette"]
            program = try Program("setsid", command, environment: environment)
            wire = try await MarionetteWire(port: port)
        }
    }

    private func begin() async throws {
        let options: JSON =
            switch browser {
            case .chromium:
                [
                    "goog:chromeOptions": [
                        "args": .array(
                            [
                                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                "--no-first-run", "--no-proxy-server", "--disable-popup-blocking",
                                "--user-data-dir=\(profile.path)/profile",
                                isPerson ? "--disable-blink-features=AutomationControlled" : nil,
                                isPerson ? "--user-agent=Mozilla/5.0 Chrome/140.0 Safari/537.36" : nil,
                            ].compactMap(\.self).map(JSON.string))
                    ]
                ]
            case .webKit:
                [
                    "webkitgtk:browserOptions": [
                        "binary": .string(try #require(Browser.miniBrowsers.first)),
                        "args": ["--automation", "--javascript-can-open-windows-automatically=true"],
                    ]
                ]
            case .firefox: [:]
            }
        _ = try await wire.send(.newSession, ["capabilities": ["alwaysMatch": options]])
        _ = try await wire.send(.setTimeouts, ["script": 50_000, "pageLoad": 50_000])
        try await resize(1280, 800)
    }

    // MARK: Windows

    /// Gives the page this size, or the smallest that the browser's window has.
    func resize(_ width: Int, _ height: Int) async throws {
        if browser == .chromium {
            try await devTools(
                "Emulation.setDeviceMetricsOverride",
                [
                    "width": .number(.init(width)), "height": .number(.init(height)),
                    "deviceScaleFactor": 1, "mobile": false,
                ])
            let scheme: JSON = ["name": "prefers-color-scheme", "value": .string(isDark ? "dark" : "light")]
            try await devTools("Emulation.setEmulatedMedia", ["features": [scheme]])
            return
        }
        try await set(width, height)
        let inner = try await evaluate("[innerWidth, innerHeight]").decode([Int].self)
        guard inner != [width, height] else { return }
        // The browser's own controls take the rest.
        try await set(2 * width - inner[0], 2 * height - inner[1])
    }

    private func set(_ width: Int, _ height: Int) async throws {
        let rect: JSON = [
            "x": 0, "y": 0, "width": .number(.init(width)), "height": .number(.init(height)),
        ]
        _ = try await wire.send(.setWindowRect, rect)
    }

    /// The window that commands go to.
    func window() async throws -> String {
        try #require(try await wire.send(.getWindowHandle, [:]).stringValue)
    }

    /// Opens one more window, which nobody opened as far as its page can tell; commands go to it from now on.
    ///
    /// - Returns: by what name it is found again.
    @discardableResult
    func openWindow(_ url: String) async throws -> String {
        let opened = try await wire.send(.newWindow, ["type": "window"])
        let name = try #require(opened["handle"]?.stringValue)
        try await go(to: name)
        try await resize(1280, 800)
        try await open(url)
        return name
    }

    /// Sends commands to another window.
    func go(to window: String) async throws {
        _ = try await wire.send(.switchToWindow, ["handle": .string(window)])
    }

    /// Closes the window that commands go to; tell then where they go to.
    func closeWindow() async throws { _ = try await wire.send(.closeWindow, [:]) }

    /// Goes to an address, and waits until its page has loaded.
    func open(_ url: String) async throws { _ = try await wire.send(.navigate, ["url": .string(url)]) }

    func reload() async throws { _ = try await wire.send(.refresh, [:]) }

    // MARK: What a person does

    /// Types a text, key after key.
    func type(_ text: String) async throws {
        try await keys(text.flatMap { [("keyDown", String($0)), ("keyUp", String($0))] })
    }

    /// Presses keys together, and lets them go.
    func press(_ keys: String...) async throws {
        try await self.keys(keys.map { ("keyDown", $0) } + keys.reversed().map { ("keyUp", $0) })
    }

    private func keys(_ actions: [(type: String, key: String)]) async throws {
        let actions = actions.map { ["type": .string($0.type), "value": .string($0.key)] as JSON }
        let source: JSON = ["type": "key", "id": "keys", "actions": .array(actions)]
        _ = try await wire.send(.performActions, ["actions": [source]])
    }

    /// Clicks on an element where it is on the screen, as soon as nothing lies over it.
    ///
    /// - Parameter element: an expression that gives it.
    func click(_ element: String, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let look = """
            (() => {
                const element = \(element);
                if (!element) return null;
                element.scrollIntoView({ block: 'nearest' });
                const { x, y, width, height } = element.getBoundingClientRect();
                const place = [Math.round(x + Math.min(width / 2, 100)), Math.round(y + height / 2)];
                return element.contains(element.getRootNode().elementFromPoint(...place)) ? place : null;
            })()
            """
        var place: JSON = .null
        var before: JSON = 0
        let end = now() + 120
        // What moves is clicked when it has stopped.
        while place == .null || place != before {
            guard now() < end else {
                try await picture(at: sourceLocation)
                throw DriverFailure(description: "\(browser.rawValue): nothing to click at \(element)")
            }
            before = place
            try await Task.sleep(for: .milliseconds(20))
            place = try await evaluate(look)
        }
        let move: JSON = [
            "type": "pointerMove", "duration": 0, "x": place[0] ?? 0, "y": place[1] ?? 0,
            "origin": "viewport",
        ]
        let source: JSON = [
            "type": "pointer", "id": "mouse", "parameters": ["pointerType": "mouse"],
            "actions": [
                move, ["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0],
            ],
        ]
        _ = try await wire.send(.performActions, ["actions": [source]])
    }

    // MARK: What it looks like

    /// The JSON value of an expression in the page; a promise is awaited.
    @discardableResult
    func evaluate(_ expression: String) async throws -> JSON {
        guard let value = try await value(of: expression) else {
            throw DriverFailure(
                description: "\(browser.rawValue): the document went while it was asked for \(expression)")
        }
        return value
    }

    /// The same; nil where the document went before it had answered.
    private func value(of expression: String) async throws -> JSON? {
        let script = """
            const done = arguments[arguments.length - 1];
            Promise.resolve().then(() => (\(expression))).then(
                value => done(JSON.stringify([value ?? null])), error => done(`${error} ${error?.stack ?? ""}`));
            """
        let answer = try await wire.send(.execute, ["script": .string(script), "args": []])
        guard !answer.isNull else { return nil }
        let text = answer.stringValue ?? "\(answer)"
        guard text.hasPrefix("["), let value = try JSON(parsing: Array(text.utf8))[0] else {
            throw DriverFailure(description: "\(browser.rawValue): \(text) in \(expression)")
        }
        return value
    }

    /// Waits until an expression gives this value; where it never does, that is an issue, with a picture.
    func expect(
        _ expression: String, _ value: JSON = true, _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var seen: JSON = .null
        let end = now() + 120
        repeat {
            if let now = try await self.value(of: expression) { seen = now }
            if seen == value { return }
            try await Task.sleep(for: .milliseconds(20))
        } while now() < end
        try await picture(at: sourceLocation)
        Issue.record(
            "\(browser.rawValue): \(seen), and not \(value), in \(expression)", sourceLocation: sourceLocation
        )
    }

    /// Keeps what the page looks like where a test has failed.
    private func picture(at place: SourceLocation) async throws {
        let test = place.fileID.split(separator: "/").last?.replacing(".swift", with: "") ?? ""
        let name = "\(browser.rawValue)-\(test)-\(place.line).png"
        try await screenshot(to: Evidence.folder.appending(path: name))
        print("see .build/screenshots/\(name)")
    }

    func screenshot(to file: URL) async throws {
        let picture = try await wire.send(.takeScreenshot, [:]).stringValue ?? ""
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try #require(Data(base64Encoded: picture)).write(to: file)
    }

    /// A command of Chromium's developer tools.
    @discardableResult
    func devTools(_ method: String, _ parameters: JSON = [:]) async throws -> JSON {
        try await wire.send(.devTools, ["cmd": .string(method), "params": parameters])
    }
}
