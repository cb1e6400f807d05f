/// The text to which encoders write, from the beginning to the end.
///
/// Values are appended in order. Only the innermost unfinished value can be written to, except for what
/// `nestedContainer` and `superEncoder` return: each of these has a text of its own, which is inserted when the
/// enclosing value is finished.
///
/// No method calls foreign code while it changes a property, so exclusive access need not be checked at run time.
final class JSONText {
    struct Written: ~Copyable {
        fileprivate(set) var bytes = Memory<UInt8>()
        fileprivate(set) var current = Place(id: 0, start: 0, firstName: 0, firstInsertion: 0)
        /// The unfinished values that contain `current`, the outermost first.
        fileprivate(set) var outer = Memory<Place>()
        fileprivate var lastID = 0
        /// The ranges of the members' names, with their quotes, in all unfinished values.
        fileprivate(set) var names = Memory<(start: Int, end: Int)>()
        fileprivate var insertions: [(offset: Int, text: JSONText)] = []
        /// The first error of a method that cannot throw; `finish` throws it.
        fileprivate var fault: (any Error)?
        /// The texts of members that may be written later, by the id of their object.
        fileprivate var reserved: [Int: [JSON.Bytewise: JSONText]] = [:]
    }

    /// Exclusivity is unchecked, here and in ``JSONTape``: the checks would take 3,600 instructions, a twentieth, of a
    /// request with 52 bytes of JSON in and out (`benchmarks/run --instructions`).
    @exclusivity(unchecked) private var own = Written()
    /// The coding path from the outermost value to this text, if this is the text of an inner value.
    let base: [any CodingKey]

    init(base: [any CodingKey] = []) { self.base = base }

    var bytes: [UInt8] { Array(own.bytes.elements) }

    private static let spare = Spare<JSONText>()

    /// What `write` writes into memory that was used before, or into other memory where that is in use.
    static func written(by write: (JSONText) throws -> Void) rethrows -> [UInt8] {
        var text = spare.take() ?? JSONText()
        defer {
            // Not where somebody still holds an encoder or a container of it.
            if isKnownUniquelyReferenced(&text) {
                text.clear()
                spare.put(text)
            }
        }
        try write(text)
        return text.bytes
    }

    private func clear() {
        own.bytes.clear()
        own.outer.clear()
        own.names.clear()
        own.current = Place(id: 0, start: 0, firstName: 0, firstInsertion: 0)
        (own.insertions, own.reserved, own.fault) = ([], [:], nil)
    }

    func append<Value: Encodable>(_ value: Value) throws {
        if try write(scalar: value) { return }
        own.lastID += 1
        own.outer.append(own.current)
        own.current = Place(
            id: own.lastID, start: own.bytes.count, firstName: own.names.count,
            firstInsertion: own.insertions.count)
        try value.encode(to: JSONTextEncoder(text: self, place: own.lastID))
        try finish()
        own.current = own.outer[own.outer.count - 1]
        own.outer.cut(to: own.outer.count - 1)
    }

    /// Writes a member; an error leaves the text as it was before.
    func append<Value: Encodable>(_ value: Value, named name: String, at place: Int) throws {
        try undoing {
            try beginMember(name, at: place)
            try append(value)
        }
    }

    /// Writes an element; an error leaves the text as it was before.
    func appendElement<Value: Encodable>(_ value: Value, at place: Int) throws {
        try undoing {
            try beginElement(at: place)
            try append(value)
        }
    }

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
        let (end, place, depth) = (own.bytes.count, own.current, own.outer.count)
        let (nameCount, insertionCount) = (own.names.count, own.insertions.count)
        do {
            try write()
        } catch {
            own.bytes.cut(to: end)
            own.names.cut(to: nameCount)
            own.outer.cut(to: depth)
            own.insertions.removeLast(own.insertions.count - insertionCount)
            own.current = place
            throw error
        }
    }

    func count(at place: Int) -> Int { find(place)?.count ?? 0 }

    func isBegun(at place: Int) -> Bool { find(place)?.shape != .nothing }

    private func find(_ place: Int) -> Place? {
        own.current.id == place ? own.current : own.outer.elements.first { $0.id == place }
    }

    /// Sets the shape of a value; if it had another one, `finish` throws, since methods that return containers cannot.
    func open(_ shape: Shape, at place: Int) {
        guard own.current.id == place else { return fail(closed) }
        if own.current.shape == .nothing {
            own.current.shape = shape
            if shape == .object { own.bytes.append(UInt8(ascii: "{")) }
            if shape == .array { own.bytes.append(UInt8(ascii: "[")) }
        } else if own.current.shape != shape || shape == .value {
            fail("encodes \(shape.rawValue) after \(own.current.shape.rawValue) in the same place")
        }
    }

    /// Writes a member's name and colon, after a comma if it is not the first member.
    @inline(__always)
    func beginMember(_ name: String, at place: Int) throws {
        try check(place)
        if own.current.count > 0 { own.bytes.append(UInt8(ascii: ",")) }
        own.current.count += 1
        let start = own.bytes.count
        write(name)
        own.names.append((start, own.bytes.count))
        own.bytes.append(UInt8(ascii: ":"))
    }

    @inline(__always)
    func beginElement(at place: Int) throws {
        try check(place)
        if own.current.count > 0 { own.bytes.append(UInt8(ascii: ",")) }
        own.current.count += 1
    }

    @inline(__always)
    private func check(_ place: Int) throws {
        if own.current.id != place { throw error(closed) }
    }

    private var closed: String { "encodes into a value that is finished, or while one in it is unfinished" }

    private func finish() throws {
        if let fault = own.fault {
            own.fault = nil
            throw fault
        }
        let isRepeated = own.current.shape == .object && hasRepeatedName
        if own.insertions.count > own.current.firstInsertion { try insert() }
        switch own.current.shape {
        case .nothing: write(raw: "{}")
        case .value: break
        case .array: own.bytes.append(UInt8(ascii: "]"))
        case .object:
            own.bytes.append(UInt8(ascii: "}"))
            if isRepeated { try keepLastOfRepeatedNames() }
            own.names.cut(to: own.current.firstName)
        }
    }

    /// An encoder of a member that may be written later; for the same key it returns the same one again.
    func reserveMember(_ key: some CodingKey, at place: Int) -> JSONTextEncoder {
        let name = JSON.Bytewise(key.stringValue)
        if let text = own.reserved[place]?[name] { return JSONTextEncoder(text: text, place: 0) }
        do { try beginMember(key.stringValue, at: place) } catch { fail(closed) }
        let encoder = reserve(key, at: place)
        own.reserved[place, default: [:]][name] = encoder.text
        return encoder
    }

    func reserveElement(at place: Int) -> JSONTextEncoder {
        let key = JSON.PathKey(intValue: count(at: place))
        do { try beginElement(at: place) } catch { fail(closed) }
        return reserve(key, at: place)
    }

    private func reserve(_ key: any CodingKey, at place: Int) -> JSONTextEncoder {
        let text = JSONText(base: path(to: place) + [key])
        own.insertions.append((own.bytes.count, text))
        return JSONTextEncoder(text: text, place: 0)
    }

    private func insert() throws {
        var whole: [UInt8] = []
        var end = own.current.start
        for insertion in own.insertions[own.current.firstInsertion...] {
            try insertion.text.finish()
            whole += own.bytes[end..<insertion.offset]
            whole += insertion.text.own.bytes.elements
            end = insertion.offset
        }
        whole += own.bytes[end..<own.bytes.count]
        own.bytes.cut(to: own.current.start)
        whole.withUnsafeBufferPointer { write(raw: $0) }
        own.insertions.removeLast(own.insertions.count - own.current.firstInsertion)
    }

    private var hasRepeatedName: Bool {
        let all = own.current.firstName..<own.names.count
        if all.count > JSONTape.searchLimit {
            return Set(all.map { JSON.Bytewise(String(decoding: name($0), as: UTF8.self)) }).count < all.count
        }
        for later in all {
            for earlier in all.lowerBound..<later where name(earlier).hasSameBytes(as: name(later)) {
                return true
            }
        }
        return false
    }

    private func name(_ place: Int) -> UnsafeBufferPointer<UInt8> {
        own.bytes[own.names[place].start..<own.names[place].end]
    }

    /// Rewrites the current object with unique names: each in its first position, with its last value.
    private func keepLastOfRepeatedNames() throws {
        let start = own.current.start
        let tape = try JSONTape(
            parsing: Array(own.bytes[start..<own.bytes.count]), maximumDepth: .max, allowsRepetition: true)
        let members = tape.values(in: 0).map { (tape.string(tape[$0 - 1]), JSON(tape, at: $0)) }
        own.bytes.cut(to: start)
        write(JSON.object(JSON.Object(members)))
    }

    private func fail(_ problem: String) {
        own.fault = own.fault ?? error(problem)
    }

    func write(raw text: String) { own.bytes.append(text: text) }

    func write(raw bytes: UnsafeBufferPointer<UInt8>) { own.bytes.append(bytes) }

    @inline(__always)
    func write(_ mark: Unicode.Scalar) { own.bytes.append(UInt8(ascii: mark)) }

    func write(_ value: Bool) { write(raw: value ? "true" : "false") }

    func write(_ value: Int) { write(raw: String(value)) }

    enum Shape: String {
        case nothing
        case value = "a single value"
        case array = "an array"
        case object = "an object"
    }

    /// A value that was begun and is not finished.
    struct Place {
        /// Identifies the value; never reused.
        let id: Int
        let start: Int
        let firstName: Int
        let firstInsertion: Int
        var shape = Shape.nothing
        var count = 0
    }

    func path(to place: Int) -> [any CodingKey] {
        let places = own.outer.elements + [own.current]
        return base + keys(in: places.prefix { $0.id != place })
    }

    /// The key of the member or element that is being written in each of these values.
    private func keys(in places: some Sequence<Place>) -> [any CodingKey] {
        let all = own.outer.elements + [own.current]
        return places.enumerated().compactMap { depth, place in
            switch place.shape {
            case .nothing, .value: return nil
            case .array: return JSON.PathKey(intValue: place.count - 1)
            case .object:
                let next = depth + 1 < all.count ? all[depth + 1].firstName : own.names.count
                guard next > place.firstName else { return nil }
                let name = (try? JSON(parsing: Array(name(next - 1))))?.stringValue
                return JSON.PathKey(stringValue: name ?? "")
            }
        }
    }

    func failure(_ problem: String, _ value: Any) -> EncodingError {
        let path = base + keys(in: own.outer.elements + [own.current])
        let place = path.isEmpty ? "" : "\(path.dotted): "
        return .invalidValue(value, .init(codingPath: path, debugDescription: place + problem))
    }

    func error(_ problem: String) -> EncodingError {
        .invalidValue(JSON.null, .init(codingPath: path(to: own.current.id), debugDescription: problem))
    }
}
