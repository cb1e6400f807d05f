import Dispatch
import Drawbridge
import Foundation

/// A stream of Foundation's as the body of a request; it is read on a queue of its own, for reading may wait.
///
/// The stream is touched on the queue only: that makes it Sendable.
final class InputStreamChunks: ChunkSource, @unchecked Sendable {
    private let stream: InputStream
    private let queue = DispatchQueue(label: "drawbridge.body")

    private static let chunkSize = 64 << 10

    init(_ stream: InputStream) { self.stream = stream }

    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.read() }) }
        }
    }

    private func read() throws -> [UInt8]? {
        if stream.streamStatus == .notOpen { stream.open() }
        var failed = false
        let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkSize) { buffer, count in
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
