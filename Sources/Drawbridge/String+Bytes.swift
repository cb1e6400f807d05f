extension String {
    /// Calls `body` with the bytes of the text, which walk by far faster than its characters.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var text = self
        return text.withUTF8(body)
    }

    /// A text of bytes and of what is written behind them: up to `more`, of which the closure gives the number.
    init(_ bytes: [UInt8], more: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        self.init(unsafeUninitializedCapacity: bytes.count + more) { buffer in
            _ = buffer.update(fromContentsOf: bytes)
            return bytes.count + write(UnsafeMutableBufferPointer(rebasing: buffer[bytes.count...]))
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes a number, the most significant digit first; gives the number of its digits.
    func write(_ number: UInt64, radix: UInt64 = 10) -> Int {
        let digits: StaticString = "0123456789abcdefghijklmnopqrstuvwxyz"
        var count = 0
        var rest = number
        repeat {
            self[count] = digits.utf8Start[Int(rest % radix)]
            rest /= radix
            count += 1
        } while rest > 0
        var (low, high) = (0, count - 1)
        while low < high {
            swapAt(low, high)
            (low, high) = (low + 1, high - 1)
        }
        return count
    }
}
