import Drawbridge
import HTTPTypes

/// One line for each request: `12:04:31 GET /echo  handler EchoHandler  200  3 ms  184 B`.
struct AccessLog {
    let writer: LogWriter

    /// Adds the line of a request that was answered.
    func add(
        _ request: Request, _ response: Response, bytes: Int, took: Duration = .zero,
        wasCancelled: Bool = false
    ) {
        let who = response.answeredBy ?? "gateway"
        let code = response.code.flatMap { $0 == response.status.code ? nil : " (code \($0))" } ?? ""
        let status = wasCancelled ? "caller left" : "\(response.status.code)\(code)"
        let target = (request.head.path ?? "/").prefix(200)
        writer.write(
            "\(request.method) \(target)  \(who)  \(status)  \(Self.milliseconds(took)) ms  \(bytes) B")
    }

    /// Adds the line of what was refused before it was a request.
    func add(refused status: HTTPResponse.Status, _ message: String) {
        writer.write("-  refused  \(status.code)  \(message)")
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int(duration / .milliseconds(1) * 10)
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(tenths / 10)"
    }
}
