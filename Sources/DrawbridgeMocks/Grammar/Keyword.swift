import DrawbridgeMessages

/// A member that a file of mocks may have: what it takes, and what it is for.
///
/// The reader checks by it, and the JSON Schema for editors is printed from it.
package struct Keyword: Sendable {
    let name: String
    let form: Form
    let says: String
    /// What is said of a value that has another form; empty where every form is right.
    let otherwise: String
    let example: String?
    /// The names that may stand beside it; nil where it does not decide that.
    let beside: [String]?
    /// Whether a file that nobody has named may not have it.
    let needsTrust: Bool

    /// - Parameters:
    ///   - kind: what its value is, in words; by default what its form is.
    ///   - otherwise: by default a sentence of its name, `kind` and `example`.
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
                "\(name) may stand in a file that somebody has named alone: -c drawbridge.json, or --replies",
                at: value)
        }
        guard form.takes(value) else { throw ReplyFault(otherwise, at: value) }
    }
}

package struct Keywords: Sendable {
    /// What the object is, such as `an $error`.
    let title: String
    var required: [String] = []
    var least = 0
    /// What to do with a member that is none of them.
    var advice = ""
    let all: [Keyword]

    var names: [String] { all.map(\.name) }

    /// Those that decide what may stand beside them: no two of them may stand together.
    var leading: [Keyword] { all.filter { $0.beside != nil } }

    subscript(name: String) -> Keyword? { all.first { $0.name == name } }

    func fault(_ name: String, at value: LocatedJSON) -> ReplyFault {
        ReplyFault(self[name]?.otherwise ?? title, at: value)
    }

    /// The members of an object by their names, each known and of the right form.
    ///
    /// - Parameter isOpen: whether members of other names are left out, and no mistake.
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
        return read
    }
}
