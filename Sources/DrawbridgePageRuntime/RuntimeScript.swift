/// The page runtime's script: its configuration, followed by the modules of the folder `Script`, in one function.
///
/// Each module begins with the names that it `gives` to others and `uses`; a test compares them with its code.
package enum RuntimeScript {
    static let path = "/__drawbridge__/page.js"

    /// The modules in an order in which each comes after those that it needs while it is evaluated.
    private static let order = [
        "pristine", "channel", "app", "faults", "calls", "urls", "names", "native", "asking", "interface",
        "inject",
        "messages", "wvjb", "commands", "queue", "frames", "shortcuts", "globals", "bridges",
    ]

    static let modules = order.map { Texts.core["\($0).js"] }

    private static let short = modules.map { joined(withoutComments($0)) }

    /// The script that shows questions, with its style sheet.
    package static let asking =
        Array(#"(function () {"use strict";const css = "#.utf8)
        + JSON.string(String(decoding: Texts.core["ask.css"], as: UTF8.self)).bytes + Array(";\n".utf8)
        + withoutComments(Texts.core["ask.js"]) + Array("})();\n".utf8)

    /// Removes comments and spaces, a third of the text; no string in the scripts may span several lines.
    static func withoutComments(_ module: [UInt8]) -> [UInt8] {
        module.split(separator: UInt8(ascii: "\n")).flatMap { line in
            let words = line.drop { $0 == blank }
            return words.starts(with: "//".utf8) ? [] : withoutBlanks(words) + [UInt8(ascii: "\n")]
        }
    }

    private static let blank = UInt8(ascii: " ")

    /// Removes line breaks next to brackets, operators, `,` and `;`, and each `;` before `}`.
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

    /// Removes the spaces next to brackets and operators of a line.
    ///
    /// Those in strings, template literals and regular expressions are kept.
    private static func withoutBlanks(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var short: [UInt8] = []
        // The mark that ends a literal.
        var end: UInt8?
        var isEscaped = false
        for (place, byte) in zip(line.indices, line) {
            if byte == end, !isEscaped {
                end = nil
            } else if end == nil, "'\"`/".utf8.contains(byte) {
                end = byte
            }
            isEscaped = end != nil && byte == UInt8(ascii: "\\") && !isEscaped
            if byte == blank, end == nil, let last = short.last, place + 1 < line.endIndex {
                let (brackets, signs) = ("{}()[],;".utf8, "=<>!&|?:+-*%".utf8)
                let (isAfter, isBefore) = (signs.contains(last), signs.contains(line[place + 1]))
                // Between two operators the space is kept: without it they would be read as another operator.
                if isAfter != isBefore || brackets.contains(last) || brackets.contains(line[place + 1]) {
                    continue
                }
            }
            short.append(byte)
        }
        return short
    }

    /// The `<script>` tags for the document at a path: the runtime's, then those of the `--bridge` bridges.
    ///
    /// - Parameters:
    ///   - id: the id in the document's address.
    ///   - bridges: the paths of the bridges' scripts.
    package static func tags(
        for path: String, id: String?, token: String, nonce: String?, _ bridges: [String]
    ) -> String {
        let path = Percent.encode(Percent.decode(path[...].utf8) ?? path, keeping: "/")
        let id = id.map { "&amp;id=\(Percent.encode($0))" } ?? ""
        let nonce = nonce.map { #" nonce="\#($0)""# } ?? ""
        let own =
            #"<script src="\#(self.path)?path=\#(path)\#(id)" data-token="\#(token)"\#(nonce)></script>"#
        return bridges.reduce(own) { $0 + #"<script src="\#($1)"\#(nonce)></script>"# }
    }

    /// The script for a page.
    ///
    /// - Parameters:
    ///   - configuration: a JSON object.
    ///   - hasBridges: whether there are bridges of `--bridge`.
    ///   - hasJournal: whether the gateway keeps a journal, to which the script then reports uncaught errors.
    package static func text(
        _ configuration: [UInt8], hasBridges: Bool = false, hasJournal: Bool = false
    ) -> [UInt8] {
        var text = Array("(function () {\n\"use strict\";\nvar config = ".utf8) + configuration
        text += ";\n".utf8
        for (name, module) in zip(order, short)
        where (hasJournal || name != "faults") && (hasBridges || name != "bridges") { text += module }
        return text + Array("})();\n".utf8)
    }
}
