import ArgumentParser
import Glibc
import Synchronization

/// The command line as the parser sees it.
struct Command: ParsableCommand {
    /// Whose command it is: `drawbridge`, or a program that was made with it.
    struct Program {
        var name = "drawbridge"
        var abstract: String?
        var version = GatewayCommand.version
    }

    /// Set once, before the arguments are read.
    static var program: Program {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private static let current = Mutex(Program())

    static var configuration: CommandConfiguration {
        let program = program
        return CommandConfiguration(
            commandName: program.name,
            abstract: program.abstract ?? "The native side of a hybrid page, as an HTTP gateway.",
            usage: """
                \(program.name) [options] [folder] [url ...]
                \(program.name) init [folder]
                \(program.name) test-bridge <script>
                """,
            discussion: """
                Requests with _mobile_bridge=1 in their query, and those to __jsbridge__, are answered by handlers, as \
                an app would answer them. All others get files, or go on to the page's own server.

                  \(program.name)                         a page that shows the bridge at work
                  \(program.name) my-page --open          a page of yours, in the browser
                  \(program.name) http://127.0.0.1:5173   a page of its own dev server's
                  \(program.name) init my-page            writes a file that answers its calls
                  \(program.name) test-bridge mine.js     tries a bridge of yours in a browser
                  \(program.name) --reply 'getUser={"nick":"Ann"}'
                                                     a call of the page's, mocked
                  \(program.name) --choose alert=ok       in tests, where nobody can be asked
                  \(program.name) -c settings.json        {"port": 8081, "root": "my-page"}

                A flag counts more than the environment, and that more than the configuration file. The exit code is 0 \
                after SIGTERM or Ctrl-C, 3 where --unanswered fail was said and something had no answer, 64 for \
                arguments that it does not take, 1 for anything else that goes wrong.
                """,
            version: program.version)
    }

    /// What to say about a flag that people look for under another name; nil for all others.
    static func misnamed(_ argument: String) -> String? {
        let name = String(argument.prefix { $0 != "=" })
        guard ["--mock", "--mocks", "--stub", "--stubs"].contains(name) else { return nil }
        return "there is no \(name); did you mean --reply 'getUser={\"nick\":\"Ann\"}', or --replies FILE?"
    }

    @Argument(
        help: ArgumentHelp(
            "The folder with the page's files, as --root has it, or a URL, as --upstream has it.",
            discussion: "Folders of the names init and test-bridge are ./init and ./test-bridge.",
            valueName: "folder or url"),
        completion: .directory)
    var words: [String] = []

    @OptionGroup var options: Options

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "A JSON file of settings, under the names of these flags. Its relative paths count from its folder.",
            valueName: "file"), completion: .file(extensions: ["json"]))
    var config: String?
}
