// Fast paths for short numbers; `nil` for other numbers, which `JSON.Number` converts.
extension JSONTape.Found {
    /// An integer of at most 18 digits, without a fraction or an exponent.
    @inline(__always)
    func shortInteger(_ entry: JSONTape.Entry) -> Int? {
        guard entry.kind == .number, entry.range.count <= 18 else { return nil }
        let bytes = bytes(of: entry)
        let isNegative = bytes[0] == UInt8(ascii: "-")
        var value = 0
        for byte in bytes.dropFirst(isNegative ? 1 : 0) {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ Int(digit)
        }
        return isNegative ? -value : value
    }

    /// A number of at most 15 digits, without an exponent.
    ///
    /// The digits and the power of ten by which they are divided are exact in a `Double`, so the quotient is correctly
    /// rounded (Clinger, *How to Read Floating Point Numbers Accurately*, 1990).
    @inline(__always)
    func shortDouble(_ entry: JSONTape.Entry) -> Double? {
        guard entry.kind == .number, entry.range.count <= 16 else { return nil }
        let bytes = bytes(of: entry)
        let isNegative = bytes[0] == UInt8(ascii: "-")
        var digits = 0
        var divisor = 1.0
        var isFraction = false
        for byte in bytes.dropFirst(isNegative ? 1 : 0) {
            let digit = byte &- UInt8(ascii: "0")
            if digit <= 9 {
                digits = digits &* 10 &+ Int(digit)
                if isFraction { divisor *= 10 }
            } else if byte == UInt8(ascii: ".") {
                isFraction = true
            } else {
                return nil
            }
        }
        guard digits < 1 << 53 else { return nil }
        let value = Double(digits) / divisor
        return isNegative ? -value : value
    }
}
