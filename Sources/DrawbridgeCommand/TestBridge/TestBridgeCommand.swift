import ArgumentParser
import Drawbridge
import Glibc

/// `drawbridge test-bridge`, which tries a bridge in a browser.
struct TestBridgeCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let program = Command.program.name
        return CommandConfiguration(
            commandName: "\(program) test-bridge",
            abstract: "Opens a page in a headless browser, and compares what it and native say with a list.",
            usage: "\(program) test-bridge <script> [options]",
            discussion: """
                For ./mine.js it takes the page mine.html and the list mine.json beside it:

                  {"exchanges": [
                    {"pageCalls": "pay", "answer": {"paid": true}, "hears": [{"paid": true}]},
                    {"nativeCalls": "title", "with": "Shop", "answer": "Shop!"},
                    {"nativeTells": "cart", "with": 2, "hears": [2]}
                  ]}

                The page says what it has heard: heard('pay', answer). The exit code is 0 where all is as the list says, \
                64 for arguments that it does not take, and 1 for anything else.
                """)
    }

    @Argument(
        help: "The script of the bridge, or the name of one that is shipped.",
        completion: .file(extensions: ["js"]))
    var script: String

    @Option(
        "file", "The page. (default: beside the script, with its name)",
        completion: .file(extensions: ["html"]))
    var page: String?

    @Option(
        "file", "The list. (default: beside the script, with its name)",
        completion: .file(extensions: ["json"]))
    var expect: String?

    @Option("browser", "chromium, firefox, or the path of a program. (default: the first that there is)")
    var browser: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait for each exchange; three times as long for the browser.", valueName: "seconds"))
    var seconds: Double = 10

    func validate() throws {
        guard (0.1...600).contains(seconds) else {
            throw ValidationError("--seconds \(seconds): it is a number up to 600, such as 10")
        }
    }

    /// Runs the exchanges, until SIGINT, SIGTERM or SIGHUP at most, and prints the results.
    ///
    /// - Returns: whether everything was as the list says.
    func tries() async throws -> Bool {
        let work = Task {
            let list = try ExchangeList(file: try expect ?? beside("json"))
            let trial = try Trial(
                of: try bridge(list.options), list, page: try page ?? beside("html"),
                browser: try TestBrowser.find(browser), patience: .seconds(seconds))
            return try await trial.isPassed()
        }
        for number in [SIGINT, SIGTERM, SIGHUP] { onSignal(number) { work.cancel() } }
        return try await work.value
    }

    private func bridge(_ options: JSON) throws -> BridgeScript {
        do throws(BridgeScript.ScriptError) {
            return try BridgeOption.bridge(script, options)
        } catch {
            throw Failure("\(error)")
        }
    }

    private func beside(_ ending: String) throws -> String {
        guard script.hasSuffix(".js") else {
            throw ValidationError(
                "\(script) is no file, so name page and list: --page mine.html --expect mine.json")
        }
        return "\(script.dropLast(2))\(ending)"
    }
}
