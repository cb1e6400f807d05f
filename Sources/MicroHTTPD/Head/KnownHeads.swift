import Glibc

/// Heads that a loop has audited before: the calls of a page have the same head again and again.
///
/// A head is found only by exactly the same bytes, so that none bypasses the audit. A head that comes once leaves only
/// its hash here; of the others no more than 128 are kept, of 1 KB each at most. They are a part of
/// `Worker.State`.
struct KnownHeads {
    private final class Known: Sendable {
        let block: [UInt8]
        let target: [UInt8]
        let lines: Int
        let head: AuditedHead

        init(_ block: UnsafeRawBufferPointer, _ target: [UInt8], _ lines: Int, _ head: AuditedHead) {
            self.block = Array(block)
            self.target = target
            self.lines = lines
            self.head = head
        }

        func isOf(_ block: UnsafeRawBufferPointer, _ target: [UInt8], _ lines: Int) -> Bool {
            guard self.lines == lines, self.target == target, self.block.count == block.count,
                let start = block.baseAddress
            else { return false }
            return memcmp(self.block, start, block.count) == 0
        }
    }

    private static let count = 128
    private static let longest = 1024

    private var hashes = [UInt64](repeating: 0, count: Self.count)
    private var known = [Known?](repeating: nil, count: Self.count)

    /// The verdict on a head: the one that was given before, or that of `audit`.
    ///
    /// - Parameters:
    ///   - block, target, lines: all that `audit` looks at.
    mutating func head(
        _ block: UnsafeRawBufferPointer, target: [UInt8], lines: Int,
        audit: () throws(Refusal) -> AuditedHead
    ) throws(Refusal) -> AuditedHead {
        guard block.count <= Self.longest else { return try audit() }
        let hash = Self.hash(block)
        let place = Int(hash % UInt64(Self.count))
        guard hashes[place] == hash else {
            hashes[place] = hash
            known[place] = nil
            return try audit()
        }
        if let found = known[place], found.isOf(block, target, lines) { return found.head }
        let head = try audit()
        known[place] = Known(block, target, lines, head)
        return head
    }

    /// Callers can provoke collisions, which only cost another audit.
    private static func hash(_ block: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(block.count)
        var place = 0
        while place + 8 <= block.count {
            hash = mixed(hash ^ block.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        for byte in block[place...] { hash = mixed(hash ^ UInt64(byte)) }
        return hash
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        let product = value &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }
}
