/// The types of what is sent to native and of what it answers, as declarations of TypeScript.
struct TypeScriptFile {
    let text: String

    init(_ types: NativeTypes) {
        var lines = [
            "// What pages send to native, and what it answers. Written by Drawbridge; fetch it again when that changes.",
            "//",
            "// A comment says where a type is known from: type (a Swift type), reply (what a reply says), seen (calls of the",
            "// journal: there may be others). Where nothing is known, it is unknown.",
            "",
        ]
        for name in types.names {
            lines += Self.declaration("\(name.typeName)Input", name.input)
            lines += Self.declaration("\(name.typeName)Output", name.output)
        }
        lines.append("export interface NativeCalls {")
        for name in types.names {
            let key = Literal.javaScript(.string(name.text))
            lines.append("    \(key): { input: \(name.typeName)Input; output: \(name.typeName)Output };")
        }
        lines.append("}")
        text = lines.map { $0 + "\n" }.joined()
    }

    private static func declaration(_ name: String, _ typed: NativeTypes.Typed) -> [String] {
        let type = typed.shape.typeScript
        let comment = typed.origin.map { ["// \($0)"] } ?? []
        return comment
            + [
                typed.shape.isObject ? "export interface \(name) \(type)" : "export type \(name) = \(type);",
                "",
            ]
    }
}
