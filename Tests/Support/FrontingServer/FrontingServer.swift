import Drawbridge
import DrawbridgeServer

/// A gateway in front of the server that its argument names, as a process whose memory can be judged.
@main
struct FrontingServer {
    static func main() async throws {
        let gateway = Gateway(passThrough: CommandLine.arguments.dropFirst().map { .upstream($0) })
        try await gateway.run(.init(port: 0, logsRequests: false))
    }
}
