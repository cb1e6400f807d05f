public import Drawbridge
import Logging

extension Gateway {
    /// Listens and answers until the task is cancelled, then stops: running requests get a while to finish.
    ///
    /// - Parameters:
    ///   - configuration: where and how it listens.
    ///   - onListening: told once, with the address that it really is; without it, the log says that.
    /// - Throws: a `ListenError` that says what to do when the port cannot be had, and that the log has too;
    ///   ``HandlersLeftBehindError`` after a stop that handlers ignored.
    public func run(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        onListening: ((ServerAddress) -> Void)? = nil
    ) async throws {
        let server: GatewayServer
        do {
            server = try GatewayServer(self, configuration)
        } catch {
            // Logged, because an error that a program does not catch is hard to find in the output of its crash.
            logger.critical("\(error)")
            throw error
        }
        if let onListening {
            onListening(server.address)
        } else {
            logger.notice("listening on \(server.address)")
        }
        try await serve(by: server)
    }

    /// Answers until the task is cancelled, then stops.
    package func serve(by server: GatewayServer) async throws {
        while (try? await Task.sleep(for: .seconds(3600))) != nil {}
        let leftBehind = await server.end()
        if leftBehind > 0 { throw HandlersLeftBehindError(count: leftBehind) }
    }
}

/// A gateway has stopped, and handlers that ignored their cancellation still run.
///
/// The log has said so, and how many they are.
public struct HandlersLeftBehindError: Error, CustomStringConvertible, Equatable {
    /// How many there are.
    public let count: Int

    /// What happened, for a person.
    public var description: String {
        "\(count) handlers ignored their cancellation and were left behind; let a handler end when its task is cancelled"
    }
}
