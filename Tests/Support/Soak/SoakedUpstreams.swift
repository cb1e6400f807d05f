import TestSupport

/// The servers behind the gateway: two that keep the rules, with and without TLS, and one that does not.
final class SoakedUpstreams: Sendable {
    private let plain: Program
    private let secure: Program
    private let broken: RawUpstream
    private let plainPort: Int
    private let securePort: Int

    /// Starts them, and waits until they listen.
    ///
    /// - Parameter certificate: the files of the one with TLS.
    init(_ certificate: (certificate: String, key: String)) async throws {
        plain = try Program.product("echo-server")
        secure = try Program.product("echo-server", ["0", certificate.certificate, certificate.key])
        broken = try RawUpstream(answering: BrokenUpstream.answer)
        plainPort = try await plain.port()
        securePort = try await secure.port()
    }

    /// What puts the gateway in front of them: paths that begin with `/http`, `/https` and `/broken`.
    var options: [String] {
        [
            "--upstream", "/http=http://127.0.0.1:\(plainPort)/",
            "--upstream", "/https=https://127.0.0.1:\(securePort)/",
            "--upstream", "/broken=http://127.0.0.1:\(broken.port)/", "--upstream-insecure",
        ]
    }

    /// The ports that they listen on.
    var ports: Set<Int> { [plainPort, securePort, broken.port] }

    /// Ends them, in good order where they can.
    func stop() async {
        broken.stop()
        _ = await plain.stop()
        _ = await secure.stop()
    }
}
