import ArgumentParser
import Glibc
import Synchronization

/// The command's arguments, by swift-argument-parser; the flags are also the keys of configuration files.
///
/// The option groups are not nested, because debug builds of the parser check a nested group 16 times at each use.
struct Command: ParsableCommand {
    struct Program {
        var name = "drawbridge"
        var abstract: String?
        var version = GatewayCommand.version

        /// Its name in a command to paste: `./drawbridge` or, by this variable, `scripts/serve` if it was started so.
        var called: String {
            getenv("DRAWBRIDGE_CALLED").map { String(cString: $0) }
                ?? CommandLine.arguments.prefix(1).first { $0.hasPrefix("./") } ?? name
        }
    }

    /// Name, abstract and version in `--help`; set once, before the arguments are parsed.
    static var program: Program {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private static let current = Mutex(Program())

    static var configuration: CommandConfiguration {
        let program = program
        return CommandConfiguration(
            commandName: program.name,
            abstract: program.abstract
                ?? "Run your app's web pages in any browser. Drawbridge plays the app.",
            usage: """
                \(program.name) [options] [folder] [url ...]
                \(program.name) init [folder]
                """,
            discussion: """
                  \(program.name) my-page --open          serve a page
                  \(program.name) http://127.0.0.1:5173   serve a dev server's pages
                  \(program.name) init my-page            find its native calls, write mocks
                  \(program.name) --reply 'getUser={"nick":"Ann"}'
                                                     mock one native call
                  \(program.name) --bridge flutter        give pages one more bridge
                  \(program.name) --choose alert=ok       answer a question automatically
                  \(program.name) -c settings.json        {"port": 8081, "root": "my-page"}

                Native calls are answered by mocks and handlers: calls through a bridge, requests with _mobile_bridge=1, \
                and requests to __jsbridge__. All other requests get files, or are forwarded to the dev server. The \
                manual is at /__drawbridge__/manual/ while it runs.

                Precedence: flags, environment variables, configuration file. Exit codes: 0 after SIGTERM, SIGHUP or \
                Ctrl-C, 1 after a second Ctrl-C, which stops at once, 3 after --unanswered fail, 64 for wrong \
                arguments, 1 for any other error.
                """,
            version: program.version)
    }

    @Argument(
        help: ArgumentHelp(
            "A folder, as in --root, or a URL, as in --upstream.",
            discussion: "For a folder named init write ./init.",
            valueName: "folder or url"),
        completion: .directory)
    var words: [String] = []

    @OptionGroup(title: "Page") var serving: ServingOptions
    @OptionGroup(title: "Mocks") var handlers: HandlerOptions
    @OptionGroup(title: "Dev server and upstreams") var behind: BehindOptions
    @OptionGroup(title: "Bridges") var pages: PageOptions
    @OptionGroup(title: "Tests") var tests: TestOptions
    @OptionGroup(title: "Inspector") var inspector: InspectorOptions
    @OptionGroup(title: "Other devices, other origins") var access: AccessOptions
    @OptionGroup(title: "Logging") var log: LogOptions
    @OptionGroup(title: "Advanced") var advanced: AdvancedOptions

    @Option(
        "file", "A JSON file with these flags as keys; relative paths start at the file's folder.",
        name: [.customShort("c", allowingJoined: true), .long], completion: .file(extensions: ["json"]))
    var config: String?

    @Flag(help: "Print the JSON Schema of these files, for editors.")
    var schema = false

    @Flag(help: "Read the testing API's token from the first line of stdin, and stop when stdin closes.")
    var tokenStdin = false
}
