/// Checks that bytes are UTF-8, piece by piece, and fails at the first byte that is wrong.
struct UTF8Validator {
    /// Bytes that the character under way still needs.
    private var needed = 0
    /// The bounds of the next byte, which are narrower behind some first bytes (Unicode 16, table 3-7).
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    /// True between two characters.
    var isComplete: Bool { needed == 0 }

    /// Checks the next piece; returns false when it is no UTF-8, after which this must not be used.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place < bytes.count {
            if needed == 0 {
                while place + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                { place += 8 }
                guard place < bytes.count else { return true }
            }
            guard take(bytes[place]) else { return false }
            place += 1
        }
        return true
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard needed == 0 else {
            guard lower <= byte, byte <= upper else { return false }
            (lower, upper) = (0x80, 0xBF)
            needed -= 1
            return true
        }
        switch byte {
        case 0x00...0x7F: break
        case 0xC2...0xDF: needed = 1
        case 0xE0: (needed, lower) = (2, 0xA0)
        case 0xED: (needed, upper) = (2, 0x9F)
        case 0xE1...0xEF: needed = 2
        case 0xF0: (needed, lower) = (3, 0x90)
        case 0xF4: (needed, upper) = (3, 0x8F)
        case 0xF1...0xF3: needed = 3
        default: return false
        }
        return true
    }
}
