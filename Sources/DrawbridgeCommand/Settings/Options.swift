import ArgumentParser
import Drawbridge
import DrawbridgeHandlers
import DrawbridgeServer

/// The command's flags, which are the keys of its configuration file too.
struct Options: ParsableArguments {
    @OptionGroup(title: "Where it listens") var listening: ListeningOptions
    @OptionGroup(title: "What it serves") var serving: ServingOptions
    @OptionGroup(title: "What lies behind it") var behind: BehindOptions
    @OptionGroup(title: "What pages are given") var pages: PageOptions
    @OptionGroup(title: "Who may call") var access: AccessOptions
    @OptionGroup(title: "What handlers answer") var handlers: HandlerOptions
    @OptionGroup(title: "What it says") var log: LogOptions
    @OptionGroup(title: "The inspector, where a person sees every call") var inspector: InspectorOptions
}

struct ListeningOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The port; 0 takes any that is free. (default: 8080, environment: PORT)", valueName: "number"))
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "The address. (default: 127.0.0.1, environment: DRAWBRIDGE_HOST)",
            discussion:
                "Where other machines could call, they are let in by a link that is printed, and by nothing else.",
            valueName: "address"))
    var host: String?

    @Option(
        help: ArgumentHelp(
            "A certificate and its chain, as PEM: serves https, TLS 1.2 and up. Needs --key.",
            valueName: "file"), completion: .file())
    var cert: String?

    @Option(help: ArgumentHelp("The private key of --cert, as PEM.", valueName: "file"), completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp(
            "How long requests under way may take to finish when it is stopped. (default: 3)",
            valueName: "seconds"))
    var grace: Double?

    @Option(
        help: ArgumentHelp(
            "The memory for the bodies of all requests together. (default: a quarter of what there is)",
            discussion:
                "What does not fit is a 503: 256MB, 2GB. Answers that wait for their readers are among them.",
            valueName: "size"))
    var memoryForBodies: ByteCount?

    @Option(
        help: ArgumentHelp(
            "The memory of a connection for a request's head, with its query and cookies. (default: 16KB)",
            valueName: "size"))
    var memoryPerConnection: ByteCount?

    func validate() throws {
        if let memoryPerConnection, !(4 << 10...16 << 20).contains(memoryPerConnection.bytes) {
            throw ValidationError(
                "--memory-per-connection: it is a size from 4KB to 16MB, for instance 64KB")
        }
        if let memoryForBodies, memoryForBodies.bytes < 1 << 20 {
            throw ValidationError(
                "--memory-for-bodies: it is a size of 1MB or more, for instance 256MB or 2GB")
        }
        if let port, !(0...65535).contains(port) {
            throw ValidationError("--port \(port): a port is a number from 0 to 65535")
        }
        if let grace, !(0...3600).contains(grace) {
            throw ValidationError("--grace \(grace): it is a number of seconds from 0 to 3600")
        }
    }
}

struct ServingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder with the page's files. (default: a page that shows the bridge at work)",
            valueName: "folder"), completion: .directory)
    var root: String?

    @Flag(inversion: .prefixedNo, help: "Open the page in the browser.")
    var open: Bool?
}

struct AccessOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An origin whose pages may call and read the answers: https://app.example. Repeatable.",
            valueName: "origin"))
    var cors: [String] = []

    @Option(
        help: ArgumentHelp(
            "A name by which the gateway may be reached, besides the loopback ones. Repeatable, or with commas.",
            valueName: "host"))
    var allowedHosts: [String] = []

    @Option(
        help: ArgumentHelp(
            "A proxy in front, or a range of them, that is believed for whom it asks: 127.0.0.1. Repeatable.",
            discussion: "Without it, whoever comes by way of a proxy is from elsewhere.", valueName: "address"
        ))
    var trustedProxy: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Let programs on other machines use the tester's API too, with its token.")
    var apiForOthers: Bool?

    func validate() throws {
        for text in trustedProxy {
            do {
                _ = try AddressRange(text)
            } catch {
                throw ValidationError("--trusted-proxy: \(error)")
            }
        }
        for origin in cors where AccessPolicy.origin(origin) == nil {
            throw ValidationError(
                "--cors \(origin): an origin is a scheme and a host, for instance https://app.example")
        }
        for host in allowedHosts.flatMap(Self.hosts) where !Self.isHost(host) {
            throw ValidationError(
                "--allowed-hosts \(host): write a name or an address, for instance phone.local")
        }
    }

    private static func isHost(_ text: String) -> Bool {
        if text.contains(":") {
            return Authority(text.hasPrefix("[") ? text : "[\(text)]").map { $0.port == nil } == true
        }
        return !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || ".-_".contains($0) }
    }

    /// The names in a list with commas.
    static func hosts(_ list: String) -> [String] {
        list.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }.filter {
            !$0.isEmpty
        }
    }
}

struct HandlerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Answers a page's call of a name, in place of a handler: 'getUser={\"nick\":\"Ann\"}'. Repeatable.",
            discussion: "Mocks native: any JSON value, or an object of words such as $error, $delay, $cases.",
            valueName: "name=value"))
    var reply: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file of such answers, read again when it is saved. Repeatable.",
            discussion: "{\"replies\": {\"getUser\": {\"nick\": \"Ann\"}}}", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var replies: [String] = []

    @Option(
        help: ArgumentHelp(
            "A scenario of these files that is on at first: offline, user/signed-in. Repeatable.",
            valueName: "name"))
    var scenario: [String] = []

    @Option(
        help: ArgumentHelp(
            "An origin on another machine that replies may ask by $forward: https://mocks.example. Repeatable.",
            valueName: "origin"))
    var forwardTo: [String] = []

    @Option(
        help: ArgumentHelp(
            "Answers what a person is asked, in their place: alert=ok, 'login={\"user\":\"ann\"}'. Repeatable.",
            discussion:
                "@answers.json reads a file of them: {\"alert\":\"ok\",\"login\":{\"user\":\"ann\"}}.",
            valueName: "name=value"))
    var choose: [String] = []

    /// The name that `--choose` had once.
    @Option(help: .hidden)
    var answer: [String] = []

    @Option(
        help: ArgumentHelp(
            "What requestLocation answers. (default: \(RequestLocationHandler.greenwich))",
            discussion: "denied: the person has not allowed it; none: the device does not know.",
            valueName: "place"))
    var location: String?

    @Option(
        help: ArgumentHelp(
            "The file in which storage keeps its values. (default: one for each project, below ~/.local/state)",
            valueName: "file"), completion: .file())
    var storage: String?

    func validate() throws {
        for text in choose + answer where !text.hasPrefix("@") { _ = try Answers.parse(text) }
        if let location, !["denied", "none"].contains(location),
            let near = Nearest.of(location, among: ["denied", "none"])
        {
            throw ValidationError(
                "--location \(location): did you mean \(near)? A place is coordinates, or an address")
        }
        for origin in forwardTo where !Self.isHTTP(AccessPolicy.origin(origin)) {
            throw ValidationError(
                "--forward-to \(origin): an origin is http or https and a host, for instance https://mocks.example"
            )
        }
        var names = ReplyNames()
        for text in reply { try ReplySources.add(text, to: &names) }
    }

    /// Whether an origin is of a host that a reply may ask; `*` stands for nothing here.
    private static func isHTTP(_ origin: String?) -> Bool {
        guard let origin, !origin.contains("*") else { return false }
        return origin.hasPrefix("http://") || origin.hasPrefix("https://")
    }
}

struct LogOptions: ParsableArguments {
    /// How much is said, besides the usual.
    enum Verbosity: EnumerableFlag {
        case quiet, verbose

        static func name(for value: Self) -> NameSpecification { .shortAndLong }

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .quiet: "Say only where it listens, questions, warnings and errors."
            case .verbose: "Say also what pages send and are sent, and whole calls with their ids."
            }
        }
    }

    @Flag var verbosity: Verbosity?

    @Option(
        help: ArgumentHelp(
            "Lines for people, or a JSON object in each: text or json. (default: text)", valueName: "format"),
        completion: .list(["text", "json"]),
        transform: { text in
            guard let format = LogFormat(rawValue: text) else {
                throw ValidationError("it is text or json")
            }
            return format
        })
    var logFormat: LogFormat?

    @Option(
        help: ArgumentHelp(
            "Whose requests have a line: native, upstream, files, gateway, with commas. (default: native)",
            discussion:
                "Files too where neither --root nor --upstream is given, and all with --log-format json.",
            valueName: "kinds"))
    var log: String?

    @Option(
        help: ArgumentHelp(
            "A word of members' names whose values never leave the journal, besides token, password and such; several with commas.",
            valueName: "words"))
    var redact: [String] = []

    @Option(
        help: ArgumentHelp(
            "fail: end with code 3 where a call or a question had no answer, for CI; tell: say so. (default: tell)",
            valueName: "how"), completion: .list(["tell", "fail"]),
        transform: { text in
            guard let unanswered = Unanswered(rawValue: text) else {
                throw ValidationError("it is tell or fail")
            }
            return unanswered
        })
    var unanswered: Unanswered?

    /// What comes of calls that nobody answered.
    enum Unanswered: String, Sendable {
        case tell, fail
    }

    func validate() throws {
        if let log { _ = try Self.logged(log) }
        for list in redact {
            let words = PageOptions.names([list])
            // What hides nothing would be trusted to hide something.
            guard !words.isEmpty, words.allSatisfy(Redaction.isName) else {
                throw ValidationError(
                    "--redact \(list): name members by words of letters and digits, such as iban,bic")
            }
        }
    }

    /// The kinds where nobody has named any.
    ///
    /// - Parameter isServing: whether the files of a page would push its calls out of sight.
    static func usual(
        _ format: LogFormat, whereAPageIsServed isServing: Bool
    ) -> Set<LoggedRequests> {
        // Programs sort out what they read.
        if format == .json { return Set(LoggedRequests.allCases) }
        return isServing ? [.native] : [.native, .files]
    }

    /// The kinds of a list with commas.
    static func logged(_ list: String) throws -> Set<LoggedRequests> {
        let words = list.split { $0 == "," || $0 == " " }.map(String.init)
        let all = LoggedRequests.allCases.map(\.rawValue)
        for word in words where !all.contains(word) {
            let near = Nearest.of(word, among: all).map { "did you mean \($0)?" }
            throw ValidationError("--log \(list): \(near ?? "there are \(all.joined(separator: ", "))")")
        }
        guard !words.isEmpty else {
            throw ValidationError(
                "--log: it is one or more of \(all.joined(separator: ", ")); --quiet has no lines")
        }
        return Set(words.compactMap(LoggedRequests.init))
    }
}
