import ArgumentParser
import Drawbridge

/// A key that files of settings may have: the flag of the same name, as ``Options`` declares it.
struct Setting {
    enum Kind: Equatable {
        /// `true` and `false`.
        case flag
        /// One of these words.
        case words([String])
        /// A path, which begins at the folder of the file that has it.
        case path
        /// A number, or a text.
        case value
    }

    let key: String
    let kind: Kind
    let isList: Bool
    /// Whether a flag takes back what a file says: `--no-open`.
    var hasOpposite = false
    /// What it does, in one sentence.
    let help: String
    /// What else there is to say of it.
    let more: String

    static let all: [String: Setting] = {
        // The parser describes what is declared for it, as JSON: a flag, and then its opposite.
        let described: JSON
        do {
            described = try JSON(parsing: Array(Options._dumpHelp().utf8))
        } catch {
            fatalError("the parser of arguments describes the options by what is no JSON: \(error)")
        }
        guard let options = described["command"]?["arguments"]?.arrayValue else {
            fatalError("the parser of arguments describes the options in another form than command.arguments")
        }
        var all: [String: Setting] = [:]
        for option in options {
            let names = option["names"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
            guard let key = names.first(where: { $0.utf8.count > 1 }), !flagsOnly.contains(key) else {
                continue
            }
            if key.hasPrefix("no-") {
                all[String(key.dropFirst(3))]?.hasOpposite = true
            } else {
                all[key] = Setting(key, option)
            }
        }
        return all
    }()

    /// Flags that are no settings: a file has replies, scenarios and the user agent as its own keys.
    private static let flagsOnly: Set<String> = ["help", "replies", "reply", "scenario", "user-agent"]

    private init(_ key: String, _ option: JSON) {
        self.key = key
        let completion = option["completionKind"]
        kind =
            if option["kind"] == "flag" {
                .flag
            } else if let words = completion?["list"]?["values"]?.arrayValue {
                .words(words.compactMap(\.stringValue))
            } else {
                completion == nil ? .value : .path
            }
        isList = option["isRepeating"] == true
        help = option["abstract"]?.stringValue ?? ""
        more = option["discussion"]?.stringValue ?? ""
    }
}
