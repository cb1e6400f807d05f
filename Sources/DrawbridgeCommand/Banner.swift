import Drawbridge
import DrawbridgeServer

/// What is said when the gateway listens.
struct Banner {
    let address: ServerAddress
    let gateway: Gateway
    let settings: Settings

    func print() {
        if settings.logFormat == .json {
            LogWriter.standardError.write(members)
            return LogWriter.standardError.flush()
        }
        var lines = ["\(Command.program.name) listens on \(address)"]
        if settings.verbosity == .quiet {
            // Without it nobody could call.
            if let token { lines.append("token \(token)") }
        } else {
            lines += [""] + details + [""]
        }
        LogWriter.standardError.say(lines)
    }

    /// The same for programs.
    private var members: JSON.Object {
        var members: JSON.Object = [
            "level": "info", "message": "listening", "address": .string("\(address)"), "page": .string(page),
            "handlers": .object(.init(gateway.registered.map { ($0.path, .string($0.handler)) })),
            "openToOthers": .bool(token != nil),
        ]
        if !settings.upstreams.isEmpty {
            members["upstreams"] = .array(settings.upstreams.map(JSON.string))
        }
        if settings.isProxy { members["proxy"] = .string(proxyScript) }
        members["token"] = (token ?? proxyToken).map(JSON.string)
        if gateway.pageRuntime != nil { members["testerToken"] = .string(gateway.testerToken.text) }
        return members
    }

    /// What callers must send, where others than this machine could call.
    private var token: String? { settings.access.requiresToken ? settings.access.token.text : nil }

    /// What a browser's calls by way of the proxy must carry, where others need none.
    private var proxyToken: String? {
        settings.isProxy && !settings.access.requiresToken ? settings.access.token.text : nil
    }

    /// What sets a browser up.
    private var proxyScript: String { "\(reachable)/__drawbridge__/proxy.pac" }

    /// The page, at an address that a browser can open.
    var page: String { "\(reachable)/" }

    /// All addresses are none that a caller could name.
    private var reachable: ServerAddress {
        let isWildcard = ["0.0.0.0", "::"].contains(address.host)
        guard isWildcard else { return address }
        return ServerAddress(scheme: address.scheme, host: "127.0.0.1", port: address.port)
    }

    /// Where the page comes from.
    private var source: String {
        let files = settings.root.map { "files of \($0)" }
        guard let pageServer else { return files ?? "shows the bridge at work" }
        return files.map { settings.asksFilesLast ? "from \(pageServer)" : "\($0), then from \(pageServer)" }
            ?? "from \(pageServer)"
    }

    /// The upstream that is asked for what no other has a path for.
    private var pageServer: String? {
        settings.upstreams.first { !$0.hasPrefix("/") || $0.hasPrefix("/=") }
    }

    private var details: [String] {
        var lines = ["  page      \(page)  (\(source))"]
        for upstream in settings.upstreams where upstream != pageServer {
            lines.append("  behind    \(upstream)")
        }
        if settings.isProxy {
            lines.append("  proxy     \(proxyScript)  (for http:// pages; those of --cors may call)")
        }
        let width = gateway.registered.map(\.path.count).max() ?? 0
        for (index, (path, handler)) in gateway.registered.enumerated() {
            let padding = String(repeating: " ", count: width - path.count)
            lines.append("  \(index == 0 ? "handlers" : "        ")  \(path)\(padding)  \(handler)")
        }
        lines += exposure
        if gateway.pageRuntime != nil {
            lines.append(
                "  pages     curl \(trust)-H 'X-Drawbridge-Token: \(gateway.testerToken.text)' \(reachable)/__drawbridge__/pages"
            )
        }
        lines.append("  try       \(example)")
        return lines
    }

    /// Who may call.
    private var exposure: [String] {
        var lines: [String] = []
        if let token {
            lines.append("  open to   other machines, by a name or address listed with --allowed-hosts")
            lines.append("  token     \(token)  (\(whoSendsIt) X-Drawbridge-Token)")
        } else {
            lines.append("  open to   this machine")
            if let proxyToken {
                lines.append(
                    "  token     \(proxyToken)  (by proxy to other hosts than __jsbridge__, \(whoSendsIt) X-Drawbridge-Token)"
                )
            }
        }
        let origins = settings.access.allowedOrigins.sorted()
        if !origins.isEmpty { lines.append("  and       pages of \(origins.joined(separator: ", "))") }
        return lines
    }

    /// Pages that are given the script hold the token, and send it.
    private var whoSendsIt: String {
        gateway.pageRuntime == nil
            ? "every caller, pages included, must send it as"
            : "pages send it by themselves, other callers must send it as"
    }

    /// The certificate may be one that curl does not know, or for another name.
    private var trust: String { address.scheme == "https" ? "-k " : "" }

    /// A line to try: the echo, or what else there is.
    private var example: String {
        let paths = gateway.registered.map(\.path)
        let query = "_mobile_bridge=1"
        let call =
            paths.contains("/echo")
            ? "/echo?\(query)&message=Hello"
            : "\(paths.first { !$0.contains(where: ":*".contains) } ?? "/")?\(query)"
        let header = token.map { " -H 'X-Drawbridge-Token: \($0)'" } ?? ""
        return "curl \(trust)'\(reachable)\(call)'\(header)"
    }
}
