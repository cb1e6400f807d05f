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
        let path = folder.path
        var own = try command + [Program.path(of: "test-server"), "-p", "0", "--log-format", "json"]
        // The one page as it is, and the other with the page runtime.
        own += ["--plain", "/", "--root", "\(path)/site", "--storage", "\(path)/storage.json"]
        own += upstreams.options
        if isSecure { own += ["--cert", certificate, "--key", key] }
        let program = try Program(
            "sh", ["-c", #"log=$1; shift; exec "$@" 2>>"$log""#, "sh", "\(path)/log"] + own)
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
    var sample: Sample { Sample(of: String(program.child.processIdentifier)) }

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
            let client = try way.connect()
            try client.send("GET /counts?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let numbers = try client.reply().text.matches(of: /[0-9]+/).compactMap { Int($0.output) }
            // The code, and the two.
            guard numbers.count == 3 else { throw Wrong("the counts are \(numbers)") }
            last = (numbers[1], numbers[2])
            return last.waited == last.told
        }
        return last
    }

    /// Ends it by SIGTERM, and reads what it said.
    func stop(after traffic: Traffic) async throws {
        let code = await program.stop()
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
