/// A word quoted for the shell, so that a suggested command can be pasted.
struct ShellWord: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let isPlain =
            !text.isEmpty && !text.hasPrefix("~")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "_-./~+:@,".utf8.contains(byte) || byte >= 0x80
            }
        // By scalars: in Swift, a quote followed by a combining accent is another Character than a quote.
        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar == "'" { quoted += #"'\''"# } else { quoted.unicodeScalars.append(scalar) }
        }
        description = isPlain ? text : "'\(quoted)'"
    }
}
