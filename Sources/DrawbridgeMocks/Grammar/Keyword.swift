/// A key that a file of mocks may have, with its type and its description.
///
/// The reader checks by it, and the JSON Schema for editors is printed from it.
package struct Keyword: Sendable {
    let name: String
    let form: Form
    let says: String
    /// The error message for a value of a wrong type; empty if any type is allowed.
    let otherwise: String
    let example: String?
    /// The keys that may be in the same object as this one; nil if this key does not restrict the others.
    let beside: [String]?
    /// Whether it is refused in a file that was found by itself and not given by `-c` or `--replies`.
    let needsTrust: Bool

    /// - Parameters:
    ///   - kind: the type of its value in words, for the error message; by default ``Form/kind``.
    ///   - otherwise: the whole error message; by default it is made of the name, `kind` and `example`.
    init(
        _ name: String, _ form: Form, _ says: String, is kind: String? = nil, otherwise: String? = nil,
        example: String? = nil, beside: [String]? = nil, needsTrust: Bool = false
    ) {
        let sentence = (kind ?? form.kind).map { kind in
            "\(name) is \(kind)" + (example.map { ", such as \($0)" } ?? "")
        }
        self.name = name
        self.form = form
        self.says = says
        self.otherwise = otherwise ?? sentence ?? ""
        self.example = example
        self.beside = beside
        self.needsTrust = needsTrust
    }

    func check(_ value: LocatedJSON, trust: ReplyTrust = .written) throws(ReplyFault) {
        if needsTrust, trust == .little {
            throw ReplyFault(
                "\(name) is only allowed in a file that -c or --replies names: -c drawbridge.json",
                at: value)
        }
        guard form.takes(value) else { throw ReplyFault(otherwise, at: value) }
    }
}

package struct Keywords: Sendable {
    /// The object in words, for error messages, such as `an $error`.
    let title: String
    var required: [String] = []
    var least = 0
    /// Appended to the error message for an unknown key that resembles no known one.
    var advice = ""
    let all: [Keyword]

    var names: [String] { all.map(\.name) }

    /// The keywords of which an object may have only one, such as the outcomes of a reply.
    var leading: [Keyword] { all.filter { $0.beside != nil } }

    subscript(name: String) -> Keyword? { all.first { $0.name == name } }

    func fault(_ name: String, at value: LocatedJSON) -> ReplyFault {
        ReplyFault(self[name]?.otherwise ?? title, at: value)
    }

    /// Checks the members of an object: each key must be known, and its value of the right type.
    ///
    /// - Parameter isOpen: whether unknown keys are ignored instead of refused.
    func read(
        _ members: [(name: String, value: LocatedJSON)], of object: LocatedJSON,
        trust: ReplyTrust = .written, isOpen: Bool = false
    ) throws(ReplyFault) -> [String: LocatedJSON] {
        let list = "\(title) has \(names.joined(separator: ", "))"
        guard members.count >= least else { throw ReplyFault("\(list); write one of them", at: object) }
        var read: [String: LocatedJSON] = [:]
        for (name, value) in members {
            if let keyword = self[name] {
                try keyword.check(value, trust: trust)
                read[name] = value
            } else if !isOpen {
                let near = Nearest.of(name, among: names).map { "; did you mean \($0)?" }
                throw ReplyFault("\(list), and no \(name)\(near ?? advice)", at: value)
            }
        }
        for name in required where read[name] == nil {
            throw ReplyFault("\(title) needs a \(name)", at: object)
        }
        if let mocks = read["mocks"], let other = read.updateValue(mocks, forKey: "replies") {
            throw ReplyFault("mocks and replies mean the same; keep one", at: other)
        }
        return read
    }
}
