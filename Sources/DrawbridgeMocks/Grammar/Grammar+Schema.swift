package import DrawbridgeJSON

extension Grammar {
    /// The JSON Schema of a file of mocks, for editors.
    ///
    /// - Parameter settings: what else its top level may have, as the properties and rules of a schema.
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
        "A name does not begin with $, and * stands at its end alone: price/*. A part that is open is written as :part."
    )

    static let whenIsOfACase =
        #"$when stands in a case: write {"$cases": [{"$when": …, "$reply": …}]}"#

    /// An object without a name that begins with `$`, or any other value.
    private static let hasNoWords: JSON = ["propertyNames": ["pattern": #"^(?!\$)"#]]

    private static var words: JSON {
        .array(
            reply.neighbours + [
                [
                    "propertyNames": [
                        "enum": .array(reply.names.map(JSON.string)),
                        "errorMessage":
                            "There is no such word. A value that has such a key itself stands in $reply.",
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
                    "errorMessage": "This is not a word of $when, or it does not stand alone in its object.",
                ],
            ],
        ]
    }

    static let templatesAreThese = "there are {{input}}, {{input.name}}, {{uuid}} and {{userAgent}}"

    private static let template =
        #"^(?:(?!\{\{)[\s\S]|\{\{(?:input(?:\.(?:(?!\}\})[^.])+)*|uuid|userAgent|"\{\{")\}\}|\{\{(?![\s\S]*\}\}))*$"#
}
