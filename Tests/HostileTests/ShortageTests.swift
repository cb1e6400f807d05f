import Drawbridge
import Foundation
import TestSupport
import Testing

/// Too few descriptors, a full disk, outputs that nobody reads.
@Suite("Hostile 34: a shortage is logged, and serving continues", .timeLimit(.minutes(5)))
struct ShortageTests {
    private static let echo = "GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test func whenDescriptorsRunOutIdleConnectionsMakeRoom() async throws {
        let binary = try Program.path(of: "test-server")
        let server = try Program("sh", ["-c", "ulimit -n 48; exec \(binary) -p 0 --grace 0"])
        let port = try await server.port()
        let (waiting, idle) = try await blocking {
            let waiting = try (0..<8).map { _ in
                let client = try RawClient(port)
                try client.send("GET /wait?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return client
            }
            // Each is answered and stays; together they are more than there are descriptors.
            let idle = try (0..<40).map { _ in
                let client = try RawClient(port)
                try client.send(Self.echo)
                #expect(try client.reply().status == 200)
                return client
            }
            return (waiting, idle)
        }
        // Nobody but those who wait is left, and they all still do.
        for client in waiting { client.close() }
        for client in idle { client.close() }
        let status = try await blocking {
            let client = try RawClient(port)
            try client.send(Self.echo)
            return try client.reply().status
        }
        #expect(status == 200)
        #expect(await server.stop() == 0)
        // Once a second at most, and this took a few.
        let lines = server.output.split(separator: "\n").filter { $0.contains("cannot take a connection") }
        #expect(lines.count == Set(lines.map { $0.prefix(8) }).count, "\(lines)")
    }

    /// Fails as a system that is short of everything does, in turn.
    private static let failingAccept = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <sys/socket.h>
        int accept4(int listening, struct sockaddr *address, socklen_t *length, int flags) {
            static int (*real)(int, struct sockaddr *, socklen_t *, int);
            static const int errors[] = {EMFILE, 0, ECONNABORTED, ENFILE, 0, EINTR, ENOBUFS, 0, ENOMEM};
            static int calls;
            if (real == 0) real = dlsym(RTLD_NEXT, "accept4");
            errno = errors[__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % 9];
            return errno ? -1 : real(listening, address, length, flags);
        }
        """

    @Test func aFailedAcceptIsRetried() async throws {
        let folder = try Folder()
        let source = try folder.write("accept.c", Self.failingAccept)
        let library = "\(folder.path)/accept.so"
        let compiler = try Program("clang", ["-shared", "-fPIC", "-o", library, source])
        try #require(await compiler.child.exitCode() == 0, "\(compiler.output)")
        let server = try Program.product("test-server", ["-p", "0"], environment: ["LD_PRELOAD": library])
        let port = try await server.port()
        for _ in 0..<6 { try await isAlive(port, by: "/echo") }
        _ = try await server.line(with: "cannot take a connection")
        #expect(await server.stop() == 0)
    }

    @Test(arguments: ["2>/dev/full", ">/dev/full 2>&1", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
    func aFullOrClosedStandardOutputDoesNotStopTheServer(_ redirection: String) async throws {
        let binary = try Program.path(of: "test-server")
        let server = try Program("sh", ["-c", "exec \(binary) -p 0 --no-inspector \(redirection)"])
        let process = String(server.child.processIdentifier)
        try #require(await eventually { listeningPort(of: process) != nil })
        let port = try #require(listeningPort(of: process))
        for _ in 0..<20 { try await isAlive(port, by: "/echo") }
        #expect(await server.stop() == 0)
    }

    /// Runs the test server where a folder is a disk of 64 KB, which it alone sees.
    private static func onSmallDisk(
        _ options: String, _ test: (_ port: Int, _ disk: String) async throws -> Void
    ) async throws {
        let (folder, binary) = (try Folder(), try Program.path(of: "test-server"))
        let disk = folder.path
        let server = try Program(
            "unshare",
            [
                "-m", "sh", "-c",
                "mount -t tmpfs -o size=64k none \(disk) && cd \(disk) && exec \(binary) -p 0 --no-inspector \(options)",
            ])
        let process = String(server.child.processIdentifier)
        try #require(await eventually { listeningPort(of: process) != nil })
        let port = try #require(listeningPort(of: process))
        try await test(port, "/proc/\(process)/root\(disk)")
        try await isAlive(port, by: "/echo")
        #expect(await server.stop() == 0)
    }

    @Test(.enabled("only the superuser may mount a small disk", mayMount))
    func theLogIsWrittenAgainOnceAFullDiskHasRoom() async throws {
        try await Self.onSmallDisk("2>>log") { port, disk in
            let long = "/echo?_mobile_bridge=1&text=" + String(repeating: "x", count: 400)
            for _ in 0..<300 {
                let replies = try await replies(port, get(long))
                #expect(replies.map(\.status) == [200])
            }
            let log = "\(disk)/log"
            #expect(try await eventually { try Data(contentsOf: URL(filePath: log)).count == 64 << 10 })
            #expect(truncate(log, 0) == 0)
            _ = try await replies(port, get("/echo?_mobile_bridge=1&text=room"))
            #expect(
                try await eventually {
                    try String(contentsOfFile: log, encoding: .utf8).contains(#"{"text":"room"}"#)
                })
        }
    }

    @Test(.enabled("only the superuser may mount a small disk", mayMount))
    func storingOnAFullDiskIsAnErrorAndKeepsTheStoredValues() async throws {
        try await Self.onSmallDisk("--storage storage.json") { port, disk in
            func store(_ key: String, _ value: String) async throws -> JSON? {
                let body = #"{"key":"\#(key)","value":"\#(value)"}"#
                let replies = try await replies(port, post("/__jsbridge__/storage", body.utf8))
                return try replies.first.map { try JSON(parsing: $0.body) }
            }
            #expect(try await store("small", "kept")?["code"] == 200)
            let refused = try await store("large", String(repeating: "x", count: 100_000))
            #expect(refused?["code"] == 507, "\(String(describing: refused))")
            let kept = try await replies(port, get("/storage?_mobile_bridge=1&key=small"))
            #expect(kept.first?.text.contains(#""value":"kept""#) == true)
            #expect(try await store("small", "changed")?["code"] == 200)
            // Nothing half-written is left next to it.
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: disk).sorted().filter {
                    !$0.hasPrefix(".")
                }.count <= 2)
        }
    }
}
