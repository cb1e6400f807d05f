import DrawbridgeMessages

/// The script itself: its configuration, and its modules in one function, the files of the folder `Script`.
///
/// Each says at its top which names it `gives` to others and which it `uses`, and a test compares that with its code.
package enum RuntimeScript {
    static let path = "/__drawbridge__/page.js"

    /// The modules in their order: what one needs while it is evaluated, those before it have.
    private static let order = [
        "pristine", "channel", "faults", "calls", "urls", "names", "native", "interface", "inject",
        "messages", "wvjb", "commands", "queue", "frames", "shortcuts", "globals", "bridges",
    ]

    static let modules = order.map { Texts.core["\($0).js"] }

    /// The text of the modules that a gateway needs: `faults` only with a journal, `bridges` only with bridges of
    /// `--bridge`.
    private static func body(hasBridges: Bool, hasJournal: Bool) -> [UInt8] {
        let left = zip(order, modules).filter { name, _ in
            (hasJournal || name != "faults") && (hasBridges || name != "bridges")
        }
        return left.flatMap { joined(withoutComments($0.1)) } + Array("})();\n".utf8)
    }

    private static let bodies = [false, true].map { hasBridges in
        [false, true].map { body(hasBridges: hasBridges, hasJournal: $0) }
    }

    /// Removes comments and blanks, a third of a script; no string in it spans several lines.
    static func withoutComments(_ module: [UInt8]) -> [UInt8] {
        module.split(separator: UInt8(ascii: "\n")).flatMap { line in
            let words = line.drop { $0 == blank }
            return words.starts(with: "//".utf8) ? [] : withoutBlanks(words) + [UInt8(ascii: "\n")]
        }
    }

    private static let blank = UInt8(ascii: " ")

    /// Joins lines at brackets, operators, `,` and `;`, which is left out before `}`.
    private static func joined(_ module: [UInt8]) -> [UInt8] {
        var joined: [UInt8] = []
        for byte in module where byte != UInt8(ascii: "\n") || joined.last.map("{([,;".utf8.contains) != true
        {
            let needless = byte == UInt8(ascii: "}") ? ";\n" : "})].?:&|".utf8.contains(byte) ? "\n" : ""
            if let last = joined.last, needless.utf8.contains(last) { joined.removeLast() }
            joined.append(byte)
        }
        return joined
    }

    /// A line without the blanks next to its brackets and operators.
    ///
    /// Those in a string stay, and so do all in a line with a regular expression, a template or double quotes.
    private static func withoutBlanks(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var short: [UInt8] = []
        var isText = false
        var isEscaped = false
        for (place, byte) in zip(line.indices, line) {
            if !isText, "\"`/".utf8.contains(byte) { return Array(line) }
            if byte == UInt8(ascii: "'"), !isEscaped { isText.toggle() }
            isEscaped = isText && byte == UInt8(ascii: "\\") && !isEscaped
            if byte == blank, !isText, let last = short.last, place + 1 < line.endIndex {
                let (brackets, signs) = ("{}()[],;".utf8, "=<>!&|?:".utf8)
                let (isAfter, isBefore) = (signs.contains(last), signs.contains(line[place + 1]))
                // Two operators without a blank between them would be another one.
                if isAfter != isBefore || brackets.contains(last) || brackets.contains(line[place + 1]) {
                    continue
                }
            }
            short.append(byte)
        }
        return short
    }

    /// The tags for the document at a path: the runtime's, and after it those of the bridges of `--bridge`.
    ///
    /// - Parameter bridges: the paths of their scripts.
    package static func tags(for path: String, token: String, nonce: String?, _ bridges: [String]) -> String {
        let path = Percent.encode(Percent.decode(path[...].utf8) ?? path, keeping: "/")
        let nonce = nonce.map { #" nonce="\#($0)""# } ?? ""
        let own =
            #"<script src="\#(self.path)?path=\#(path)" data-token="\#(token)"\#(nonce)></script>"#
        return bridges.reduce(own) { $0 + #"<script src="\#($1)"\#(nonce)></script>"# }
    }

    /// The script for the page at a path.
    ///
    /// - Parameters:
    ///   - configuration: a JSON object.
    ///   - hasJournal: whether the gateway keeps a journal, which has pages' faults.
    package static func text(
        _ configuration: [UInt8], hasBridges: Bool = false, hasJournal: Bool = false
    ) -> [UInt8] {
        Array("(function () {\n\"use strict\";\nvar config = ".utf8) + configuration + Array(";\n".utf8)
            + bodies[hasBridges ? 1 : 0][hasJournal ? 1 : 0]
    }
}
