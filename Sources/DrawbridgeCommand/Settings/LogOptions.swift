import ArgumentParser

struct LogOptions: ParsableArguments {
    enum Verbosity: EnumerableFlag {
        case quiet, verbose

        static func name(for value: Self) -> NameSpecification { .shortAndLong }

        static func help(for value: Self) -> ArgumentHelp? {
            switch value {
            case .quiet: "Print only address, questions, warnings and errors."
            case .verbose: "Also print whole calls, pages' messages, and ids."
            }
        }
    }

    @Flag var verbosity: Verbosity?

    @Option(oneOf: "format", "Lines of text, or one JSON object per line: text or json.", usual: "text")
    var logFormat: LogFormat?

    @Option(
        "kinds", "Which requests to log: native, upstream, files, gateway, with commas.", usual: "native",
        more: "Also files by default, without --root and --upstream; --log-format json logs all kinds.")
    var log: String?

    @Option(
        "words",
        "Also hide values whose names have one of these words, besides token, password …: iban,bic")
    var redact: [String] = []

    func validate() throws {
        if let log { _ = try Self.logged(log) }
        for list in redact {
            let words = [list].names
            // A word that no name can contain would have no effect, so it is an error.
            guard !words.isEmpty, words.allSatisfy(Redaction.isName) else {
                throw ValidationError(
                    "--redact \(list): a word has only letters and digits; write for instance iban,bic")
            }
        }
    }

    static func logged(_ list: String) throws -> Set<LoggedRequests> {
        let words = list.split { $0 == "," || $0 == " " }.map(String.init)
        let all = LoggedRequests.allCases.map(\.rawValue)
        for word in words where !all.contains(word) {
            let near = Nearest.of(word, among: all).map { "did you mean \($0)?" }
            throw ValidationError("--log \(list): \(near ?? "there are \(all.joined(separator: ", "))")")
        }
        guard !words.isEmpty else {
            throw ValidationError(
                "--log: must be one or more of \(all.joined(separator: ", ")); for no lines use --quiet")
        }
        return Set(words.compactMap(LoggedRequests.init))
    }
}
