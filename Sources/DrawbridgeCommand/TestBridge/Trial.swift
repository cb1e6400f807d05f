import Drawbridge
import DrawbridgeServer
import Glibc
import Logging
import Synchronization

/// A test of a bridge: a page that has it, in a browser, and a gateway, compared with a list of exchanges.
struct Trial {
    private let bridge: BridgeScript
    private let list: ExchangeList
    private let folder: String
    private let page: String
    private let browser: String
    private let patience: Duration

    /// How often a browser is started: it may fail to load the page for reasons such as a change of the network.
    private static let starts = 2

    /// - Throws: a ``Failure`` where there is no such page.
    init(
        of bridge: BridgeScript, _ list: ExchangeList, page: String, browser: String, patience: Duration
    ) throws {
        guard bridge.name != HeardScript.name else {
            throw Failure(
                "a bridge under test has another name than \(HeardScript.name), by which the page says what it has heard; rename its file"
            )
        }
        guard access(page, R_OK) == 0 else {
            throw Failure(
                "cannot read the page \(page): \(String(cString: strerror(errno))); name one: --page mine.html"
            )
        }
        let parts = page.split(separator: "/")
        self.page = parts.last.map(String.init) ?? page
        let way = parts.dropLast().joined(separator: "/")
        folder = page.hasPrefix("/") ? "/\(way)" : way.isEmpty ? "." : way
        (self.bridge, self.list, self.browser, self.patience) = (bridge, list, browser, patience)
    }

    /// Runs the test, and prints a line for each exchange.
    ///
    /// - Throws: a ``Failure`` where the browser does not open the page.
    func isPassed() async throws -> Bool {
        let own = try TestFolder()
        defer { own.remove() }
        let log = KeptLines()
        let gateway = try await gateway(heard: own.write("\(HeardScript.name).js", HeardScript.text), log)
        let server = try GatewayServer(
            gateway, ServerConfiguration(port: 0, grace: .zero, logsRequests: false))
        do {
            let isPassed = try await isPassed(
                gateway, at: "\(server.address)/\(Percent.encode(page))", own, log)
            await server.stop()
            return isPassed
        } catch {
            await server.stop()
            throw error
        }
    }

    private func gateway(heard: String, _ log: KeptLines) async throws -> Gateway {
        let gateway = Gateway(
            passThrough: [.staticFiles(folder)],
            pageRuntime: PageRuntime(
                bridges: [bridge, try .file(heard)], userAgent: list.userAgent),
            keepsJournal: true, logger: Logger(label: "test-bridge") { _ in log })
        try await gateway.mock("\(list.replies)", #"{"\#(HeardScript.name)": null}"#)
        return gateway
    }

    private func isPassed(
        _ gateway: Gateway, at url: String, _ own: TestFolder, _ log: KeptLines
    ) async throws -> Bool {
        let window = try await open(url, gateway, own)
        defer { window.end() }
        var run = ExchangeRun(gateway, patience: patience)
        var failures = 0
        for exchange in list.exchanges {
            let misfits = try await run.misfits(of: exchange)
            say("\(misfits.isEmpty ? "ok  " : "FAIL")  \(exchange.title)")
            for line in misfits.flatMap(\.lines) { say(line) }
            if !misfits.isEmpty { failures += 1 }
        }
        let others = try await run.others()
        for other in others { say("FAIL  \(other), which is not in the list") }
        let inPage = try await run.conversation(until: .now) { _ in true }.faults
        var faults = log.faults(of: bridge.name)
        for fault in inPage where fault.place.hasPrefix("\(bridge.name).js:") {
            if !faults.contains(where: { $0.hasPrefix("\(fault.place):") }) { faults.append("\(fault)") }
        }
        for fault in faults { say("FAIL  \(fault)") }
        failures += others.count + faults.count
        guard failures > 0 else {
            say("\(list.exchanges.count) exchanges, all as expected")
            return true
        }
        for fault in inPage where !fault.place.hasPrefix("\(bridge.name).js:") {
            say("      the page: \(fault)")
        }
        say("\(failures) not as expected")
        return false
    }

    private func open(_ url: String, _ gateway: Gateway, _ own: TestFolder) async throws -> TestBrowser {
        let run = ExchangeRun(gateway, patience: patience)
        var lastWords = ""
        for _ in 0..<Self.starts {
            let window = try TestBrowser(browser, opens: url, in: own)
            do {
                let deadline = ContinuousClock.now + patience * 3
                let isOpen = try await withThrowingTaskGroup(of: Bool.self) { group in
                    group.addTask { try await run.conversation(until: deadline) { $0.isOpen }.isOpen }
                    group.addTask {
                        try await window.untilItFails()
                        return false
                    }
                    defer { group.cancelAll() }
                    return try await group.next() ?? false
                }
                if isOpen { return window }
            } catch {
                window.end()
                throw error
            }
            lastWords = window.lastWords
            window.end()
        }
        let said = lastWords.isEmpty ? "" : "; it says: \(lastWords)"
        throw Failure("\(browser) has not opened \(page)\(said)")
    }

    private func say(_ line: String) {
        print(line.plain)
        // Also a reader of a pipe sees each line at once.
        fflush(nil)
    }
}

/// The lines that the gateway logs, kept until the end.
private struct KeptLines: LogHandler {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.warning
    private let lines = Lines()

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.all.withLock { $0.append("\(event.message)") } }

    /// The errors that were logged of a bridge's script, each once: `mine.js:3: …`.
    func faults(of bridge: String) -> [String] {
        var faults: [String] = []
        for line in lines.all.withLock({ $0 }) {
            guard let place = line.firstRange(of: ": \(bridge).js:") else { continue }
            let fault = String(line[place.lowerBound...].dropFirst(2))
            if !faults.contains(fault) { faults.append(fault) }
        }
        return faults
    }
}
