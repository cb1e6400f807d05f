/// A word as a shell takes it, so that what is suggested can be pasted.
struct ShellWord: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let isPlain =
            !text.isEmpty && !text.hasPrefix("~")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "_-./~+:@,".utf8.contains(byte) || byte >= 0x80
            }
        // Scalar by scalar: to Swift, a quote with an accent on it is another character than a quote.
        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar == "'" { quoted += #"'\''"# } else { quoted.unicodeScalars.append(scalar) }
        }
        description = isPlain ? text : "'\(quoted)'"
    }
}
