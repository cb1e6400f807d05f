import HTTPGrammar

/// A word quoted for the shell, so that a suggested command can be pasted.
struct ShellWord: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let isPlain =
            !text.isEmpty && !text.hasPrefix("~")
            && text.utf8.allSatisfy { $0.isWord || $0 >= 0x80 || "-./~+:@,".utf8.contains($0) }
        // By scalars: in Swift, a quote followed by a combining accent is another Character than a quote.
        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar == "'" { quoted += #"'\''"# } else { quoted.unicodeScalars.append(scalar) }
        }
        description = isPlain ? text : "'\(quoted)'"
    }
}
