extension Form {
    package var schema: JSON.Object {
        switch self {
        case .any: [:]
        case .template: Form.defined("template").schema
        case .message: ["type": "string", "allOf": [.object(Form.template.schema)]]
        case .yes: ["const": true]
        case .flag: ["type": "boolean"]
        case .text(let pattern): Self.of("string", ("pattern", pattern.map(JSON.string)))
        case .whole(let range, let except):
            Self.of(
                "integer", ("minimum", range.map { .number(.init($0.lowerBound)) }),
                ("maximum", range.map { .number(.init($0.upperBound)) }),
                ("not", except.map { ["const": .number(.init($0))] }))
        case .span: Self.several(Form.milliseconds.schema, ("minItems", 2), ("maxItems", 2))
        case .list(let form, let least):
            Self.of("array", ("minItems", .number(.init(least))), ("items", .object(form.schema)))
        case .several(let form): Self.several(form.schema)
        case .named(let form, let names, let least):
            Self.of(
                "object", ("minProperties", .number(.init(least))), ("propertyNames", names?.schema),
                ("additionalProperties", .object(form.schema)))
        case .object(let name), .defined(let name): ["$ref": .string("#/definitions/\(name)")]
        case .described(let schema): schema
        }
    }

    static func of(_ type: JSON, _ rules: (String, JSON?)...) -> JSON.Object {
        JSON.Object([("type", type)] + rules.compactMap { rule in rule.1.map { (rule.0, $0) } })
    }

    /// A schema for a value or an array of such values: rules such as `pattern` do not apply to arrays in JSON Schema.
    private static func several(_ element: JSON.Object, _ rules: (String, JSON)...) -> JSON.Object {
        let types = element["type"]?.arrayValue ?? [element["type"] ?? "string"]
        let own = [("type", .array(types + ["array"])), ("items", .object(element))] + rules
        return JSON.Object(element.map { ($0.key, $0.value) } + own)
    }
}

extension Form.Names {
    var schema: JSON { ["pattern": .string(pattern), "patternErrorMessage": .string(otherwise)] }
}

extension Keyword {
    var schema: JSON.Object {
        let warning = needsTrust ? " Only allowed in a file that -c or --replies names." : ""
        var schema: JSON.Object = ["description": .string(says + warning)]
        for (name, rule) in form.schema { schema[name] = rule }
        if !otherwise.isEmpty { schema["errorMessage"] = .string(otherwise) }
        if let example = example.flatMap({ try? JSON(parsing: Array($0.utf8)) }) {
            schema["examples"] = [example]
        }
        return schema
    }
}

extension Keywords {
    var properties: JSON { .object(JSON.Object(all.map { ($0.name, .object($0.schema)) })) }

    var schema: JSON.Object {
        Form.of(
            "object", ("properties", properties), ("additionalProperties", false),
            ("required", .array(required.map(JSON.string))), ("minProperties", .number(.init(least))),
            ("allOf", leading.isEmpty ? nil : .array(neighbours)),
            ("not", self["mocks"].map { _ in ["required": ["mocks", "replies"]] }))
    }

    /// For each leading keyword a rule that allows only its `beside` keywords in the same object.
    var neighbours: [JSON] {
        leading.map { keyword in
            let beside = keyword.beside ?? []
            let others = beside.isEmpty ? "nothing" : beside.joined(separator: ", ")
            let names: JSON = [
                "enum": .array(([keyword.name] + beside).map(JSON.string)),
                "errorMessage": .string("Allowed next to \(keyword.name): \(others)."),
            ]
            return ["if": ["required": [.string(keyword.name)]], "then": ["propertyNames": names]]
        }
    }

    var leads: JSON { .array(leading.map { ["required": [.string($0.name)]] }) }
}
