import ArgumentParser
import Dispatch
public import Drawbridge
import DrawbridgeHandlers
import DrawbridgeServer
import Glibc
import Logging

/// The `drawbridge` command with your own handlers: flags, banner, access log, signals.
///
/// ```swift
/// import DrawbridgeCommand
///
/// await GatewayCommand.run { gateway in
///     gateway.register(LoginHandler.self, at: "/login")
/// }
/// ```
public enum GatewayCommand {
    /// Reads the arguments of the process, serves until SIGTERM or Ctrl-C, and ends the process.
    ///
    /// The exit code is 0 after a stop in good order, 1 when it cannot serve, 64 for arguments that it does not take.
    /// The handlers that the command has of its own are there already; registering a path again replaces them.
    public static func run(_ register: @Sendable (Gateway) async throws -> Void) async -> Never {
        LoggingSystem.bootstrap { _ in LineLogHandler(.standardError) }
        let settings: Settings
        do {
            settings = try Settings(Command.parseOrExit().options)
        } catch {
            Command.exit(withError: error)
        }
        do {
            let gateway = try settings.makeGateway()
            try await register(gateway)
            gateway.registerStandardHandlers(
                location: RequestLocationHandler.greenwich, store: try Store())
            try await serve(gateway, settings)
        } catch {
            LogWriter.standardError.flush()
            complain("\(error)")
            exit(1)
        }
        exit(0)
    }

    private static func serve(_ gateway: Gateway, _ settings: Settings) async throws {
        // The signals come first: whoever reads the banner may send one at once.
        let signals = StopSignals()
        let serving = Task {
            try await gateway.run(settings.server) {
                Banner(address: $0, gateway: gateway, settings: settings).print()
            }
        }
        signals.onFirst {
            serving.cancel()
            // A handler that never lets go of its loop keeps everything from being stopped but the process.
            let patience = settings.grace + 3
            DispatchQueue.global().asyncAfter(deadline: .now() + patience) {
                complain("a handler holds its thread, and was left behind")
                exit(1)
            }
        }
        try await serving.value
    }
}

/// The arguments as the parser sees them.
private struct Command: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawbridge",
        abstract: "The native side of a hybrid page, as an HTTP gateway.",
        discussion: """
            Requests with _mobile_bridge=1, and those to __jsbridge__, are answered by handlers as an app would; \
            everything else is served from --root. With no arguments a page shows the bridge at work.
            """)

    @OptionGroup var options: Options
}
