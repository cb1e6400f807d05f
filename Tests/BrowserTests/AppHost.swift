import Drawbridge
import Foundation
import TestSupport
import Testing

/// A web view of an app, played by a program that puts the app's own bridges into pages.
enum AppHost: String, CaseIterable, Sendable {
    /// Chromium with Android's objects (`android-host.mjs`).
    case android
    /// WebKitGTK with message handlers, user scripts and delegates (`app-host.py`).
    case apple

    /// A page that is opened there.
    struct Opened: Encodable, Sendable {
        var url: String
        /// What the app has, in the words of the host.
        var has: [String]
        /// Whether it is there until the host ends.
        var stays: Bool
    }

    /// What came of it.
    struct Outcome: Decodable, Sendable {
        /// What the app was asked: names with their input.
        var calls: [JSON]
        /// What the page saw.
        var transcript: [String]
        /// True where it did not end in time.
        var isLate: Bool?
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../Support/AppHosts"
    ).standardized.path()

    /// Opens pages one after the other, and hands over what came of them while those that stay are there.
    ///
    /// Where what it needs is missing, the test is skipped, and says so.
    func open<Value>(_ pages: [Opened], _ judge: ([Outcome]) async throws -> Value) async throws -> Value {
        try await skipWhereMissing()
        let home = try Folder()
        let display = self == .apple ? try await Display() : nil
        defer { withExtendedLifetime((home, display)) {} }
        let pages = String(decoding: try JSONEncoder().encode(pages), as: UTF8.self)
        var environment = ["HOME": home.path, "TMPDIR": home.path]
        for folder in ["CACHE", "CONFIG", "DATA"] { environment["XDG_\(folder)_HOME"] = home.path }
        environment["XDG_RUNTIME_DIR"] = home.path
        environment["NO_AT_BRIDGE"] = "1"
        environment["DISPLAY"] = display?.name
        let program = try Program(command[0], command.dropFirst() + [pages], environment: environment)
        let line = try await program.line(with: "\"transcript\"")
        let outcome = await Result {
            try await judge(JSON(parsing: Array(line.utf8)).decode([Outcome].self))
        }
        program.child.closeInput()
        _ = await program.child.exitCode()
        return try outcome.get()
    }

    /// The Python that is Debian's own has Debian's packages.
    private var command: [String] {
        switch self {
        case .android: ["node", "\(Self.folder)/android-host.mjs"]
        case .apple: ["/usr/bin/python3", "\(Self.folder)/app-host.py"]
        }
    }

    private func skipWhereMissing() async throws {
        let isThere: Bool
        switch self {
        case .android: isThere = Browser.chromium.isThere && isInstalled("node")
        case .apple:
            let look = "import gi; gi.require_version('WebKit2', '4.1')"
            let program = try? Program(command[0], ["-c", look])
            isThere = await program?.child.exitCode() == 0 && isInstalled("Xvfb")
        }
        guard !isThere else { return }
        let reason = "what plays the \(rawValue) web view is not there; run scripts/setup pages"
        // That a single case is skipped, Swift Testing does not print.
        print("➜ skipped: \(reason)")
        try Test.cancel("\(reason)")
    }
}
