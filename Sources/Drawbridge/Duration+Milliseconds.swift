extension Duration {
    /// Milliseconds for people and for `Server-Timing`: `0.3`, `9.7`, `12`.
    package var milliseconds: String { milliseconds(after: []) }

    /// The same behind a text; by hand, because every answer of a handler needs one.
    func milliseconds(after text: [UInt8]) -> String {
        let (seconds, attoseconds) = components
        let tenths = UInt64(max(0, seconds * 10_000 + attoseconds / 100_000_000_000_000))
        return String(text, more: 24) { buffer in
            let count = buffer.write(tenths / 10)
            guard tenths < 100 else { return count }
            buffer[count] = UInt8(ascii: ".")
            buffer[count + 1] = UInt8(ascii: "0") + UInt8(tenths % 10)
            return count + 2
        }
    }
}
