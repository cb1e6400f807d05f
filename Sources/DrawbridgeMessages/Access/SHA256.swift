#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// SHA-256 (FIPS 180-4, section 6.2): secrets are kept as digests, so that reading the memory does not reveal them.
package enum SHA256 {
    package static func digest(_ text: String) -> [UInt8] { digest(Array(text.utf8)) }

    /// HMAC-SHA256 (RFC 2104).
    package static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = key.count > 64 ? digest(key) : key
        let block = key + [UInt8](repeating: 0, count: 64 - key.count)
        return digest(block.map { $0 ^ 0x5C } + digest(block.map { $0 ^ 0x36 } + bytes))
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var state = initial
        var padded = bytes + [0x80]
        padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64)
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: UInt64(bytes.count * 8) >> UInt64(shift)))
        }
        for start in stride(from: 0, to: padded.count, by: 64) {
            mix(padded[start..<start + 64], into: &state)
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { place in
            block[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let low = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let high = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ low &+ words[index - 7] &+ high)
        }
        var s = state
        for index in 0..<64 {
            let high = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)
            let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
            let first = s[7] &+ high &+ choice &+ constants[index] &+ words[index]
            let low = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)
            let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
            s = [first &+ low &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
        }
        for index in state.indices { state[index] &+= s[index] }
    }

    private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// The fractional parts of the roots of primes are the constants (sections 4.2.2 and 5.3.3).
    private static let primes = (2...311).filter { number in
        !(2..<number).contains { number.isMultiple(of: $0) }
    }
    private static let initial = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
    private static let constants = primes.map { fraction(cbrt(Double($0))) }

    private static func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 0x1p32) }
}
