import Drawbridge

/// A key that files of settings may have: the flag of the same name.
///
/// What is known of it is in `options.json`, which `scripts/options` writes from the declarations of the flags.
struct Setting {
    enum Kind: String {
        case flag, value
        /// A path, which begins at the folder of the file that has it.
        case path
    }

    let key: String
    let kind: Kind
    let isList: Bool
    /// Whether a flag takes back what a file says: `--no-open`.
    let hasOpposite: Bool
    /// Whether a file may have it that was found, and not named.
    let mayBeFound: Bool
    let schema: JSON.Object

    static let all: [String: Setting] = {
        guard let table = try? JSON(parsing: WelcomePage.texts["options.json"]), let rows = table.objectValue
        else { preconditionFailure("options.json is not a JSON object; write it anew by scripts/options") }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, Setting($0.key, $0.value)) })
    }()

    static func keys(isFound: Bool) -> [String] {
        all.values.filter { !isFound || $0.mayBeFound }.map(\.key)
    }

    /// The JSON Schema of a configuration file: the settings, and all that a file of mocks has.
    static var schema: JSON {
        let properties = all.sorted { $0.key < $1.key }.map { ($0.key, JSON.object($0.value.schema)) }
        let both: JSON = ["enum": [false], "errorMessage": "quiet and verbose cannot both be true."]
        return Grammar.schema(with: [
            "properties": .object(JSON.Object(properties)),
            "if": ["required": ["quiet"], "properties": ["quiet": ["const": true]]],
            "then": ["properties": ["verbose": both]],
        ])
    }

    private init(_ key: String, _ row: JSON) {
        self.key = key
        kind = row["kind"]?.stringValue.flatMap(Kind.init) ?? .value
        isList = row["list"] == true
        hasOpposite = row["opposite"] == true
        mayBeFound = row["found"] == true
        let form = Form.described(row["form"]?.objectValue ?? [:])
        var schema = (isList ? Form.several(form) : form).schema
        schema["default"] = row["default"]
        schema["description"] = row["description"]
        self.schema = schema
    }
}
