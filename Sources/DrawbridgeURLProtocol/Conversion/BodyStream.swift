import Drawbridge
import Foundation
import Synchronization

/// A request's body as an `InputStream`, for `httpBodyStream`; reading blocks until the client has sent more.
final class BodyStream: InputStream {
    private let chunks: WaitingChunks
    private var rest: ArraySlice<UInt8>
    private var status = Stream.Status.notOpen
    private var error: (any Error)?

    /// Makes a stream of bytes that were already read, followed by the remaining chunks.
    init(_ bytes: [UInt8], then chunks: Request.Body.Iterator) {
        rest = bytes[...]
        self.chunks = WaitingChunks(chunks)
        super.init(data: Data())
    }

    override func open() { status = .open }

    override func close() { status = .closed }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { error }

    /// True while open: `InputStream` allows that if only reading can tell whether there are bytes.
    override var hasBytesAvailable: Bool { status == .open }

    /// Reads available bytes; blocks until there are some.
    ///
    /// It returns 0 at the end, and -1 if the client has disconnected.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        guard status == .open else { return status == .atEnd ? 0 : -1 }
        if rest.isEmpty {
            switch chunks.next() {
            case .success(let chunk?): rest = chunk[...]
            case .success(nil): status = .atEnd
            case .failure(let fault):
                error = fault
                status = .error
                return -1
            }
        }
        let part = rest.prefix(length)
        _ = UnsafeMutableBufferPointer(start: buffer, count: length).update(fromContentsOf: part)
        rest = rest.dropFirst(part.count)
        return part.count
    }

    /// False, because the stream has no buffer to which the reader could get a pointer.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

/// Reads the chunks of a body from a thread that blocks.
///
/// Only one thread may read at a time; it waits for the task that it starts.
private final class WaitingChunks: Sendable {
    private let state: Mutex<(chunks: Request.Body.Iterator, read: Result<[UInt8]?, any Error>)>
    private let executor = QueueExecutor()

    init(_ chunks: Request.Body.Iterator) { state = Mutex((chunks, .success(nil))) }

    func next() -> Result<[UInt8]?, any Error> {
        let isRead = DispatchSemaphore(value: 0)
        Task(executorPreference: executor) {
            var own = self.state.withLock { $0 }
            do { own.read = .success(try await own.chunks.next()) } catch { own.read = .failure(error) }
            self.state.withLock { [own] in $0 = own }
            isRead.signal()
        }
        isRead.wait()
        return state.withLock { $0.read }
    }
}

/// Runs tasks on its own queue, since the thread that waits for them may be the last one of the cooperative pool.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "drawbridge.body")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// An `InputStream` as the body of a request, read on its own queue because reading may block.
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

/// A state that is only used on its own serial queue: that makes it Sendable.
///
/// It holds Foundation objects that may block and are not Sendable, which tasks could neither use nor pass on.
final class QueueBound<State>: @unchecked Sendable {
    private let queue: DispatchQueue
    private var state: State

    init(_ state: State, label: String) {
        queue = DispatchQueue(label: label)
        self.state = state
    }

    func async(_ call: @escaping @Sendable (inout State) -> Void) {
        queue.async { call(&self.state) }
    }
}
