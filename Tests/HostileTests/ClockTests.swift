import Foundation
import TestSupport
import Testing

/// A clock that jumps, and a process that is stopped.
@Suite("Hostile 35: jumps of the clock have no effect", .serialized, .timeLimit(.minutes(5)))
struct ClockTests {
    /// libfaketime for programs with threads, of the Debian package `faketime`.
    private static let library: String? = {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        return folders.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }()

    @Test(
        .enabled(if: library != nil, "there is no libfaketime: apt-get install faketime"),
        arguments: [[3600, -3600], [-7200, 0]])
    func settingTheClockHastensAndDelaysNothing(_ offsets: [Int]) async throws {
        let folder = try Folder()
        let clock = try folder.write("clock", "+0")
        let binary = try Program.path(of: "test-server")
        // The library changes the environment in the first program that it meets; Swift then finds no arguments.
        let server = try Program(
            "sh", ["-c", "exec \(binary) -p 0"],
            environment: [
                "LD_PRELOAD": #require(Self.library), "FAKETIME_TIMESTAMP_FILE": clock,
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
            ])
        let port = try await server.port()
        let callers = try await Callers(port)
        for offset in offsets {
            try folder.write("clock", offset < 0 ? "\(offset)" : "+\(offset)")
            // It has jumped when answers are dated so.
            #expect(try await eventually { abs(try callers.offset() - offset) < 5 })
            try await Self.goesOn(callers, port)
        }
        try await callers.end()
        #expect(await server.stop() == 0, "\(server.output)")
    }

    /// Half a minute with all tests.
    private static let pause = getenv("DRAWBRIDGE_ALL") == nil ? 3 : 30

    @Test func aSuspendedProcessContinuesWhereItWas() async throws {
        let server = try Program.product("test-server", ["-p", "0"])
        let port = try await server.port()
        let callers = try await Callers(port)
        kill(server.child.processIdentifier, SIGSTOP)
        try await callers.goOnSending()
        try await Task.sleep(for: .seconds(Self.pause))
        kill(server.child.processIdentifier, SIGCONT)
        try await callers.areAnsweredWhatTheySent()
        try await Self.goesOn(callers, port)
        try await callers.end()
        #expect(await server.stop() == 0, "\(server.output)")
    }

    /// Nobody was cut off, those that wait still do, and a deadline is as long as before.
    private static func goesOn(_ callers: Callers, _ port: Int) async throws {
        try await isAlive(port, by: "/echo")
        try await callers.areAllThere()
        let start = now()
        let late = try await replies(port, get("/leaks?_mobile_bridge=1"))
        #expect(late.first?.text.contains(#""code":504"#) == true)
        // It is a fifth of a second and not none; nor an hour, for then there would be no answer.
        #expect(now() - start > 0.15)
    }
}

/// Connections that are idle, that wait for an answer, that stream, and that have sent half a request.
private struct Callers {
    private let idle: [RawClient]
    private let waiting: [RawClient]
    private let streaming: [RawClient]
    private let halfHeads: [RawClient]
    private let halfBodies: [RawClient]

    init(_ port: Int) async throws {
        (idle, waiting, streaming, halfHeads, halfBodies) = try await blocking {
            func clients(_ text: String) throws -> [RawClient] {
                try (0..<10).map { _ in
                    let client = try RawClient(port)
                    try client.send(text)
                    return client
                }
            }
            let idle = try clients("GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for client in idle { _ = try client.reply() }
            let waiting = try clients("GET /wait?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let streaming = try clients("GET /ticks?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for client in streaming { _ = try client.head() }
            return (
                idle, waiting, streaming, try clients("GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHo"),
                try clients(
                    "POST /__jsbridge__/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\na")
            )
        }
    }

    /// Who has sent a half sends the rest.
    func goOnSending() async throws {
        try await blocking { [halfHeads, halfBodies] in
            for client in halfHeads { try client.send("st: localhost\r\n\r\n") }
            for client in halfBodies { try client.send("=b") }
        }
    }

    func areAnsweredWhatTheySent() async throws {
        let statuses = try await blocking { [halfHeads, halfBodies] in
            try (halfHeads + halfBodies).map { try $0.reply().status }
        }
        #expect(statuses.allSatisfy { $0 == 200 })
    }

    /// The idle are answered on their old connections, the streams stream, and those that wait have heard nothing.
    func areAllThere() async throws {
        try await blocking { [idle, waiting, streaming] in
            for client in idle {
                try client.send("GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try client.reply().status == 200)
            }
            for client in streaming { #expect(try client.chunk() != nil) }
            for client in waiting {
                client.timeout(0.01)
                #expect(throws: RawClient.Failure.timeout) { _ = try client.readSome(1) }
            }
        }
    }

    /// Seconds between the server's clock and ours.
    func offset() throws -> Int {
        try idle[0].send("GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let form = Date.ParseStrategy(
            format:
                "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt)
        let date = try Date(#require(try idle[0].reply()["Date"]), strategy: form)
        return Int(date.timeIntervalSinceNow.rounded())
    }

    func end() async throws {
        for client in idle + waiting + streaming + halfHeads + halfBodies { client.close() }
    }
}
