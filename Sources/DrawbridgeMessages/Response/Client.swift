import Synchronization

/// The receiver of a streamed body.
///
/// After its stream has finished, failed or lost its reader, chunks are dropped and counted (`droppedChunks` of
/// `/__drawbridge__/health`), and the writer gets a `CancellationError`.
public final class Client: Sendable {
    /// How many chunks came after the end of their streams, in the whole process.
    package static let dropped = Atomic<Int>(0)

    private let write: @Sendable ([UInt8]) async throws -> Void
    private let finished = Atomic<Bool>(false)

    /// A client that hands its chunks to `write`, which returns when it can take more.
    package init(_ write: @escaping @Sendable ([UInt8]) async throws -> Void) { self.write = write }

    /// Sends new bytes, and waits while the reader is slower than the writer.
    ///
    /// - Throws: `CancellationError` when the reader has gone or the stream has ended; the writer should return then.
    public func didLoad(_ chunk: [UInt8]) async throws {
        guard !finished.load(ordering: .acquiring) else {
            Self.dropped.add(1, ordering: .relaxed)
            throw CancellationError()
        }
        try Task.checkCancellation()
        guard !chunk.isEmpty else { return }
        try await write(chunk)
    }

    /// Sends text in UTF-8.
    ///
    /// - Throws: `CancellationError` when the reader has gone or the stream has ended; the writer should return then.
    public func didLoad(_ text: String) async throws { try await didLoad(Array(text.utf8)) }

    /// Ends the stream: later chunks are dropped.
    package func finish() { finished.store(true, ordering: .releasing) }
}
