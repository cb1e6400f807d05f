/// A JSON text while it is being written, from the beginning to the end.
///
/// Values write themselves one after the other, each into its place: that of the innermost value that is begun and
/// not finished. Only what `nestedContainer` and `superEncoder` hand out may be written later; each is a text of its
/// own, put in where it belongs when the value around it is finished.
///
/// No method calls anybody else's code while it changes a property, so that access need not be checked at run time.
final class JSONText {
    /// A text to be put in at an offset of this one.
    private struct Insertion {
        let offset: Int
        let text: JSONText
    }

    /// A member that is written later.
    private struct Reserved: Hashable {
        let place: Int
        let name: JSON.Bytewise
    }

    @exclusivity(unchecked) private(set) var bytes: [UInt8] = []
    @exclusivity(unchecked) private(set) var current = Place(id: 0, start: 0, firstName: 0, firstInsertion: 0)
    /// The places around the current one, the outermost first.
    @exclusivity(unchecked) private(set) var outer: [Place] = []
    @exclusivity(unchecked) private var lastID = 0
    /// Where the members' names stand, with their quotes, in all places that are not finished.
    @exclusivity(unchecked) private(set) var names: [Range<Int>] = []
    @exclusivity(unchecked) private var insertions: [Insertion] = []
    private var reserved: [Reserved: JSONText] = [:]
    /// What went wrong where nothing can be thrown.
    @exclusivity(unchecked) private var fault: EncodingError?
    /// The coding path to this text from the outermost value, where it is put into another text.
    let base: [any CodingKey]

    init(base: [any CodingKey] = []) {
        self.base = base
        bytes.reserveCapacity(256)
        names.reserveCapacity(8)
    }

    // MARK: - Values

    /// Writes a value where one may stand.
    func append<Value: Encodable>(_ value: Value) throws {
        if try write(scalar: value) { return }
        lastID += 1
        outer.append(current)
        current = Place(
            id: lastID, start: bytes.count, firstName: names.count, firstInsertion: insertions.count)
        try value.encode(to: JSONTextEncoder(text: self, place: lastID))
        try finish()
        current = outer.removeLast()
    }

    /// Writes a value as a member; after an error the text is as it was before.
    func append<Value: Encodable>(_ value: Value, named name: String, at place: Int) throws {
        try undoing {
            try beginMember(name, at: place)
            try append(value)
        }
    }

    /// Writes a value as an element; after an error the text is as it was before.
    func appendElement<Value: Encodable>(_ value: Value, at place: Int) throws {
        try undoing {
            try beginElement(at: place)
            try append(value)
        }
    }

    /// Writes a value that stands for the whole.
    func appendSingle<Value: Encodable>(_ value: Value, at place: Int) throws {
        try check(place)
        if try write(scalar: value) {
            open(.value, at: place)
        } else {
            try value.encode(to: JSONTextEncoder(text: self, place: place))
        }
    }

    @inline(__always)
    private func undoing(_ write: () throws -> Void) throws {
        let (end, place, depth) = (bytes.count, current, outer.count)
        let (nameCount, insertionCount) = (names.count, insertions.count)
        do {
            try write()
        } catch {
            bytes.removeLast(bytes.count - end)
            names.removeLast(names.count - nameCount)
            outer.removeLast(outer.count - depth)
            insertions.removeLast(insertions.count - insertionCount)
            current = place
            throw error
        }
    }

    // MARK: - Places

    /// The number of elements.
    func count(at place: Int) -> Int { find(place)?.count ?? 0 }

    /// Whether something has been written to a place.
    func isBegun(at place: Int) -> Bool { find(place)?.shape != .nothing }

    private func find(_ place: Int) -> Place? {
        current.id == place ? current : outer.first { $0.id == place }
    }

    /// Settles on a shape; a second one is a fault that is thrown in the end, as containers cannot throw.
    func open(_ shape: Shape, at place: Int) {
        guard current.id == place else { return fail(closed) }
        if current.shape == .nothing {
            current.shape = shape
            if shape == .object { bytes.append(UInt8(ascii: "{")) }
            if shape == .array { bytes.append(UInt8(ascii: "[")) }
        } else if current.shape != shape || shape == .value {
            fail("encodes \(shape.rawValue) after \(current.shape.rawValue) in the same place")
        }
    }

    /// Writes what stands before the value of a member.
    @inline(__always)
    func beginMember(_ name: String, at place: Int) throws {
        try check(place)
        if current.count > 0 { bytes.append(UInt8(ascii: ",")) }
        current.count += 1
        let start = bytes.count
        write(name)
        names.append(start..<bytes.count)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes what stands before an element.
    @inline(__always)
    func beginElement(at place: Int) throws {
        try check(place)
        if current.count > 0 { bytes.append(UInt8(ascii: ",")) }
        current.count += 1
    }

    @inline(__always)
    private func check(_ place: Int) throws {
        if current.id != place { throw error(closed) }
    }

    private var closed: String { "encodes into a place that is finished, or has a value in it that is not" }

    /// Closes the current place.
    private func finish() throws {
        if let fault {
            self.fault = nil
            throw fault
        }
        let isRepeated = current.shape == .object && hasRepeatedName
        if insertions.count > current.firstInsertion { try insert() }
        switch current.shape {
        case .nothing: bytes.append(contentsOf: "{}".utf8)
        case .value: break
        case .array: bytes.append(UInt8(ascii: "]"))
        case .object:
            bytes.append(UInt8(ascii: "}"))
            if isRepeated { try keepLastOfRepeatedNames() }
            names.removeLast(names.count - current.firstName)
        }
    }

    // MARK: - Later

    /// The encoder of a member that is written later, the same one when the member is asked for again.
    func reserveMember(_ key: some CodingKey, at place: Int) -> JSONTextEncoder {
        let member = Reserved(place: place, name: JSON.Bytewise(key.stringValue))
        if let text = reserved[member] { return JSONTextEncoder(text: text, place: 0) }
        do { try beginMember(key.stringValue, at: place) } catch { fail(closed) }
        let encoder = reserve(key, at: place)
        reserved[member] = encoder.text
        return encoder
    }

    /// The encoder of an element that is written later.
    func reserveElement(at place: Int) -> JSONTextEncoder {
        let key = JSON.PathKey(intValue: count(at: place))
        do { try beginElement(at: place) } catch { fail(closed) }
        return reserve(key, at: place)
    }

    private func reserve(_ key: any CodingKey, at place: Int) -> JSONTextEncoder {
        let text = JSONText(base: path(to: place) + [key])
        insertions.append(Insertion(offset: bytes.count, text: text))
        return JSONTextEncoder(text: text, place: 0)
    }

    /// Puts in what was written later.
    private func insert() throws {
        var whole: [UInt8] = []
        var end = current.start
        for insertion in insertions[current.firstInsertion...] {
            try insertion.text.finish()
            whole += bytes[end..<insertion.offset]
            whole += insertion.text.bytes
            end = insertion.offset
        }
        whole += bytes[end...]
        bytes.replaceSubrange(current.start..., with: whole)
        insertions.removeLast(insertions.count - current.firstInsertion)
    }

    // MARK: - Names

    private var hasRepeatedName: Bool {
        let names = names[current.firstName...]
        if names.count > JSONTape.searchLimit {
            return Set(names.map { JSON.Bytewise(String(decoding: bytes[$0], as: UTF8.self)) }).count
                < names.count
        }
        return bytes.withUnsafeBufferPointer { bytes in
            names.indices.contains { later in
                names[..<later].contains {
                    $0.count == names[later].count
                        && UnsafeBufferPointer(rebasing: bytes[$0]).elementsEqual(bytes[names[later]])
                }
            }
        }
    }

    /// Writes the current object again, with each name once: in its first place, with its last value.
    private func keepLastOfRepeatedNames() throws {
        let start = current.start
        let tape = try JSONTape(parsing: Array(bytes[start...]), maximumDepth: .max, allowsRepetition: true)
        let members = tape.values(in: 0).map { (tape.string(tape[$0 - 1]), JSON(tape, at: $0)) }
        bytes.removeLast(bytes.count - start)
        JSON.object(JSON.Object(members)).write(into: &bytes)
    }

    private func fail(_ problem: String) {
        fault = fault ?? error(problem)
    }

    // MARK: - Bytes

    func write(_ mark: Unicode.Scalar) { bytes.append(UInt8(ascii: mark)) }

    func write(_ text: String) { JSON.write(text, into: &bytes) }

    func write(_ value: Bool) { bytes.append(contentsOf: (value ? "true" : "false").utf8) }

    func write(_ value: Int) { JSON.write(value, into: &bytes) }

    func write(_ value: JSON) { value.write(into: &bytes) }
}
