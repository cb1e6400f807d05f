import ArgumentParser
import Drawbridge
import DrawbridgeHandlers
import DrawbridgeServer
import Logging

@main
struct DrawbridgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawbridge",
        abstract: "The native side of a hybrid page, as an HTTP gateway.",
        discussion: """
            Requests with _mobile_bridge=1, and those to __jsbridge__, are answered by handlers as an app would; \
            everything else is served from --root. With no arguments a page shows the bridge at work.
            """)

    @Option(name: .shortAndLong, help: "The port to listen on; 0 takes any that is free. Environment: PORT.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "The address to listen on; loopback by default. Environment: DRAWBRIDGE_HOST.",
            discussion:
                "On all addresses (0.0.0.0), handlers are only called with the page token that is printed.",
            valueName: "address"))
    var host: String?

    @Option(help: ArgumentHelp("The folder with the page's files.", valueName: "folder"))
    var root: String?

    @Option(
        help: ArgumentHelp(
            "Answers what a handler asks, in a person's place: alert=ok, 'login={\"user\":\"ann\"}'. Repeatable.",
            valueName: "name=value"))
    var answer: [String] = []

    @Option(
        help: ArgumentHelp(
            "An origin whose pages may call handlers and read the answers: https://app.example. Repeatable.",
            valueName: "origin"))
    var cors: [String] = []

    @Option(
        help: ArgumentHelp(
            "A host name by which the gateway may be reached, besides the loopback ones. Repeatable, or with commas.",
            valueName: "host"))
    var allowedHosts: [String] = []

    func validate() throws {
        if let port, !(0...65535).contains(port) {
            throw ValidationError("--port \(port): a port is a number from 0 to 65535")
        }
        for origin in cors where AccessPolicy.origin(origin) == nil {
            throw ValidationError(
                "--cors \(origin): an origin is a scheme and a host, for instance https://app.example")
        }
        do { _ = try ScriptedPresenter(answer) } catch { throw ValidationError("--answer \(error)") }
    }

    func run() async throws {
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let settings = try Settings(self)
        let gateway = try settings.makeGateway()
        let serving = Task {
            try await gateway.run(settings.server) {
                Banner(address: $0, gateway: gateway, settings: settings).print()
            }
        }
        let signals = StopSignals()
        signals.onFirst { serving.cancel() }
        do {
            try await serving.value
        } catch {
            throw CleanExit.failure("\(error)")
        }
    }
}

extension CleanExit {
    /// One line on the standard error, and exit code 1.
    static func failure(_ message: String) -> any Error {
        complain(message)
        return ExitCode.failure
    }
}
