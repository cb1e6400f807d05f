import ArgumentParser
import Drawbridge
import DrawbridgeHandlers
import DrawbridgeServer
import Glibc

/// What flags, environment and defaults say together; a flag beats the environment, which beats the default.
struct Settings {
    let server: ServerConfiguration
    let access: AccessPolicy
    let root: String?
    /// Seconds that running requests get at a stop.
    let grace: Double
    let answers: Answers

    init(_ options: Options) throws {
        let host = options.host ?? Self.environment("DRAWBRIDGE_HOST") ?? "127.0.0.1"
        grace = options.grace ?? 3
        server = ServerConfiguration(
            host: host, port: try options.port ?? Self.environmentPort() ?? 8080, grace: .seconds(grace))
        let listed = options.allowedHosts.flatMap { $0.split(separator: ",").map(String.init) }
        access = AccessPolicy(
            allowedHosts: Set(listed + [host]), allowedOrigins: Set(options.cors),
            // Whoever is on the network could call; the server itself checks what the name stands for.
            requiresToken: !ServerAddress(host: host, port: 0).isLoopback)
        root = options.root
        answers = try Answers(options.answer)
    }

    func makeGateway() throws -> Gateway {
        let files: any Responder = if let root { try StaticFiles(root: root) } else { WelcomePage() }
        return Gateway(
            passThrough: [files], access: access, presenter: ScriptedPresenter(answers.values))
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func environmentPort() throws -> Int? {
        guard let text = environment("PORT") else { return nil }
        guard let port = Int(text), (0...65535).contains(port) else {
            throw ValidationError("PORT=\(text): a port is a number from 0 to 65535")
        }
        return port
    }
}
