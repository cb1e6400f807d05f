import Glibc

struct Banner {
    let address: ServerAddress
    let gateway: Gateway
    let settings: Settings
    let inspector: String?
    let takesWords: Bool
    let invitation: Invitation
    /// The ticket in the links for other devices; nil if only this machine has access.
    let ticket: String?

    func print() {
        if settings.logFormat == .json {
            LogWriter.standardError.write(members)
            return LogWriter.standardError.flush()
        }
        var lines = ["\(Command.program.name) listens on \(address)"]
        if settings.options[\.log.verbosity] == .quiet {
            // Printed even with --quiet, because another device has no access without a link.
            lines += links.map { "link \($0.url)" }
        } else {
            lines += [""] + details + [""]
        }
        LogWriter.standardError.say(lines)
        guard settings.options[\.access.lan] == true, takesWords, let link = links.first else { return }
        for line in QRCode(link.url)?.lines ?? [] { LogWriter.standardError.write(line, as: .picture) }
    }

    private var members: JSON.Object {
        var members: JSON.Object = [
            "level": "info", "message": "listening", "address": .string("\(address)"), "page": .string(page),
            "handlers": .object(
                JSON.Object(handlers.map { ($0.key, .string($0.value.joined(separator: ", "))) })),
            "openToOthers": .bool(ticket != nil),
        ]
        if !replies.isEmpty {
            members["replies"] = .object(
                .init(replies.map { ($0.source, .array($0.names.map(JSON.string))) }))
        }
        if !settings.upstreams.isEmpty {
            members["upstreams"] = .array(settings.upstreams.map(JSON.string))
        }
        members["inspector"] = inspector.map(JSON.string)
        if ticket != nil { members["links"] = .array(links.map { .string($0.url) }) }
        // A token that was chosen is not printed, so that it cannot be read in the log.
        if gateway.pageRuntime != nil, !gateway.testerToken.isChosen {
            members["testerToken"] = .string(gateway.testerToken.text)
        }
        return members
    }

    private var links: [Invitation.Link] { ticket.map(invitation.links) ?? [] }

    /// Opens the page in the browser.
    ///
    /// - Returns: if a browser on this machine needs a ticket too, the file with that link, to be removed at the end.
    func openPage() throws -> RedirectFile? {
        guard let ticket, !address.isWildcard || !invitation.trustsThisMachine else {
            try Desktop.open(page)
            return nil
        }
        return try RedirectFile.open(invitation.links(with: ticket)[0].url)
    }

    private var page: String { "\(reachable)/" }

    /// The URL to show to users of this machine.
    private var reachable: String { invitation.publicURL ?? "\(address.reachable)" }

    private var source: String {
        let files = settings.root.map { "files of \($0)" }
        guard let pageServer else { return files ?? "an example, to try" }
        let isFirst = files == nil || settings.options[\.behind.filesLast] == true
        return "\(isFirst ? "" : "\(files ?? ""), then ")from \(pageServer)"
    }

    private var pageServer: String? { Settings.pageServer(of: settings.upstreams) }

    private var replies: [ReplyNames] { settings.replies.layers.replies }

    private var details: [String] {
        var lines = ["  page      \(page)  (\(source))"]
        if settings.root == nil, pageServer == nil {
            let isHere = access("index.html", F_OK) == 0
            lines.append("            serve yours: \(Command.program.called) \(isHere ? "." : "my-page")")
        }
        if let inspector {
            lines.append("  inspector \(inspector)  (see and answer each call; the link works once)")
        }
        for upstream in settings.upstreams where upstream != pageServer {
            lines.append("  upstream  \(upstream)")
        }
        if case .file(let text) = settings.found {
            let other = FoundFile.there(in: settings.root).first { $0 != text.path }
            let also = other.map { "; ./\($0) is not read" } ?? ""
            lines.append("  settings  \(text.path)  (found\(also))")
        }
        for (index, layer) in replies.enumerated() {
            let list = Self.list(layer.names)
            lines.append("  \(index == 0 ? "replies " : "        ")  \(list)  (\(layer.source))")
        }
        if let scenarios = gateway.replyBook.listedScenarios { lines.append("  scenarios \(scenarios)") }
        if !ownPaths.isEmpty { lines.append("  handlers  \(Self.list(ownPaths))") }
        let isPart = !gateway.program.switchedOff.isEmpty
        if !builtInPaths.isEmpty {
            let why = isPart ? "  (the others are off, since there are mocks; --built-ins)" : ""
            lines.append("  built-in  \(Self.list(builtInPaths))\(why)")
        } else if isPart {
            lines.append("  built-in  off, since there are mocks  (--built-ins turns them on)")
        }
        lines += exposure
        #if DEBUG
        lines.append("  build     debug build, a fifth of the speed: build it with -c release")
        #endif
        lines.append("  manual    \(reachable)/__drawbridge__/manual/")
        if gateway.pageRuntime != nil, invitation.trustsThisMachine || gateway.access.apiIsForOthers {
            let header =
                gateway.testerToken.isChosen
                ? #""Authorization: Bearer $DRAWBRIDGE_TOKEN""#
                : "'Authorization: Bearer \(gateway.testerToken.text)'"
            lines.append("  pages     curl \(trust)-H \(header) \(reachable)/__drawbridge__/pages")
        }
        // Without that trust curl would need the page token too.
        if invitation.trustsThisMachine, let example { lines.append("  try       \(example)") }
        if takesWords { lines.append("  help      ? and Enter lists what you can type here") }
        return lines
    }

    private var handlers: [(key: String, value: [String])] {
        gateway.registered.sorted { $0.key < $1.key }
    }

    private var ownPaths: [String] { handlers.map(\.key).filter { !builtInPaths.contains($0) } }

    private var builtInPaths: [String] { gateway.program.builtIns.sorted().map { "/\($0)" } }

    private static func list(_ names: [String]) -> String {
        names.prefix(6).joined(separator: ", ") + (names.count > 6 ? ", … (\(names.count))" : "")
    }

    private var exposure: [String] {
        var lines: [String] = []
        let isHere = address.isWildcard && invitation.trustsThisMachine
        if ticket != nil {
            let others = invitation.trustsThisMachine ? "devices that open" : "whoever opens"
            lines.append(
                "  access    \(isHere ? "this machine, and " : "")\(others) this link within ten minutes:")
            lines += links.map { "  link      \($0.line)" }
            if links.isEmpty { lines.append("            \(Invitation.unreachable)") }
            if address.scheme == "http", invitation.trustsThisMachine {
                lines.append(
                    "            anyone on this network can read this traffic; use https: --cert, --key"
                )
            }
        } else {
            lines.append("  access    this machine")
        }
        let origins = settings.access.allowedOrigins.sorted()
        if !origins.isEmpty { lines.append("            and pages of \(origins.joined(separator: ", "))") }
        return lines
    }

    /// curl's flag to skip the verification, because the certificate may be self-signed or for another name.
    private var trust: String { address.scheme == "https" ? "-k " : "" }

    /// A curl command to try: one of the program's handlers or a mock, else the echo; nil if nothing answers.
    private var example: String? {
        let own = (ownPaths + replies.flatMap(\.names).map { "/\($0)" }).lazy.filter {
            $0.utf8.allSatisfy { $0.isWord || "./:*-".utf8.contains($0) }
        }
        // Parameters in a path become placeholders: `/user/:id` is shown as `/user/ID`.
        let named = (own.first { !$0.contains(where: ":*".contains) } ?? own.first).map { path in
            path.split(separator: "/").map {
                $0 == "*" || $0.first == ":" ? $0.drop { $0 == ":" }.uppercased() : "\($0)"
            }
            .map { "/\($0)" }.joined()
        }
        let isEcho = named == nil && builtInPaths.contains("/echo")
        guard let path = isEcho ? "/echo" : named ?? builtInPaths.min() else { return nil }
        return "curl \(trust)'\(reachable)\(path)?_mobile_bridge=1\(isEcho ? "&message=Hello" : "")'"
    }
}
