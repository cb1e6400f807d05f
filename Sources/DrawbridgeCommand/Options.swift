import ArgumentParser
import Drawbridge
import DrawbridgeHandlers

/// The command's flags.
struct Options: ParsableArguments {
    @Option(name: .shortAndLong, help: "The port to listen on; 0 takes any that is free. Environment: PORT.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "The address to listen on; loopback by default. Environment: DRAWBRIDGE_HOST.",
            discussion:
                "Where other machines could call, handlers want the page token that is printed, as X-Drawbridge-Token.",
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

    @Option(
        help: ArgumentHelp(
            "How long running requests may take to finish when the gateway is stopped; 3 by default.",
            valueName: "seconds"))
    var grace: Double?

    func validate() throws {
        if let grace, !(0...3600).contains(grace) {
            throw ValidationError("--grace \(grace): it is a number of seconds from 0 to 3600")
        }
        if let port, !(0...65535).contains(port) {
            throw ValidationError("--port \(port): a port is a number from 0 to 65535")
        }
        for origin in cors where AccessPolicy.origin(origin) == nil {
            throw ValidationError(
                "--cors \(origin): an origin is a scheme and a host, for instance https://app.example")
        }
        for text in answer { _ = try Answers.parse(text) }
    }
}
