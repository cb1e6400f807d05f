/// A parsed JSON text as a flat list of entries; Swift values are made of them when they are decoded.
///
/// The entry of an array or object is followed by those of its values, up to its `end`. The index of an entry is the
/// *place* of its value; place 0 is the outermost value.
///
/// No method calls foreign code while it changes a property, so exclusive access need not be checked at run time.
package final class JSONTape {
    /// What was parsed or added; the characters are the text, then those of strings with escapes and added ones.
    struct Found: ~Copyable {
        var entries = Memory<Entry>()
        var characters = Memory<UInt8>()
        /// For each large object that was searched, the places of its values by name.
        fileprivate var indexes: [Int: [JSON.Bytewise: Int]] = [:]

        mutating func clear() {
            entries.clear()
            characters.clear()
            if !indexes.isEmpty { indexes = [:] }
        }

        @inline(__always)
        func next(after place: Int) -> Int {
            entries[place].isContainer ? Int(entries[place].end) : place + 1
        }

        /// The characters of a number, a string or a name, without quotes and with escapes replaced: until the next change.
        @inline(__always)
        func bytes(of entry: Entry) -> UnsafeBufferPointer<UInt8> {
            characters[entry.range]
        }

        /// The text was found to be UTF-8 before it was parsed.
        @inline(__always)
        func string(_ entry: Entry) -> String { String(copying: UTF8Span(unchecked: bytes(of: entry).span)) }

        @inline(__always)
        func has(_ name: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
            bytes(of: entries[place]).hasSameBytes(as: name)
        }
    }

    /// Exclusivity is unchecked for speed, as in ``JSONText/own``.
    @exclusivity(unchecked) var own = Found()

    /// The number of members above which an object gets an index, so that a lookup among 100,000 is fast.
    static let searchLimit = 16

    package init() { own.entries.append(Entry(kind: .null)) }

    package convenience init(_ value: JSON) throws(JSON.ParseError) {
        try self.init(parsing: value.bytes, maximumDepth: .max)
    }

    @inline(__always)
    package subscript(place: Int) -> Entry { own.entries[place] }

    @inline(__always)
    package func string(_ entry: Entry) -> String { own.string(entry) }

    /// The elements of an array of strings; nil for any other value.
    func texts(at place: Int) -> [String]? {
        let array = own.entries[place]
        // Strings have one entry each.
        guard array.kind == .array, Int(array.end) - place - 1 == array.count else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(array.count)
        for place in place + 1..<Int(array.end) {
            guard own.entries[place].kind == .string else { return nil }
            texts.append(own.string(own.entries[place]))
        }
        return texts
    }

    /// The place of a member's value; names are compared byte by byte.
    package func member(_ name: String, of object: Int) -> Int? {
        let entry = own.entries[object]
        guard entry.kind == .object else { return nil }
        if entry.count > Self.searchLimit { return index(of: object)[JSON.Bytewise(name)] }
        return name.utf8.span.withUnsafeBufferPointer { wanted in
            var place = object + 1
            while place < entry.end {
                if own.has(wanted, at: place) { return place + 1 }
                place = own.next(after: place + 1)
            }
            return nil
        }
    }

    private func index(of object: Int) -> [JSON.Bytewise: Int] {
        if let index = own.indexes[object] { return index }
        var index = [JSON.Bytewise: Int](minimumCapacity: own.entries[object].count)
        for value in values(in: object) { index[JSON.Bytewise(string(own.entries[value - 1]))] = value }
        own.indexes[object] = index
        return index
    }

    package func values(in container: Int) -> [Int] {
        var values: [Int] = []
        let step = own.entries[container].kind == .object ? 1 : 0
        var place = container + 1 + step
        while place < own.entries[container].end {
            values.append(place)
            place = own.next(after: place) + step
        }
        return values
    }

    package func path(to place: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var place = place
        while own.entries[place].parent != Entry.none {
            let entry = own.entries[place]
            let parent = Int(entry.parent)
            if own.entries[parent].kind == .object {
                path.append(JSON.PathKey(stringValue: string(own.entries[place - 1])))
            } else {
                path.append(JSON.PathKey(intValue: Int(entry.position)))
            }
            place = parent
        }
        return path.reversed()
    }

    /// Appends a member to the outermost object, which may still be `null`: a string, or several as an array.
    package func add(_ values: [String], named name: String) {
        if own.entries[0].kind == .null { own.entries[0] = Entry(kind: .object) }
        append(name, .name, in: 0)
        var parent = 0
        if values.count != 1 {
            parent = own.entries.count
            var array = Entry(kind: .array, isText: true, parent: 0, start: UInt32(values.count))
            array.end = UInt32(parent + 1 + values.count)
            own.entries.append(array)
        }
        for (position, value) in values.enumerated() { append(value, .string, at: position, in: parent) }
        own.entries[0].start += 1
        own.entries[0].end = UInt32(own.entries.count)
        own.indexes[0] = nil
    }

    private func append(_ text: String, _ kind: Entry.Kind, at position: Int = 0, in parent: Int) {
        let start = UInt32(own.characters.count)
        own.characters.append(text: text)
        own.entries.append(
            Entry(
                kind: kind, isText: true, position: UInt32(position), parent: UInt32(parent),
                start: start, end: UInt32(own.characters.count)))
    }

    /// Adds a member `super` with `null` to an object without one, and returns the place of its value.
    package func missingParent(of object: Int) -> Int {
        append(JSON.PathKey.parent.stringValue, .name, in: object)
        own.entries.append(Entry(kind: .null, parent: UInt32(object)))
        return own.entries.count - 1
    }

    /// A value, or the name of a member, whose entry precedes that of the member's value.
    package struct Entry: BitwiseCopyable {
        package enum Kind: UInt8, BitwiseCopyable {
            case null, no, yes, number, string, name, array, object
        }

        package static let none = UInt32.max

        package let kind: Kind
        /// Whether the value comes from a query or a form, where numbers and Booleans are strings too.
        package var isText = false
        /// Its index in its array or object.
        package var position: UInt32 = 0
        package var parent: UInt32 = none
        /// The offset of the first character; for an array or object, the number of its values.
        package var start: UInt32 = 0
        /// The offset after the last character; for an array or object, the index after its last entry.
        package var end: UInt32 = 0
        /// Where it begins and ends in the text, with quotes or brackets; 0 for what was added.
        package var from: UInt32 = 0
        package var to: UInt32 = 0

        package var isContainer: Bool { kind.rawValue >= Kind.array.rawValue }

        package var range: Range<Int> { Int(start)..<Int(end) }

        package var count: Int { Int(start) }
    }
}
