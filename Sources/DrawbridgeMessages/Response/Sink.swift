import HTTPTypes
import Synchronization

/// Collects the chunks of a stream, up to a limit.
final class Sink: Sendable {
    private let limit: Int
    private let collected = Mutex<[UInt8]>([])

    init(limit: Int) { self.limit = limit }

    var bytes: [UInt8] { collected.withLock { $0 } }

    func append(_ chunk: [UInt8]) throws {
        try collected.withLock { bytes in
            guard chunk.count <= limit - bytes.count else { throw HTTPError.tooLarge(limit) }
            bytes += chunk
        }
    }
}
