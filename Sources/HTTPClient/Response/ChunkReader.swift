import HTTPGrammar

/// Decodes a chunked body (RFC 9112, section 7.1).
struct ChunkReader {
    private enum Place {
        case size(digits: Int)
        /// After the size, up to the end of its line. A chunk extension may be there, and is skipped.
        case sizeEnd
        case data
        case dataEnd(hasReturn: Bool)
        /// In the trailer section, which is skipped; `count` bytes of the current line have been read.
        case trailer(count: Int)
        case over
    }

    /// The maximum size in bytes of an extension or trailer section; without it a server could send one forever.
    static let framingLimit = 64 << 10

    private var place = Place.size(digits: 0)
    private var left = 0
    /// The number of framing bytes since the last byte of the body.
    private var framing = 0

    var isOver: Bool { if case .over = place { true } else { false } }

    /// Moves the bytes of the body to the front of the buffer.
    ///
    /// - Returns: `read`: how many bytes were consumed; those after the end of the body are not. `taken`: how many
    ///   belong to the body.
    mutating func read(
        _ bytes: UnsafeMutableRawBufferPointer
    ) throws(MalformedResponse) -> (read: Int, taken: Int) {
        var (read, taken) = (0, 0)
        while read < bytes.count, !isOver {
            if case .data = place {
                let count = min(left, bytes.count - read)
                UnsafeMutableRawBufferPointer(rebasing: bytes[taken..<taken + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[read..<read + count]))
                read += count
                taken += count
                left -= count
                if left == 0 { place = .dataEnd(hasReturn: false) }
                framing = 0
            } else {
                framing += 1
                guard framing <= Self.framingLimit else {
                    throw MalformedResponse("an extension of a chunk, or the trailer, has more than 64 KB")
                }
                try take(bytes[read])
                read += 1
            }
        }
        return (read, taken)
    }

    private mutating func take(_ byte: UInt8) throws(MalformedResponse) {
        let isEnd = byte == UInt8(ascii: "\n")
        switch place {
        case .size(let digits):
            if let digit = byte.hexadecimalValue {
                guard digits < 15 else { throw MalformedResponse("the size of a chunk is too large") }
                left = left << 4 | Int(digit)
                place = .size(digits: digits + 1)
            } else {
                guard digits > 0, "\r\n; \t".utf8.contains(byte) else {
                    throw MalformedResponse("the size of a chunk is not a number")
                }
                place = .sizeEnd
                if isEnd { endSize() }
            }
        case .sizeEnd:
            if isEnd { endSize() }
        case .dataEnd(let hasReturn):
            if isEnd {
                place = .size(digits: 0)
            } else {
                guard !hasReturn, byte == UInt8(ascii: "\r") else {
                    throw MalformedResponse("a chunk is longer than its size")
                }
                place = .dataEnd(hasReturn: true)
            }
        case .trailer(let count):
            if isEnd {
                place = count == 0 ? .over : .trailer(count: 0)
            } else if byte != UInt8(ascii: "\r") {
                place = .trailer(count: count + 1)
            }
        case .data, .over: break
        }
    }

    private mutating func endSize() { place = left == 0 ? .trailer(count: 0) : .data }
}
