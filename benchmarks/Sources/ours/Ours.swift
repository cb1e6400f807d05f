import DrawbridgeServer
import Glibc

/// The gateway that is measured:
/// `ours PORT [--log] [--pool BYTES] [--paths COUNT] [--root FOLDER] [--upstream URL [--insecure]]
/// [--connections COUNT] [--middleware] [--replies COUNT] [--journal]`.
@main
struct Ours {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        func value(_ name: String) -> String? {
            arguments.firstIndex(of: name).map { arguments[$0 + 1] }
        }
        var passThrough: [any Responder] = []
        if let root = value("--root") { passThrough.append(.staticFiles(root)) }
        if let upstream = value("--upstream") {
            var options = Upstream.Options()
            options.isInsecure = arguments.contains("--insecure")
            passThrough.append(.upstream(upstream, options))
        }
        let middleware: [any Middleware] = arguments.contains("--middleware") ? [Transparent()] : []
        let gateway = Gateway(
            passThrough: passThrough, middleware: middleware, keepsJournal: arguments.contains("--journal"))
        try gateway.register(Sync.self, at: "/sync")
        try gateway.register(Async.self, at: "/async")
        let greeter = Hop.Greeter()
        try gateway.register(at: "/actor") { Hop(greeter: greeter) }
        try gateway.register(Wait.self, at: "/wait")
        try gateway.register(Typed.self, at: "/typed")
        try gateway.register(Upload.self, at: "/upload")
        try gateway.register(Hold.self, at: "/hold")
        try gateway.register(at: "/trips") { request in Trips(request: request) }
        try gateway.register(Same.self, at: "/same")
        try gateway.register(at: "/pages") { [pages = gateway.pages] in PageCount(pages: pages) }
        for path in 0..<(value("--paths").flatMap { Int($0) } ?? 0) {
            try gateway.register(Sync.self, at: "/path/\(path)")
        }
        if let count = value("--replies").flatMap({ Int($0) }) {
            try gateway.mock(.object(.init((0..<count).map { ("other\($0)", .number(.init($0))) })))
        }
        var configuration = ServerConfiguration(
            port: Int(arguments[0]) ?? 0, logsRequests: arguments.contains("--log"))
        if let pool = value("--pool").flatMap({ Int($0) }) { configuration.limits.pool = pool }
        configuration.limits.connections = value("--connections").flatMap { Int($0) }
        let server = try GatewayServer(gateway, configuration)
        // A main thread that stays is one that profilers can bear.
        withExtendedLifetime(server) { while true { sleep(3600) } }
    }
}
