/// A key in configuration files, which is the flag of the same name.
///
/// Its kind and schema come from `options.json`, which `scripts/options` generates from the flags.
struct Setting {
    enum Kind: String {
        case flag, value
        /// A path, resolved against the folder of its file.
        case path
    }

    let key: String
    let kind: Kind
    let isList: Bool
    /// Whether there is a `--no-…` flag, which overrides a file.
    let hasOpposite: Bool
    /// Whether it is allowed in a file that was found and not given.
    let mayBeFound: Bool
    let schema: JSON.Object

    static let all: [String: Setting] = {
        guard let table = try? JSON(parsing: WelcomePage.texts["options.json"]), let rows = table.objectValue
        else { preconditionFailure("options.json is not a JSON object; run scripts/options") }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, Setting($0.key, $0.value)) })
    }()

    static func keys(isFound: Bool) -> [String] {
        all.values.filter { !isFound || $0.mayBeFound }.map(\.key)
    }

    /// The JSON Schema of a configuration file: all settings, and everything that a file of mocks may have.
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
