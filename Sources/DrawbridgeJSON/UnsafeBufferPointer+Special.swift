extension UnsafeBufferPointer<UInt8> {
    /// The index of the first byte from `start` on that must be escaped in a JSON string (quote, backslash, control
    /// character), or of the end.
    ///
    /// - Parameter alsoSeparators: whether to stop at E2 too, the first byte of U+2028 and U+2029.
    @inline(__always)
    func firstSpecial(from start: Int, alsoSeparators: Bool = false) -> Int {
        let bytes = UnsafeRawBufferPointer(self)
        var position = start
        while position < count {
            // What lies behind the end counts as spaces.
            var word = Self.each(0x20)
            if count - position >= 8 {
                word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            } else {
                withUnsafeMutableBytes(of: &word) { $0.copyBytes(from: bytes[position...]) }
            }
            word = UInt64(littleEndian: word)
            var special =
                Self.bytes(of: word, equal: UInt8(ascii: "\""))
                | Self.bytes(of: word, equal: UInt8(ascii: "\\"))
            special |= (word &- Self.each(0x20)) & ~word
            if alsoSeparators { special |= Self.bytes(of: word, equal: 0xE2) }
            special &= Self.each(0x80)
            if special != 0 { return position + special.trailingZeroBitCount / 8 }
            position += 8
        }
        return count
    }

    @inline(__always)
    func hasSameBytes(as other: Self) -> Bool {
        guard count == other.count else { return false }
        for position in 0..<count where self[position] != other[position] { return false }
        return true
    }

    @inline(__always)
    private static func each(_ byte: UInt8) -> UInt64 { 0x0101_0101_0101_0101 &* UInt64(byte) }

    /// Sets the highest bit of the first byte that equals `byte`; bits of bytes before it are never set.
    @inline(__always)
    private static func bytes(of word: UInt64, equal byte: UInt8) -> UInt64 {
        let difference = word ^ each(byte)
        return (difference &- each(0x01)) & ~difference
    }
}
