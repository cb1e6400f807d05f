import Drawbridge
import DrawbridgeServer
import Glibc

/// What is printed when the gateway listens.
struct Banner {
    let address: ServerAddress
    let gateway: Gateway
    let settings: Settings

    func print() {
        var lines = ["drawbridge listens on \(address)", ""]
        lines.append(
            "  page      \(address)/  \(settings.root.map { "(files of \($0))" } ?? "(shows the bridge at work)")"
        )
        for (path, handler) in gateway.registered {
            lines.append("  handler   \(path)  \(handler)")
        }
        if settings.access.requiresToken {
            lines.append(
                "  token     \(settings.access.token.text)  (handlers are called with X-Drawbridge-Token)")
        }
        lines += ["", "  try       curl '\(address)/echo?_mobile_bridge=1&message=Hello'\(token)", ""]
        say(lines.joined(separator: "\n"))
    }

    private var token: String {
        settings.access.requiresToken ? " -H 'X-Drawbridge-Token: \(settings.access.token.text)'" : ""
    }
}

/// Says what went wrong on the standard error.
func complain(_ message: String) { say("drawbridge: \(message)") }

private func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
