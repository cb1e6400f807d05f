import Glibc
import TestSupport
import Testing

/// A name for which nobody answers is looked up for ten seconds, and nobody else waits for that.
@Suite(
    "A name that is looked up for long", .timeLimit(.minutes(5)),
    .enabled("only root may mount a file of names, and have a name server at its port", mayMount))
struct SlowNameTests {
    /// A name server that receives what it is asked, and says nothing.
    private final class SilentNameServer: Sendable {
        /// Of this machine, and of this process alone.
        let address = "127.53.\(getpid() >> 8 & 0xFF).\(getpid() & 0xFF)"
        private let socket: Int32

        init() throws {
            socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = in_port_t(53).bigEndian
            place.sin_addr.s_addr = inet_addr(address)
            let bound = withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(bound == 0, "port 53 of \(address) is taken")
        }

        deinit { close(socket) }

        /// Waits until it is asked something.
        func isAsked() async throws {
            try await blocking { [socket] in
                var byte: UInt8 = 0
                _ = recv(socket, &byte, 1, 0)
            }
        }
    }

    /// Each request to the other server is on a connection of its own.
    @Test func aSlowNameLookupDoesNotDelayOtherServers() async throws {
        let nameServer = try SilentNameServer()
        let site = try PlainSite(answering: PlainSite.answer("theirs", "Connection: close"))
        let folder = try Folder()
        let resolver = try folder.write("resolv.conf", "nameserver \(nameServer.address)\n")
        // A file of names of its own, and a view of the files in which it lies at the usual place.
        let program = try Program(
            "unshare",
            [
                "--mount", "sh", "-c", #"mount --bind "$0" /etc/resolv.conf && exec "$@""#, resolver,
                try Program.path(of: "test-server"), "-p", "0", "--quiet",
                "--upstream", "/slow=http://slow.example",
                "--upstream", "/fast=http://127.0.0.1:\(site.port)",
            ], environment: ["XDG_STATE_HOME": "/nonexistent"])
        let port = try await program.port()
        let isSlowAnswered = Observed(false)
        async let slow: [Int] = {
            defer { isSlowAnswered.change { $0 = true } }
            return try await replies(port, get("/slow")).map(\.status)
        }()
        try await nameServer.isAsked()
        // On a busy machine ten may take as long as the name does; one that waited for it would come after it.
        var before = 0
        for _ in 0..<10 where !isSlowAnswered.value {
            #expect(try await replies(port, get("/fast")).map(\.text) == ["theirs"])
            if !isSlowAnswered.value { before += 1 }
        }
        #expect(before > 0)
        // Its time for a connection is over before that for the name.
        #expect(try await slow == [504])
        #expect(await program.stop() == 0)
    }
}
