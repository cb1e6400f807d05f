import Drawbridge
import Foundation
import TestSupport

/// The test server in a process of its own, with files, storage, and a log that goes to a file.
final class SoakedGateway: Sendable {
    /// How callers reach it.
    struct Way: Sendable {
        let port: Int
        let isSecure: Bool

        /// A new connection.
        func connect(receiveBuffer: Int32? = nil) throws -> RawClient {
            // A tool that watches the gateway makes it slow.
            let client = try RawClient(port, receiveBuffer: receiveBuffer, timeout: 60)
            if isSecure { try client.secure() }
            return client
        }
    }

    /// The files that it serves.
    static let page = "<!doctype html><title>soak</title><p>page</p>\n"
    static let large = String(repeating: "0123456789abcdef", count: 20_000)

    /// What it answers in place of handlers.
    private static let replies = #"""
        {"replies": {
            "tells": {
                "$reply": "{{input}}",
                "$then": [{"call": "onTold", "data": 1}, {"emit": "told"}, {"call": "onTold", "data": 2}]
            },
            "replied": {"nick": "Ann"},
            "chosen": {"$cases": [{"$when": {"n": {"$match": "a*"}}, "$reply": "{{input.n}}", "$delay": [0, 3]},
                                  {"$error": {"code": 7, "message": "no {{input.n}}"}}]},
            "stepped": {"$sequence": [1, 2]},
            "silent": {"$silence": true}
        }}
        """#

    /// Opens the tester's API.
    static let token = "soaked-gateways-have-a-token-that-is-known"

    let way: Way
    private let folder: Folder
    private let certificates: Certificates
    private let upstreams: SoakedUpstreams
    private let program: Program

    /// Starts it with the servers behind it, and waits until it listens.
    init(startedBy command: [String], _ certificates: Certificates, isSecure: Bool = false) async throws {
        folder = try Folder()
        self.certificates = certificates
        let (certificate, key) = try await certificates.make()
        upstreams = try await SoakedUpstreams((certificate, key))
        try folder.write("site/index.html", Self.page)
        try folder.write("site/document.html", Self.page)
        try folder.write("site/large.txt", Self.large)
        try folder.write("replies.json", Self.replies)
        let path = folder.path
        var own = try command + [Program.path(of: "test-server"), "-p", "0", "--log-format", "json"]
        // The one page as it is, and the other with the page runtime.
        own += [
            "--no-inspector", "--plain", "/", "--root", "\(path)/site", "--storage", "\(path)/storage.json",
        ]
        own += ["--replies", "\(path)/replies.json", "--built-ins"]
        own += ["--bridge", "flutter", "--user-agent", "{{userAgent}} Soak/1"]
        own += upstreams.options
        if isSecure { own += ["--cert", certificate, "--key", key] }
        // The allocator keeps for each thread a heap whose free end it gives back only to that thread, and what stays
        // there goes by chance. With one heap for all of them, what is left after a pause is what the gateway holds.
        let start = #"log=$1; shift; MALLOC_ARENA_MAX=1 exec "$@" 2>>"$log""#
        let program = try Program(
            "sh", ["-c", start, "sh", "\(path)/log"] + own, environment: ["DRAWBRIDGE_TOKEN": Self.token])
        self.program = program
        let process = String(program.child.processIdentifier)
        guard await eventually(within: 120, { listeningPort(of: process) != nil }),
            let port = listeningPort(of: process)
        else {
            throw Wrong("the gateway does not start: \(program.output)\((try? folder.read("log")) ?? "")")
        }
        way = Way(port: port, isSecure: isSecure)
    }

    /// What it holds now.
    var sample: Sample {
        Sample(of: String(program.child.processIdentifier), upstreams: upstreams.ports)
    }

    /// What its descriptors are.
    var descriptors: [String] {
        let process = String(program.child.processIdentifier)
        return descriptorNames(of: process) + sockets(of: process).map { "\($0)" }
    }

    /// The last lines of its log, and before them the first that tells of its end.
    var endOfLog: String {
        let lines = ((try? folder.read("log")) ?? "").split(separator: "\n")
        let fatal = lines.first { $0.contains("Fatal error") }
        return ([fatal].compactMap(\.self) + lines.suffix(5)).joined(separator: "\n")
    }

    /// How many handlers waited for ever, and how many heard that their caller had left.
    func waits() async throws -> (waited: Int, told: Int) {
        var last = (waited: 0, told: -1)
        _ = try await eventually(within: 30) {
            let counts = try ask("/counts")
            guard counts.count == 2 else { throw Wrong("the counts are \(counts)") }
            last = (counts[0], counts[1])
            return last.waited == last.told
        }
        return last
    }

    /// Kilobytes that it holds: all that is in memory, without what lies free between the blocks of its heap, and without
    /// the values of the journal's records.
    ///
    /// What is free stays in memory as long as the same page has a block in use: that goes by chance, by 1 % and more. How
    /// long the values are that the last 10,000 calls had goes by chance too; that they have a bound is another test's.
    func held() throws -> Int {
        let numbers = try ask("/heap")
        guard numbers.count == 2 else { throw Wrong("the answer of /heap is \(numbers)") }
        let process = String(program.child.processIdentifier)
        return (residentBytes(of: process) - residentHeapBytes(of: process) + numbers[0] - numbers[1]) >> 10
    }

    /// The numbers that a handler answers.
    private func ask(_ path: String) throws -> [Int] {
        let client = try way.connect()
        try client.send("GET \(path)?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        // The first is the code.
        return try client.reply().text.matches(of: /[0-9]+/).dropFirst().compactMap { Int($0.output) }
    }

    /// A page whose calls wait for somebody who answers a question.
    private func waitingPage() throws -> SoakedPage {
        // Who has asked for questions is asked, though there is no terminal.
        _ = try questions()
        var caller = Caller(way, seed: 1_000)
        var page = try SoakedPage(&caller, id: caller.pageID())
        for _ in 1...10 { try page.ask("alert", ["message": "soak"]) }
        return page
    }

    /// How many questions wait.
    private func questions() throws -> Int {
        let client = try way.connect()
        try client.send(
            "GET /__drawbridge__/questions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(Self.token)\r\n\r\n"
        )
        return try JSON(parsing: Array(try client.reply().text.utf8))["data"]?.arrayValue?.count ?? 0
    }

    /// Ends it by SIGTERM while calls of a page wait, and reads what it said.
    func stop(after traffic: Traffic) async throws {
        let page = try waitingPage()
        guard try await eventually(within: 30, { try questions() == 10 }) else {
            throw Wrong("10 questions are asked, and \(try questions()) wait")
        }
        let code = await program.stop()
        withExtendedLifetime(page) {}
        let said = await program.wholeOutput()
        await upstreams.stop()
        guard code == 0 else { throw Wrong("it ended with \(code): \(said)") }
        let log = try LogSummary(of: "\(folder.path)/log")
        guard log.strange.isEmpty else {
            throw Wrong("its log has lines that should not be there: \(log.strange)")
        }
        guard log.errors == traffic.faults else {
            throw Wrong("its log has \(log.errors) errors, and \(traffic.faults) handlers failed")
        }
    }
}
