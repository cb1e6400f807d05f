import Drawbridge
import Foundation

/// A stream of Foundation's as the body of a request; it is read on a queue of its own, for reading may wait.
final class InputStreamChunks: ChunkSource {
    private let stream: QueueBound<InputStream>

    private static let chunkSize = 64 << 10

    init(_ stream: InputStream) { self.stream = QueueBound(stream, label: "drawbridge.body") }

    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            stream.async { stream in continuation.resume(with: Result { try Self.read(stream) }) }
        }
    }

    private static func read(_ stream: InputStream) throws -> [UInt8]? {
        if stream.streamStatus == .notOpen { stream.open() }
        var failed = false
        let chunk = [UInt8](unsafeUninitializedCapacity: chunkSize) { buffer, count in
            let read = buffer.baseAddress.map { stream.read($0, maxLength: buffer.count) } ?? 0
            failed = read < 0
            count = max(0, read)
        }
        if failed { throw stream.streamError ?? URLError(.cannotDecodeRawData) }
        guard chunk.isEmpty else { return chunk }
        stream.close()
        return nil
    }
}
