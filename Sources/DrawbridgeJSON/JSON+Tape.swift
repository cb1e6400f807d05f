extension JSON {
    /// Makes the value that stands at a place of a tape, without recursion.
    ///
    /// The tape is read from its end to its beginning. So when an array or object comes, its values are made already:
    /// they stand at the end of one list, in reverse order, and are taken from there.
    package init(_ tape: JSONTape, at place: Int = 0) {
        if !tape[place].isContainer {
            self.init(scalar: tape[place], of: tape)
            return
        }
        var values: [JSON] = []
        var names: [String] = []
        for place in (place..<tape.next(after: place)).reversed() {
            let entry = tape[place]
            switch entry.kind {
            case .name: names.append(tape.string(entry))
            case .array:
                values.append(.array((0..<entry.count).map { _ in values.removeLast() }))
            case .object:
                let members = (0..<entry.count).map { _ in
                    (key: names.removeLast(), value: values.removeLast())
                }
                values.append(.object(Object(unique: members)))
            default: values.append(JSON(scalar: entry, of: tape))
            }
        }
        self = values[0]
    }

    private init(scalar entry: JSONTape.Entry, of tape: JSONTape) {
        switch entry.kind {
        case .no: self = .bool(false)
        case .yes: self = .bool(true)
        case .number: self = .number(Number(verified: tape.string(entry)))
        case .string, .name: self = .string(tape.string(entry))
        case .null, .array, .object: self = .null
        }
    }
}
