import Drawbridge
import Foundation
import TestSupport
import Testing

/// What came of one page that went every way to one gateway.
struct Attack: Sendable {
    /// The bridge by which a request goes to native.
    enum Bridge: String, CaseIterable, Sendable { case flag, path }

    /// What the page could read of each answer: `""` for nothing.
    let read: [String: String]
    /// The ways by which the handler was called.
    let ran: Set<String>
    /// What the gateway answered to each way that got there.
    let statuses: [String: Set<Int>]

    /// Opens the page of attacks, and looks at the gateway when all is over.
    ///
    /// - Parameters:
    ///   - page: the address of the page.
    ///   - target: the address of the gateway as the page knows it.
    ///   - foreign: a foreign site, for redirects and the report; it ends with the attack.
    ///   - name: the host by which the page knows that site.
    ///   - readable: the ways whose answers are waited for, on slow machines too.
    ///   - gateway: the gateway; it may be there only when the page has begun.
    init(
        from page: String, on target: String, with foreign: ForeignSite, name: String = "127.0.0.1",
        bridge: Bridge = .flag, in browser: Browser, reading readable: Set<String> = [],
        gateway: @escaping @Sendable () async throws -> Program
    ) async throws {
        var url = try #require(URLComponents(string: page))
        var items = url.queryItems ?? []
        for (name, value) in [
            ("target", target), ("bridge", bridge.rawValue), ("foreign", foreign.origin(name)),
        ] {
            items.append(URLQueryItem(name: name, value: value))
        }
        items += readable.map { URLQueryItem(name: "awaited", value: $0) }
        url.queryItems = items
        let address = try #require(url.string)

        let report = await Result {
            try await browser.open(address) {
                let report = try await foreign.report()
                let log = try await gateway()
                // Of the end of some requests a page is not told.
                _ = await eventually { Self.certain.isSubset(of: Self.statuses(in: log.output).keys) }
                return report
            }
        }
        await foreign.stop()
        read = try report.get()

        let gateway = try await gateway()
        let witness = try await curl("\(gateway.address())/witness?_mobile_bridge=1&end=1")
        ran = Set(try JSON(parsing: Array(witness.utf8))["data"]?.decode([String].self) ?? [])
        // All that came before this call is before it in the log.
        try await gateway.line(with: "end=1")
        statuses = Self.statuses(in: gateway.output)
    }

    /// A gateway whose handler remembers by which ways it was called, with the pages of attacks as its own.
    static func gateway(port: Int = 0, _ options: [String] = []) throws -> Program {
        let own = ["-p", "\(port)", "--root", ForeignSite.pages, "--log-format", "json"]
        return try .product("test-server", own + options)
    }

    /// The ways in the lines of a log in JSON.
    static func statuses(in log: String) -> [String: Set<Int>] {
        var statuses: [String: Set<Int>] = [:]
        for line in log.split(separator: "\n") {
            guard let line = try? JSON(parsing: Array(line.utf8)),
                let target = line["target"]?.stringValue, let status = line["status"]?.numberValue?.intValue,
                let items = URLComponents(string: target.replacing("+", with: "%20"))?.queryItems,
                let way = items.first(where: { $0.name == "way" })?.value
            else { continue }
            statuses[way, default: []].insert(status)
        }
        return statuses
    }
}
