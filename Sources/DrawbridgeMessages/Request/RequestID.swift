import Synchronization

/// Makes the ids of requests: short, unique within the process, and unlikely to equal those of other processes.
package enum RequestID {
    private static let prefix = Array("\(String(UInt32.random(in: .min ... .max), radix: 36))-".utf8)
    private static let counter = Atomic<UInt64>(0)

    /// A random name of this run, by which state from before a restart is recognised.
    package static func epoch() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    /// The caller's own id if it is safe in a log line and a header field, else a new one.
    static func from(_ field: String?) -> String {
        if let field, (1...128).contains(field.utf8.count), field.utf8.allSatisfy(isPlain) { return field }
        let number = counter.add(1, ordering: .relaxed).newValue
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: prefix.count + 16) { buffer in
            var writer = ByteWriter(buffer)
            prefix.withUnsafeBufferPointer { writer.write($0) }
            writer.write(number, radix: 36)
            // `String` allocates nothing for up to fifteen bytes, which are enough for years.
            return String(decoding: UnsafeBufferPointer(rebasing: buffer[..<writer.count]), as: UTF8.self)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isWord || "-.:".utf8.contains(byte) }
}
