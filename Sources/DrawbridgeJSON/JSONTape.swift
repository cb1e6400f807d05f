/// A parsed JSON text as a flat list of entries; Swift values are made of them when they are decoded.
///
/// The entry of an array or object is followed by those of its values, up to its `end`. The index of an entry is the
/// *place* of its value; place 0 is the outermost value.
///
/// No method calls foreign code while it changes a property, so exclusive access need not be checked at run time.
package final class JSONTape {
    package let bytes: [UInt8]
    /// The entries and strings, parsed from the text or added later.
    private struct Found {
        var entries: [Entry]
        /// The characters of strings that `bytes` does not contain as such: those with escapes, and added ones.
        var aside: [UInt8]
    }

    /// Exclusivity is unchecked for speed, as in ``JSONText/own``.
    @exclusivity(unchecked) private var own: Found
    /// For each large object that was searched, the places of its values by name.
    private var indexes: [Int: [JSON.Bytewise: Int]] = [:]

    /// The number of members above which an object gets an index, so that a lookup among 100,000 is fast.
    static let searchLimit = 16

    init(_ bytes: [UInt8], entries: [Entry], aside: [UInt8] = []) {
        self.bytes = bytes
        own = Found(entries: entries, aside: aside)
    }

    package convenience init() { self.init([], entries: [Entry(kind: .null)]) }

    package convenience init(_ value: JSON) throws(JSON.ParseError) {
        try self.init(parsing: value.bytes, maximumDepth: .max)
    }

    @inline(__always)
    package subscript(place: Int) -> Entry { own.entries[place] }

    @inline(__always)
    package func next(after place: Int) -> Int {
        let entry = own.entries[place]
        return entry.isContainer ? Int(entry.end) : place + 1
    }

    /// The characters of a number, a string or a name, without quotes and with escapes replaced.
    @inline(__always)
    package func withCharacters<Result, Failure: Error>(
        of entry: Entry, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if entry.isAside {
            try own.aside.withUnsafeBufferPointer { bytes throws(Failure) in
                try body(UnsafeBufferPointer(rebasing: bytes[entry.range]))
            }
        } else {
            try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
                try body(UnsafeBufferPointer(rebasing: bytes[entry.range]))
            }
        }
    }

    @inline(__always)
    package func string(_ entry: Entry) -> String {
        withCharacters(of: entry) { String(decoding: $0, as: UTF8.self) }
    }

    /// The place of a member's value; names are compared byte by byte.
    @inline(__always)
    package func member(_ name: String, of object: Int) -> Int? {
        let entry = own.entries[object]
        guard entry.kind == .object else { return nil }
        if entry.count > Self.searchLimit { return index(of: object)[JSON.Bytewise(name)] }
        var name = name
        return name.withUTF8 { wanted in
            var place = object + 1
            while place < entry.end {
                let entry = own.entries[place]
                if entry.range.count == wanted.count, withCharacters(of: entry, { $0.elementsEqual(wanted) })
                {
                    return place + 1
                }
                place = next(after: place + 1)
            }
            return nil
        }
    }

    private func index(of object: Int) -> [JSON.Bytewise: Int] {
        if let index = indexes[object] { return index }
        var index = [JSON.Bytewise: Int](minimumCapacity: own.entries[object].count)
        for value in values(in: object) { index[JSON.Bytewise(string(own.entries[value - 1]))] = value }
        indexes[object] = index
        return index
    }

    package func values(in container: Int) -> [Int] {
        var values: [Int] = []
        let step = own.entries[container].kind == .object ? 1 : 0
        var place = container + 1 + step
        while place < own.entries[container].end {
            values.append(place)
            place = next(after: place) + step
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
        if own.entries[0].kind == .null { own.entries = [Entry(kind: .object)] }
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
        indexes[0] = nil
    }

    private func append(_ text: String, _ kind: Entry.Kind, at position: Int = 0, in parent: Int) {
        let start = UInt32(own.aside.count)
        own.aside.append(contentsOf: text.utf8)
        own.entries.append(
            Entry(
                kind: kind, isText: true, isAside: true, position: UInt32(position), parent: UInt32(parent),
                start: start, end: UInt32(own.aside.count)))
    }

    /// Adds a member `super` with `null` to an object without one, and returns the place of its value.
    package func missingParent(of object: Int) -> Int {
        append(JSON.PathKey.parent.stringValue, .name, in: object)
        own.entries.append(Entry(kind: .null, parent: UInt32(object)))
        return own.entries.count - 1
    }

    /// A value, or the name of a member, whose entry precedes that of the member's value.
    package struct Entry {
        package enum Kind: UInt8 {
            case null, no, yes, number, string, name, array, object
        }

        package static let none = UInt32.max

        package let kind: Kind
        /// Whether the value comes from a query or a form, where numbers and Booleans are strings too.
        package var isText = false
        /// Whether `start` and `end` are offsets in the tape's `aside` instead of its `bytes`.
        package var isAside = false
        /// For a name, its offset in the text; for a value, its index in its array or object.
        package var position: UInt32 = 0
        package var parent: UInt32 = none
        /// The offset of the first character; for an array or object, the number of its values.
        package var start: UInt32 = 0
        /// The offset after the last character; for an array or object, the index after its last entry.
        package var end: UInt32 = 0

        package var isContainer: Bool { kind.rawValue >= Kind.array.rawValue }

        package var range: Range<Int> { Int(start)..<Int(end) }

        package var count: Int { Int(start) }
    }
}
