extension String {
    /// 128 bits from the system's generator, as 32 hexadecimal digits.
    package static func random128() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let half = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - half.count) + half
        }.joined()
    }
}
