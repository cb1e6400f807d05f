extension NativeTypes {
    var typeScript: String {
        var lines = [
            "// The inputs and outputs of native calls. Written by Drawbridge; fetch it again when they change.",
            "//",
            "// The comment above a type names its sources: reply (a value in a mock), seen (calls in the journal: there may",
            "// be others). A type without a source is unknown.",
            "",
        ]
        for name in names {
            lines += Self.declaration("\(name.typeName)Input", name.input)
            lines += Self.declaration("\(name.typeName)Output", name.output)
        }
        lines.append("export interface NativeCalls {")
        lines += names.map {
            "    \(String($0.pattern.text.dropFirst()).literal): { input: \($0.typeName)Input; output: \($0.typeName)Output };"
        }
        lines.append("}")
        return lines.map { $0 + "\n" }.joined()
    }

    private static func declaration(_ name: String, _ typed: Typed) -> [String] {
        let (shape, type) = (typed.shape, typed.shape.typeScript)
        let isInterface = !shape.isAny && shape.kinds.isEmpty && shape.elements == nil && shape.members != nil
        let comment = typed.sources.isEmpty ? [] : ["// \(typed.sources.joined(separator: ", "))"]
        return comment + [
            isInterface ? "export interface \(name) \(type)" : "export type \(name) = \(type);", "",
        ]
    }
}

extension ValueShape {
    /// The shape as a TypeScript type; names and strings from pages are escaped literals in it, in ASCII.
    var typeScript: String {
        if isAny || isEmpty { return "unknown" }
        var types: [String] = []
        if let members { types.append(members.typeScript) }
        if let elements { types.append("Array<\(elements.first?.typeScript ?? "unknown")>") }
        let names: [(Kinds, String)] = [
            (.string, "string"), (.number, "number"), (.boolean, "boolean"), (.null, "null"),
        ]
        for (kind, name) in names where kinds.contains(kind) { types.append(name) }
        return types.joined(separator: " | ")
    }
}

extension ValueShape.Members {
    fileprivate var typeScript: String {
        var members = known.map { name, shape in
            let mark = required.contains(JSON.Bytewise(name)) ? "" : "?"
            return "\(name.literal)\(mark): \(shape.typeScript)"
        }
        if let others = others.first { members.append("[name: string]: \(others.typeScript)") }
        return members.isEmpty ? "{ [name: string]: unknown }" : "{ \(members.joined(separator: "; ")) }"
    }
}

extension String {
    /// A JavaScript string literal in ASCII: no character from a page can end the literal, a comment or a line.
    fileprivate var literal: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case " "..."~" where scalar != "<": text.unicodeScalars.append(scalar)
            default: text += scalar.utf16.map { "\\u" + JSON.hexadecimal($0) }.joined()
            }
        }
        return text + "\""
    }
}
