import ArgumentParser
import Drawbridge

/// A key that files of settings may have: the flag of the same name, as ``Options`` declares it.
struct Setting {
    /// What a setting takes.
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
    /// The name of its value in the help: `seconds`; for a flag its key.
    let value: String
    /// Whether it takes a list too.
    let isList: Bool
    /// Whether a flag takes back what a file says: `--no-open`.
    let hasOpposite: Bool
    /// Whether it is only known by a former name.
    let isHidden: Bool
    /// What it does, in one sentence.
    let help: String

    /// All of them by their keys.
    static let all: [String: Setting] = {
        // The parser describes what is declared for it, as JSON.
        let described = try? JSON(parsing: Array(Options._dumpHelp().utf8))
        let options = described?["command"]?["arguments"]?.arrayValue ?? []
        let keys = options.map { option in
            option["names"]?.arrayValue?.compactMap { $0["name"]?.stringValue }.first { $0.utf8.count > 1 }
                ?? ""
        }
        let settings = zip(keys, options).filter { key, _ in !flagsOnly.contains(key) && !key.hasPrefix("no-")
        }
        return Dictionary(
            uniqueKeysWithValues: settings.map { key, option in
                (key, Setting(key, option, hasOpposite: keys.contains("no-\(key)")))
            })
    }()

    /// Flags that are no settings: a file has replies, scenarios and the user agent as its own keys.
    private static let flagsOnly: Set<String> = ["help", "replies", "reply", "scenario", "user-agent"]

    private init(_ key: String, _ option: JSON, hasOpposite: Bool) {
        self.key = key
        self.hasOpposite = hasOpposite
        let completion = option["completionKind"]
        kind =
            if option["kind"] == "flag" {
                .flag
            } else if let words = completion?["list"]?["values"]?.arrayValue {
                .words(words.compactMap(\.stringValue))
            } else {
                completion == nil ? .value : .path
            }
        value = option["valueName"]?.stringValue ?? key
        isList = option["isRepeating"] == true
        isHidden = option["shouldDisplay"] == false
        help = option["abstract"]?.stringValue ?? ""
    }
}
