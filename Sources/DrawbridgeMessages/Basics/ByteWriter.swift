/// Writes texts and numbers into a buffer that is known to be large enough; made fast, since every request uses it.
struct ByteWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(bytes.count <= buffer.count - count)
        guard let source = bytes.baseAddress, let start = buffer.baseAddress else { return }
        (start + count).update(from: source, count: bytes.count)
        count += bytes.count
    }

    mutating func write(_ text: StaticString) {
        write(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(_ number: UInt64, radix: UInt64 = 10) {
        let digits: StaticString = "0123456789abcdefghijklmnopqrstuvwxyz"
        var low = count
        var rest = number
        repeat {
            buffer[count] = digits.utf8Start[Int(rest % radix)]
            rest /= radix
            count += 1
        } while rest > 0
        var high = count - 1
        while low < high {
            buffer.swapAt(low, high)
            (low, high) = (low + 1, high - 1)
        }
    }

    /// Writes milliseconds for people: `0.3`, `9.7`, `12`; no more than 24 bytes.
    mutating func write(milliseconds duration: Duration) {
        let tenths = UInt64(clamping: duration.attoseconds / 100_000_000_000_000)
        write(tenths / 10)
        if tenths < 100 {
            write(".")
            write(tenths % 10)
        }
    }
}

extension Duration {
    /// Milliseconds for people and for `Server-Timing`: `0.3`, `9.7`, `12`.
    package var milliseconds: String {
        String(unsafeUninitializedCapacity: 24) { buffer in
            var writer = ByteWriter(buffer)
            writer.write(milliseconds: self)
            return writer.count
        }
    }
}

extension String {
    /// Calls `body` with the UTF-8 bytes of the text, which are far faster to iterate than its characters.
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var text = self
        return text.withUTF8(body)
    }

    /// Makes a text for the log, cut after 500 bytes (contract, section 4).
    package init(shown bytes: [UInt8], _ redaction: Redaction) {
        let limit = 500
        let text = String(decoding: bytes.prefix(limit), as: UTF8.self)
        self = redaction.removed(fromText: text) + (bytes.count > limit ? " [...]" : "")
    }
}
