extension Gateway {
    /// Listens and serves until the task is cancelled; then running requests may finish within the grace period.
    ///
    /// - Parameters:
    ///   - configuration: host, port, TLS, limits and log.
    ///   - onListening: called once with the actual address; by default that is logged.
    /// - Throws: `ListenError` if the port cannot be bound, which is logged too; ``HandlersLeftBehindError`` if
    ///   handlers ignored their cancellation at the stop.
    public func run(
        _ configuration: ServerConfiguration = ServerConfiguration(),
        onListening: ((ServerAddress) -> Void)? = nil
    ) async throws {
        let server: GatewayServer
        do {
            server = try GatewayServer(self, configuration)
        } catch {
            // Logged too, because an uncaught error is hard to find in the output of a crash.
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

    package func serve(by server: GatewayServer) async throws {
        while (try? await Task.sleep(for: .seconds(3600))) != nil {}
        let leftBehind = await server.end()
        if leftBehind > 0 { throw HandlersLeftBehindError(count: leftBehind) }
    }
}

/// The gateway has stopped, but some handlers ignored their cancellation and still run; this is logged too.
public struct HandlersLeftBehindError: Error, CustomStringConvertible, Equatable {
    /// The number of handlers that still run.
    package let count: Int

    /// How many handlers were left behind.
    public var description: String {
        "\(count) handlers ignored their cancellation and were left behind; let a handler end when its task is cancelled"
    }
}
