import HTTPGrammar
import HTTPTypes

/// The names of native as operations of OpenAPI 3.1, for programs that call them by HTTP.
struct OpenAPIDocument {
    let json: JSON

    init(_ types: NativeTypes, base: String, _ answers: AnswerForm, marked mark: NativeMark) {
        var paths: JSON.Object = [:]
        var shapes: Set<String> = []
        for name in types.names where !name.pattern.parts.isEmpty {
            let (path, parameters) = Self.path(of: name.pattern)
            // Paths that differ only in the names of parameters are the same to OpenAPI; the first one stays.
            let shape = name.pattern.parts.map { if case .exact(let text) = $0 { text } else { "{}" } }
            guard shapes.insert(shape.joined(separator: "/")).inserted else { continue }
            var operations: JSON.Object = [:]
            for method in name.methods.isEmpty ? ["POST"] : name.methods {
                var operation = Self.operation(name, method, answers)
                var given = parameters
                if !Self.hasBody(method) {
                    given += Self.queryParameters(name.input.shape, besides: name.pattern.names)
                }
                if !mark.hasPath, let flag = mark.flag { given.append(Self.parameter(flag)) }
                if !given.isEmpty { operation["parameters"] = .array(given) }
                operations[method.lowercased()] = .object(operation)
            }
            let prefix = mark.hasPath ? "/\(JSBridgeRule.name)" : ""
            paths["\(prefix)\(path)"] = .object(operations)
        }
        json = [
            "openapi": "3.1.0",
            "info": [
                "title": "Native", "version": "1",
                "description": """
                What pages call of native. x-from says where a schema is known from: type (a Swift type), reply (what a \
                reply says), seen (calls of the journal: there may be others); without it nothing is known.
                """,
            ],
            "servers": [["url": .string(base)]], "paths": .object(paths),
        ]
    }

    private static func path(of pattern: RoutePattern) -> (String, [JSON]) {
        var path = ""
        var parameters: [JSON] = []
        var names = pattern.names[...]
        var taken: Set<String> = []
        for part in pattern.parts {
            if case .exact(let text) = part {
                path += "/" + Percent.encode(text)
                continue
            }
            let written = names.popFirst() ?? "*"
            let letters = written.utf8.filter(\.isAlphanumeric)
            var name = letters.isEmpty ? "rest" : String(decoding: letters, as: UTF8.self)
            while !taken.insert(name).inserted { name += "_" }
            path += "/{\(name)}"
            parameters.append([
                "name": .string(name), "in": "path", "required": true, "schema": ["type": "string"],
            ])
        }
        return (path, parameters)
    }

    private static func parameter(_ item: Query.Item) -> JSON {
        [
            "name": .string(item.name), "in": "query", "required": true,
            "schema": ["type": "string", "enum": [.string(item.value)]],
        ]
    }

    private static func hasBody(_ method: String) -> Bool {
        !["GET", "HEAD", "DELETE", "OPTIONS"].contains(method)
    }

    /// The members of an input as query parameters, for a method that has no body.
    ///
    /// - Parameter path: the names of the path parameters.
    private static func queryParameters(_ input: ValueShape, besides path: [String]) -> [JSON] {
        (input.members?.known ?? []).filter { !path.contains($0.0) }.map { name, shape in
            [
                "name": .string(name), "in": "query",
                "required": .bool(input.members?.required.contains(.init(name)) == true && !input.takesNull),
                "schema": .object(shape.schema),
            ]
        }
    }

    private static func operation(
        _ name: NativeTypes.Name, _ method: String, _ answers: AnswerForm
    ) -> JSON.Object {
        let first = name.typeName.prefix(1).lowercased()
        let suffix = name.methods.count > 1 ? method.prefix(1) + method.dropFirst().lowercased() : ""
        var operation: JSON.Object = [
            "operationId": .string(first + name.typeName.dropFirst() + suffix), "summary": .string(name.text),
        ]
        if hasBody(method) {
            let isNeeded = !name.input.shape.isEmpty && !name.input.shape.takesNull
            operation["requestBody"] = [
                "required": .bool(isNeeded), "content": ["application/json": ["schema": schema(name.input)]],
            ]
        }
        var content: JSON.Object = [:]
        if !name.output.shape.isEmpty || name.rawTypes.isEmpty {
            content[answers.type] = [
                // What an app's own envelope looks like is unknown.
                "schema": answers.isUsual ? envelope(name.output) : answers.isBare ? schema(name.output) : [:]
            ]
        }
        for type in name.rawTypes.sorted() { content[type] = ["schema": [:]] }
        operation["responses"] = [
            "200": ["description": "what it answers", "content": .object(content)],
            "default": [
                "description": "it fails", "content": ["application/json": ["schema": failure]],
            ],
        ]
        return operation
    }

    private static func schema(_ typed: NativeTypes.Typed) -> JSON {
        var schema = typed.shape.schema
        if let origin = typed.origin { schema["x-from"] = .string(origin) }
        return .object(schema)
    }

    /// The schema of the envelope; an error has the same form, with another code and its own data.
    private static func envelope(_ output: NativeTypes.Typed) -> JSON {
        [
            "type": "object", "required": ["code", "message"],
            "description":
                "with code 200 data is the answer; any other code is an error, and message says which",
            "properties": [
                "code": ["type": "integer"], "message": ["type": "string"], "data": schema(output),
            ],
        ]
    }

    private static let failure: JSON = [
        "type": "object", "required": ["code", "message"],
        "properties": ["code": ["type": "integer"], "message": ["type": "string"], "data": [:]],
    ]
}
