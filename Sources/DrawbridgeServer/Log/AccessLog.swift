import Drawbridge
import HTTPTypes

/// One line for each request: `12:04:31 GET /echo  handler EchoHandler  200  3 ms  184 B  request=abc-1`.
struct AccessLog {
    let writer: LogWriter

    /// Adds the line of a request that was answered.
    func add(
        _ request: Request, _ response: Response, bytes: Int, took: Duration = .zero,
        wasCancelled: Bool = false
    ) {
        let by = response.answeredBy ?? "gateway"
        let target = String(request.target.prefix(200))
        let code = response.code.flatMap { $0 == response.status.code ? nil : $0 }
        switch writer.format {
        case .text:
            let status = "\(response.status.code)\(code.map { " (code \($0))" } ?? "")"
            writer.write(
                """
                \(request.method) \(target)  \(by)  \(wasCancelled ? "caller left" : status)  \
                \(took.milliseconds) ms  \(bytes) B  request=\(request.id)
                """)
        case .json:
            var members: JSON.Object = [
                "level": "info", "request": .string(request.id), "method": .string(request.method.rawValue),
                "target": .string(target), "by": .string(by), "status": .number(.init(response.status.code)),
            ]
            if let code { members["code"] = .number(.init(code)) }
            if wasCancelled { members["callerLeft"] = true }
            members["milliseconds"] = JSON.Number(literal: took.milliseconds).map(JSON.number)
            members["bytes"] = .number(.init(bytes))
            members["remote"] = request.remoteAddress.map(JSON.string)
            writer.write(members)
        }
    }

    /// Adds the line of what was refused before it was a request.
    func add(refused status: HTTPResponse.Status, _ message: String) {
        switch writer.format {
        case .text: writer.write("-  refused  \(status.code)  \(message)")
        case .json:
            writer.write([
                "level": "info", "by": "refused", "status": .number(.init(status.code)),
                "message": .string(message),
            ])
        }
    }
}
