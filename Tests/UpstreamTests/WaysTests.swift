import Drawbridge
import DrawbridgeServer
import EngineSupport
import EventLoop
import Glibc
import HTTPTypes
import Logging
import MicroHTTPD
import TestSupport
import Testing

/// Where upstreams may be, and how several share what is asked.
@Suite("Connecting to an upstream", .timeLimit(.minutes(5)))
struct WaysTests {
    private static func named(_ name: String, at place: RawUpstream.Place = .loopback) throws -> RawUpstream {
        try RawUpstream(at: place) { connection, head in
            let target = head.split(separator: " ")[1]
            try connection.send(ok("\(name) \(target)", "X-Host: \(head.field("Host") ?? "")"))
        }
    }

    /// The text of an answer to a GET request.
    private static func text(_ port: Int, _ target: String) async throws -> String {
        try await reply(port, get(target)).text
    }

    @Test func severalUpstreamsAndFilesAreAskedInTheirOrder() async throws {
        let (api, versioned, rest) = (
            try Self.named("api"), try Self.named("versioned"), try Self.named("rest")
        )
        defer { for upstream in [api, versioned, rest] { upstream.stop() } }
        let folder = try Folder()
        try folder.write("file.txt", "file")
        try folder.write("api/file.txt", "never")
        let gateway = Gateway.quiet([
            .upstream("/api=http://127.0.0.1:\(api.port)"),
            .upstream("/old=http://127.0.0.1:\(versioned.port)/v2"),
            .staticFiles(folder.path), .upstream("http://127.0.0.1:\(rest.port)"),
        ])
        try await serving(gateway) { port in
            let expected = [
                "/api/file.txt?a": "api /api/file.txt?a", "/api": "api /api", "/old/x?y": "versioned /v2/x?y",
                "/old": "versioned /v2", "/file.txt": "file", "/apix": "rest /apix", "/": "rest /",
                "/older": "rest /older",
            ]
            for (target, text) in expected {
                let got = try await Self.text(port, target)
                #expect(got == text)
            }
        }
    }

    @Test(arguments: ["unix:", "http://unix:"])
    func anUpstreamMayBeAUnixSocket(_ scheme: String) async throws {
        let folder = try Folder()
        let path = "\(folder.path)/s"
        let upstream = try Self.named("socket", at: .unix(path))
        defer { upstream.stop() }
        try await serving(.quiet([.upstream(scheme + path)])) { port in
            let reply = try await reply(port, get("/x"))
            #expect(reply.text == "socket /x")
            #expect(reply["X-Host"] == "localhost")
        }
    }

    @Test func anUpstreamMayHaveAnIPv6Address() async throws {
        let upstream = try Self.named("six", at: .loopback6)
        defer { upstream.stop() }
        try await serving(.quiet([.upstream("http://[::1]:\(upstream.port)")])) { port in
            let reply = try await reply(port, get("/x"))
            #expect(reply.text == "six /x")
            #expect(reply["X-Host"] == "[::1]:\(upstream.port)")
        }
    }

    @Test(arguments: [true, false]) func anUpstreamAtLocalhostIsFoundByIPv4OrIPv6(_ isIPv6: Bool) async throws
    {
        let upstream = try Self.named("local", at: isIPv6 ? .loopback6 : .loopback)
        defer { upstream.stop() }
        try await serving(.quiet([.upstream("http://localhost:\(upstream.port)")])) { port in
            let reply = try await reply(port, get("/x"))
            #expect(reply.text == "local /x")
        }
    }

    /// A server at one address of `localhost`, and nobody who takes anything at the other, at the same port.
    private static func pair(_ isIPv6Silent: Bool) throws -> (RawUpstream, SilentListener) {
        // As long as they listen, the system chooses other ports for the next.
        var others: [RawUpstream] = []
        defer { for other in others { other.stop() } }
        while true {
            let upstream = try named("local", at: isIPv6Silent ? .loopback : .loopback6)
            do {
                return (upstream, try SilentListener(isIPv6: isIPv6Silent, port: upstream.port))
            } catch {
                // Somebody else has the port there.
                others.append(upstream)
                guard others.count < 20 else { throw error }
            }
        }
    }

    /// Nobody takes a connection at the first address, and nobody refuses one: its queue is full.
    @Test(arguments: [true, false]) func theOtherAddressOfAHostIsTriedIfOneIsSilent(_ isIPv6Silent: Bool)
        async throws
    {
        let (upstream, silent) = try Self.pair(isIPv6Silent)
        defer { upstream.stop() }
        var options = Upstream.Options()
        // Far more than this test may take.
        options.connectTimeout = .seconds(3600)
        try await serving(.quiet([.upstream("http://localhost:\(upstream.port)", options)])) { port in
            let reply = try await reply(port, get("/x"))
            #expect(reply.text == "local /x")
        }
        withExtendedLifetime(silent) {}
    }

    // MARK: https

    /// Runs a test with a server for https, and the file of its certificate.
    private func secure(_ test: (_ port: Int, _ certificate: String) async throws -> Void) async throws {
        let certificates = try Certificates()
        let (certificate, key) = try await certificates.make()
        let identity = try TLSIdentity(certificateFile: certificate, keyFile: key)
        let server = HTTPServer(
            tls: identity, loops: 1, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { exchange in
            let body = Array("secure \(exchange.body.count)".utf8)
            exchange.send(HTTPResponse(status: .ok), body)
        }
        try server.start()
        do {
            try await test(server.port, certificate)
        } catch {
            await server.stop(within: .seconds(1))
            throw error
        }
        await server.stop(within: .seconds(1))
    }

    @Test func aTrustedCertificateIsAccepted() async throws {
        try await secure { secure, certificate in
            var options = Upstream.Options()
            options.certificates = certificate
            for host in ["127.0.0.1", "localhost"] {
                try await serving(.quiet([.upstream("https://\(host):\(secure)", options)])) { port in
                    for size in [0, 4, 1_000_000] {
                        let reply = try await reply(
                            port, request("POST", "/", "Content-Length: \(size)") + pattern(size))
                        #expect(reply.text == "secure \(size)")
                    }
                }
            }
        }
    }

    @Test func aFileOfCertificatesThatHasChangedIsReadAgain() async throws {
        try await secure { secure, certificate in
            let (folder, certificates) = (try Folder(), try Certificates())
            let (other, _) = try await certificates.make("other")
            func text(_ path: String) throws -> String {
                String(decoding: try certificates.read(path), as: UTF8.self)
            }
            var options = Upstream.Options()
            options.certificates = try folder.write("ca.pem", text(other))
            try await serving(.quiet([.upstream("https://localhost:\(secure)", options)])) { port in
                let before = try await reply(port, get("/"))
                #expect(before.status == 502)
                _ = try folder.write("ca.pem", text(certificate) + text(other))
                let after = try await reply(port, get("/"))
                #expect(after.text == "secure 0")
            }
        }
    }

    @Test func anUntrustedCertificateIsRefusedUnlessThatIsSwitchedOff() async throws {
        try await secure { secure, _ in
            try await serving(.quiet([.upstream("https://localhost:\(secure)")])) { port in
                let reply = try await reply(port, get("/"))
                #expect(reply.status == 502)
                #expect(reply.text.contains("no trusted connection to localhost:\(secure)"), "\(reply.text)")
            }
            var options = Upstream.Options()
            options.isInsecure = true
            try await serving(.quiet([.upstream("https://localhost:\(secure)", options)])) { port in
                let reply = try await reply(port, get("/"))
                #expect(reply.text == "secure 0")
            }
        }
    }

    @Test func aServerThatSpeaksNoTLSIsA502() async throws {
        let plain = try RawUpstream { connection in
            try connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            try connection.drain()
        }
        defer { plain.stop() }
        try await serving(.quiet([.upstream("https://127.0.0.1:\(plain.port)")])) { port in
            let reply = try await reply(port, get("/"))
            #expect(reply.status == 502)
        }
    }
}

/// Listens at an address of this machine, and takes no connection: those that come wait for ever.
private final class SilentListener {
    private var sockets: [Int32] = []

    init(isIPv6: Bool, port: Int) throws {
        let family = isIPv6 ? AF_INET6 : AF_INET
        let listener = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        sockets.append(listener)
        try Self.withAddress(isIPv6, port) { address, length in
            guard bind(listener, address, length) == 0, listen(listener, 0) == 0 else {
                throw SystemError("cannot listen")
            }
            // The first ones fill its queue, and the others find it full.
            for _ in 0..<4 {
                let caller = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                sockets.append(caller)
                _ = connect(caller, address, length)
            }
        }
    }

    deinit { for socket in sockets { close(socket) } }

    private static func withAddress(
        _ isIPv6: Bool, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        func use<Address>(_ address: Address) throws {
            try withUnsafePointer(to: address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    try body($0, socklen_t(MemoryLayout<Address>.size))
                }
            }
        }
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            address.sin6_addr = in6addr_loopback
            try use(address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            try use(address)
        }
    }
}
