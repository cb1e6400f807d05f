import Drawbridge
import DrawbridgeServer

/// What the JSON Schema says of the settings: the sentences of `--help`, and the form of each value.
extension Options {
    /// The JSON Schema of a configuration file: the settings, and all that a file of mocks has.
    static var schema: JSON {
        var properties = JSON.Object()
        for setting in Setting.all.values.sorted(by: { $0.key < $1.key }) {
            properties[setting.key] = .object(property(setting))
        }
        let both: JSON = ["enum": [false], "errorMessage": "quiet and verbose cannot both be true."]
        return Grammar.schema(with: [
            "properties": .object(properties),
            "if": ["required": ["quiet"], "properties": ["quiet": ["const": true]]],
            "then": ["properties": ["verbose": both]],
        ])
    }

    /// The form of one setting, with what `--help` says of it.
    private static func property(_ setting: Setting) -> JSON.Object {
        let form = setting.kind == .flag ? .flag : forms[setting.key] ?? .text(pattern: Form.notEmpty)
        var property = (setting.isList ? Form.several(form) : form).schema
        if case .words(let words) = setting.kind { property["enum"] = .array(words.map(JSON.string)) }
        var says = setting.help
        // A default that editors can put in stands at the end of the sentence: (default: 8080, environment: PORT).
        let parts = says.split(separator: " (default: ")
        if let usual = parts.dropFirst().first?.dropLast().split(separator: ", environment").first {
            let value =
                usual == "--\(setting.key)"
                ? "true" : usual == "--no-\(setting.key)" ? "false" : String(usual)
            if let value = try? JSON(parsing: Array(value.utf8)) {
                property["default"] = value
                says = String(parts[0])
            }
        }
        if !setting.more.isEmpty { says += " \(setting.more)" }
        says = says.replacing("Repeatable", with: "Several are an array").replacing(" --", with: " ")
        property["description"] = .string(says)
        return property
    }

    /// The forms of those values that are more than a text.
    ///
    /// Patterns come near what the parsers of the flags refuse.
    private static let forms: [String: Form] = [
        "port": .whole(ServingOptions.ports), "inspector-port": written(#"^\d+$"#, ServingOptions.ports),
        "grace": seconds(AdvancedOptions.seconds), "upstream-timeout": seconds(BehindOptions.seconds),
        "memory-for-bodies": written(size, AdvancedOptions.leastForBodies ... .max),
        "memory-per-connection": written(size, AdvancedOptions.bytesPerConnection),
        "upstream": text(
            #"^(?:/[^=?#]*=)?(?:[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#@]+(?:/[^\s?#]*)?|unix:/[^?#]+)$"#,
            "An upstream is http://host:port, https://host or unix:/path/to.sock, and perhaps /api= before it."
        ),
        "trusted-proxy": address, "cors": origin, "forward-to": origin,
        "allowed-hosts": text(
            #"^[^\s/:*?#@,]+(?: *, *[^\s/:*?#@,]+)*$|^\[?[0-9A-Fa-f:.]+\]?$"#,
            "Write a name or an address without scheme and port: phone.local."),
        "scheme": list(
            "(?!(?:\(PageOptions.browsersOwn.sorted().joined(separator: "|")))(?: *,|$))"
                + #"[A-Za-z][A-Za-z0-9+.\-]*"#, "Write the name of the app's own scheme alone: mizhua."),
        "message-handler": list(#"(?:\*|\#(name))(?:=reply)?"#, nameIsWanted),
        "inject": list(#"(?:\*|\#(name))"#, nameIsWanted), "shortcuts": list(name, nameIsWanted),
        "choose": answers, "bridge": bridge,
        "redact": text(#"[^\W_]"#, "Words have letters and digits."),
        "log": text(
            "^[ ,]*(\(kinds))([ ,]+(\(kinds)))*[ ,]*$", "There are \(kinds.replacing("|", with: ", "))."),
    ]

    private static let kinds = LoggedRequests.allCases.map(\.rawValue).joined(separator: "|")
    private static let size = "^ *[0-9]+ *[KkMmGg]?[Bb]? *$"
    private static let name = #"[^\s!-#%-@\[-\^`\{-~][^\s!-#%-/:-@\[-\^`\{-~]*"#
    private static let nameIsWanted = "Write a name that a script could use: letters, digits, _ and $."
    private static let address = text(
        "^[0-9A-Fa-f:.]+(?:/[0-9]+)?$", "Write an address, or a range: 192.0.2.7, 10.0.0.0/8, fd00::/8.")
    private static let origin = text(
        #"^[A-Za-z][A-Za-z0-9+.\-]*://[^\s/?#@,*]+$"#,
        "An origin is a scheme and a host, perhaps with a port: https://app.example.")

    /// Answers to questions: a text, or an object of them.
    private static let answers = Form.described([
        "type": ["object", "string"],
        "propertyNames": ["pattern": "^[^@=][^=]*$"],
        "pattern": #"^(?:@[\s\S]+|[^@=][^=]*=[\s\S]*)$"#,
        "patternErrorMessage": "Write name=value, such as alert=ok, or @answers.json for a file of them.",
    ])

    /// A bridge: a text, or an object with its options.
    private static let bridge: Form = {
        let shipped = BridgeScript.shipped
        let script = #"(?:.*/)?[A-Za-z0-9_-]{1,32}\.js"#
        let properties: JSON = [
            "name": ["description": "One that is shipped.", "enum": .array(shipped.map(JSON.string))],
            "file": [
                "description": "A script of your own; its name is the bridge's.", "type": "string",
                "pattern": .string("^\(script)$"),
            ],
            "options": ["description": "What its script finds as native.options.", "type": "object"],
        ]
        return .described([
            "type": ["object", "string"], "properties": properties, "additionalProperties": false,
            "pattern": .string("^(?:(?:\(shipped.joined(separator: "|")))|\(script))(?:=\\{.*\\})?$"),
            "patternErrorMessage": .string(
                "Write one that is shipped (\(shipped.joined(separator: ", "))), or a script: ./mine.js."),
            "if": ["type": "object"], "then": ["oneOf": [["required": ["name"]], ["required": ["file"]]]],
        ])
    }()

    private static func text(_ pattern: String, _ otherwise: String) -> Form {
        .described(["type": "string", "pattern": .string(pattern), "patternErrorMessage": .string(otherwise)])
    }

    /// Texts of this form, with commas between them.
    private static func list(_ element: String, _ otherwise: String) -> Form {
        text("^\(element)(?: *, *\(element))*$", otherwise)
    }

    private static func seconds(_ range: ClosedRange<Double>) -> Form {
        .described([
            "type": "number", "minimum": JSON(floatLiteral: range.lowerBound),
            "maximum": JSON(floatLiteral: range.upperBound),
        ])
    }

    /// A whole number that may be written as a text.
    private static func written(_ pattern: String, _ range: ClosedRange<Int>) -> Form {
        var schema: JSON.Object = [
            "type": ["integer", "string"], "pattern": .string(pattern),
            "minimum": .number(.init(range.lowerBound)),
        ]
        if range.upperBound < .max { schema["maximum"] = .number(.init(range.upperBound)) }
        return .described(schema)
    }
}
