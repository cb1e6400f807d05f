import ArgumentParser

/// The values of `--choose`: `alert=ok`, `login={"user":"ann"}`, or `@answers.json` for a file of answers.
enum Answers {
    /// Parses the values in order; of two answers to one question the last applies.
    static func read(_ texts: [String]) throws -> [String: JSON] {
        var values: [String: JSON] = [:]
        for text in texts {
            if text.hasPrefix("@") {
                let file = String(text.dropFirst())
                guard let members = try JSON(file: file).objectValue else {
                    throw Failure("\(file): answers are an object, for instance {\"alert\":\"ok\"}")
                }
                for (name, answer) in members { values[name] = answer }
            } else {
                let (name, answer) = try parse(text)
                values[name] = answer
            }
        }
        return values
    }

    /// Splits at the first equals sign; a value that begins with `{` or `"` is parsed as JSON, any other is a string.
    static func parse(_ text: String) throws -> (name: String, answer: JSON) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
            throw ValidationError(
                "--choose \(text): write name=value, for instance alert=ok, or @answers.json for a file of them"
            )
        }
        let value = String(text[text.index(after: equals)...])
        let name = String(text[..<equals])
        guard value.hasPrefix("{") || value.hasPrefix("\"") else { return (name, .string(value)) }
        do {
            return (name, try JSON(parsing: Array(value.utf8)))
        } catch {
            throw ValidationError("--choose \(text): \(name) is not JSON: \(error)")
        }
    }
}
