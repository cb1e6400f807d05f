import HTTPTypes

/// Header fields as C strings, name and value in turn: the engine takes them so, and most are never anything else.
@usableFromInline package struct FieldText: Sendable {
    @usableFromInline package typealias Place = (known: KnownName?, name: Range<Int>, value: Range<Int>)

    @usableFromInline package private(set) var bytes: [UInt8] = []
    package private(set) var places: [Place] = []

    package init() {}

    /// The size of the fields in an HTTP/1.1 head, in bytes.
    package var size: Int { bytes.count + 2 * places.count }

    /// Adds a field whose name is a token, and whose value has no control character but the tab.
    package mutating func append(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, as known: KnownName?
    ) {
        let start = bytes.count
        if start == 0 {  // Enough for most heads.
            bytes.reserveCapacity(480)
            places.reserveCapacity(14)
        }
        bytes.append(contentsOf: name)
        bytes.append(0)
        bytes.append(contentsOf: value)
        bytes.append(0)
        let middle = start + name.count
        places.append((known, start..<middle, middle + 1..<bytes.count - 1))
    }

    package mutating func append(_ field: HTTPField) {
        var name = field.name.rawName
        name.withUTF8 { name in
            let name = UnsafeRawBufferPointer(name)
            field.withUnsafeBytesOfValue { append(name, UnsafeRawBufferPointer($0), as: KnownName(name)) }
        }
    }

    /// Calls `body` with the bytes of a field's name and value.
    @inlinable package func read<Result>(
        _ place: Place, _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Result
    ) -> Result {
        bytes.withUnsafeBytes {
            body(
                UnsafeRawBufferPointer(rebasing: $0[place.name]),
                UnsafeRawBufferPointer(rebasing: $0[place.value]))
        }
    }

    package func field(at place: Place) -> HTTPField {
        read(place) { name, value in
            guard let name = FieldNames.name(name) else { preconditionFailure("a name is not a token") }
            return HTTPField(name, value)
        }
    }

    package var fields: HTTPFields { HTTPFields(places.map(field)) }

    /// The value of a field; of several of that name, all of them with commas; nil if there is none.
    package func value(_ name: KnownName) -> String? {
        var value: String?
        for place in places where place.known == name {
            let next = read(place) { String(decoding: $1, as: UTF8.self) }
            value = value.map { "\($0), \(next)" } ?? next
        }
        return value
    }
}

extension HTTPField {
    /// A value that is not ASCII is stored as bytes, because it may not be UTF-8.
    package init(_ name: Name, _ value: UnsafeRawBufferPointer) {
        self =
            value.allSatisfy { $0 < 0x80 }
            ? Self(name: name, value: String(decoding: value, as: UTF8.self)) : Self(name: name, value: value)
    }
}
