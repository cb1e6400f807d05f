// A shape as a schema, and as a type of TypeScript.
extension ValueShape {
    /// As JSON Schema (2020-12); empty where anything fits.
    var schema: JSON.Object {
        if isAny || isEmpty { return [:] }
        var schema: JSON.Object = [:]
        let types = types
        schema["type"] = types.count == 1 ? .string(types[0]) : .array(types.map(JSON.string))
        if let cases {
            schema["enum"] = .array(cases + (kinds.contains(.null) ? [.null] : []))
        }
        if let format { schema["format"] = .string(format) }
        if let elements { schema["items"] = .object(elements.first?.schema ?? [:]) }
        if let members {
            if !members.known.isEmpty {
                schema["properties"] = .object(
                    JSON.Object(members.known.map { ($0.name, .object($0.shape.schema)) }))
            }
            let required = members.known.map(\.name).filter {
                members.required.contains(JSON.Bytewise($0))
            }
            if !required.isEmpty { schema["required"] = .array(required.map(JSON.string)) }
            if let others = members.others.first { schema["additionalProperties"] = .object(others.schema) }
        }
        return schema
    }

    private var types: [String] {
        var types: [String] = []
        if members != nil { types.append("object") }
        if elements != nil { types.append("array") }
        if kinds.contains(.string) { types.append("string") }
        if kinds.contains(.number) {
            types.append("number")
        } else if kinds.contains(.integer) {
            types.append("integer")
        }
        if kinds.contains(.boolean) { types.append("boolean") }
        if kinds.contains(.null) { types.append("null") }
        return types
    }

    /// As an expression of TypeScript; names and strings of pages are literals in it, in ASCII only.
    var typeScript: String {
        if isAny || isEmpty { return "unknown" }
        var types: [String] = []
        if let members { types.append(members.typeScript) }
        if let elements { types.append("Array<\(elements.first?.typeScript ?? "unknown")>") }
        if let cases {
            types += cases.map(Literal.javaScript)
        } else {
            if kinds.contains(.string) { types.append("string") }
            if !kinds.isDisjoint(with: [.number, .integer]) { types.append("number") }
        }
        if kinds.contains(.boolean) { types.append("boolean") }
        if kinds.contains(.null) { types.append("null") }
        return types.joined(separator: " | ")
    }

    /// Whether it takes only objects, so that it can be an interface.
    var isObject: Bool { !isAny && kinds.isEmpty && elements == nil && members != nil }
}

extension ValueShape.Members {
    fileprivate var typeScript: String {
        var members = known.map { name, shape in
            let mark = required.contains(JSON.Bytewise(name)) ? "" : "?"
            return "\(Literal.javaScript(.string(name)))\(mark): \(shape.typeScript)"
        }
        if let others = others.first { members.append("[name: string]: \(others.typeScript)") }
        return members.isEmpty ? "{ [name: string]: unknown }" : "{ \(members.joined(separator: "; ")) }"
    }
}
