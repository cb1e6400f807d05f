import Drawbridge
import DrawbridgeServer
import Glibc

/// What is printed when the gateway listens.
struct Banner {
    let address: ServerAddress
    let gateway: Gateway
    let settings: Settings

    func print() {
        let isWildcard = ["0.0.0.0", "::"].contains(address.host)
        // All addresses are none that a caller could name.
        let address = isWildcard ? ServerAddress(host: "127.0.0.1", port: address.port) : address
        var lines = ["drawbridge listens on \(self.address)", ""]
        lines.append(
            "  page      \(address)/  \(settings.root.map { "(files of \($0))" } ?? "(shows the bridge at work)")"
        )
        for (path, handler) in gateway.registered {
            lines.append("  handler   \(path)  \(handler)")
        }
        if settings.access.requiresToken {
            lines.append(
                "  token     \(settings.access.token.text)  (a caller must send it as X-Drawbridge-Token)")
            lines.append("  others    reach this by a name or address listed with --allowed-hosts")
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
