/// Values as literals of a programming language, in nothing but ASCII.
enum Literal {
    /// Whether all numbers are finite as doubles: JavaScript and Python cannot write infinity as JSON.
    static func isWithinDouble(_ value: JSON) -> Bool {
        if let members = value.objectValue { return members.allSatisfy { isWithinDouble($0.value) } }
        if let elements = value.arrayValue { return elements.allSatisfy(isWithinDouble) }
        guard let literal = value.numberValue?.literal else { return true }
        return Double(literal)?.isFinite == true
    }

    /// Of JavaScript, as an expression.
    static func javaScript(_ value: JSON) -> String {
        if let members = value.objectValue {
            let texts = members.map { member in
                let name = text(member.key)
                // Without brackets `__proto__` sets the prototype of the object.
                return "\(member.key == "__proto__" ? "[\(name)]" : name): \(javaScript(member.value))"
            }
            return texts.isEmpty ? "{}" : "{ \(texts.joined(separator: ", ")) }"
        }
        if let elements = value.arrayValue {
            return "[\(elements.map(javaScript).joined(separator: ", "))]"
        }
        // JavaScript sends -0 as 0, but its comparisons tell the two apart.
        if let number = value.numberValue, Double(number.literal) == 0 { return "0" }
        return value.stringValue.map(text) ?? "\(value)"
    }

    /// Of Python.
    static func python(_ value: JSON) -> String {
        if let members = value.objectValue {
            return "{\(members.map { "\(wide($0.key)): \(python($0.value))" }.joined(separator: ", "))}"
        }
        if let elements = value.arrayValue { return "[\(elements.map(python).joined(separator: ", "))]" }
        if let text = value.stringValue { return wide(text) }
        if let truth = value.boolValue { return truth ? "True" : "False" }
        return value.isNull ? "None" : "\(value)"
    }

    /// JSON, with everything that is not ASCII as `\uXXXX`.
    static func ascii(_ value: JSON) -> String {
        if let members = value.objectValue {
            return "{\(members.map { "\(text($0.key)):\(ascii($0.value))" }.joined(separator: ","))}"
        }
        if let elements = value.arrayValue { return "[\(elements.map(ascii).joined(separator: ","))]" }
        return value.stringValue.map(text) ?? "\(value)"
    }

    /// A string of JSON and JavaScript.
    private static func text(_ text: String) -> String {
        quoted(text) { $0.utf16.map { "\\u" + JSON.hexadecimal($0) }.joined() }
    }

    /// A string of Python, which has no pairs of surrogates.
    private static func wide(_ text: String) -> String {
        quoted(text) {
            let isLong = $0.value > 0xFFFF
            return (isLong ? "\\U" : "\\u") + JSON.hexadecimal($0.value, digits: isLong ? 8 : 4)
        }
    }

    private static func quoted(_ text: String, escape: (Unicode.Scalar) -> String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case " "..."~" where scalar != "<": result.unicodeScalars.append(scalar)
            default: result += escape(scalar)
            }
        }
        return result + "\""
    }
}
