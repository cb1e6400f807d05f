extension Grammar {
    /// The JSON Schema of a file of mocks, for editors.
    ///
    /// - Parameter settings: a JSON Schema of the command's settings, which the top level of the file may have too.
    package static func schema(with settings: JSON.Object = [:]) -> JSON {
        var properties = file.properties.objectValue ?? [:]
        for (name, property) in settings["properties"]?.objectValue ?? [:] { properties[name] = property }
        var schema: JSON.Object = [
            "$schema": "http://json-schema.org/draft-07/schema#", "title": "Drawbridge",
            "allowComments": true,
            "type": "object",
        ]
        for (name, rule) in settings { schema[name] = rule }
        schema["properties"] = .object(properties)
        schema["additionalProperties"] = false
        schema["not"] = file.schema["not"]
        schema["definitions"] = definitions
        return .object(schema)
    }

    private static var definitions: JSON {
        [
            "error": .object(error.schema), "response": .object(response.schema),
            "page": .object(page.schema),
            "names": .object(Form.named(.defined("reply"), names: names).schema),
            "reply": [
                "allOf": [.object(Form.defined("case").schema)],
                "properties": ["$when": ["description": .string(whenIsOfACase), "not": [:]]],
            ],
            "case": [
                "properties": reply.properties, "if": hasNoWords,
                "else": ["anyOf": reply.leads, "allOf": words],
            ],
            "condition": .object(conditions),
            "step": ["allOf": [.object(step.schema)], "anyOf": step.leads],
            "template": [
                "pattern": .string(template), "patternErrorMessage": .string(templatesAreThese),
                "items": .object(Form.template.schema), "additionalProperties": .object(Form.template.schema),
            ],
        ]
    }

    private static let names = Form.Names(
        #"^(?!\$)(?!(?:[\s\S]*/)?\*/)"#,
        "A name does not begin with $, and has * only at its end: price/*. :part matches any one segment."
    )

    static let whenIsOfACase =
        #"$when is only allowed in a case: write {"$cases": [{"$when": …, "$reply": …}]}"#

    /// Matches a value without keywords: an object whose keys do not begin with `$`, or anything but an object.
    private static let hasNoWords: JSON = ["propertyNames": ["pattern": #"^(?!\$)"#]]

    private static var words: JSON {
        .array(
            reply.neighbours + [
                [
                    "propertyNames": [
                        "enum": .array(reply.names.map(JSON.string)),
                        "errorMessage":
                            "Unknown keyword. To answer a value that has this key, wrap it in $reply.",
                    ],
                    "dependencies": ["$every": ["$progress"], "$ask": ["$choices"]],
                ]
            ])
    }

    private static var conditions: JSON.Object {
        let within = JSON.object(Form.defined("condition").schema)
        return [
            "properties": condition.properties, "items": within, "if": hasNoWords,
            "then": ["additionalProperties": within],
            "else": [
                "maxProperties": 1,
                "propertyNames": [
                    "enum": .array(condition.names.map(JSON.string)),
                    "errorMessage": "Not a keyword of $when, or not the only member of its object.",
                ],
            ],
        ]
    }

    static let templatesAreThese = "there are {{input}}, {{input.name}}, {{uuid}} and {{userAgent}}"

    private static let template =
        #"^(?:(?!\{\{)[\s\S]|\{\{(?:input(?:\.(?:(?!\}\})[^.])+)*|uuid|userAgent|"\{\{")\}\}|\{\{(?![\s\S]*\}\}))*$"#
}
