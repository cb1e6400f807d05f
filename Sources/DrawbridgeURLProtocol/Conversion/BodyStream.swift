import Dispatch
import Drawbridge
import Foundation

/// The body of a request as `httpBodyStream`: reading waits for what the caller sends.
final class BodyStream: InputStream {
    private let chunks: WaitingChunks
    private var rest: ArraySlice<UInt8>
    private var status = Stream.Status.notOpen
    private var error: (any Error)?

    /// A stream of bytes that are there, and of those that follow.
    init(_ bytes: [UInt8], then chunks: Request.Body.Iterator) {
        rest = bytes[...]
        self.chunks = WaitingChunks(chunks)
        super.init(data: Data())
    }

    override func open() { status = .open }

    override func close() { status = .closed }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { error }

    /// True also where only reading can tell, as its documentation has it.
    override var hasBytesAvailable: Bool { status == .open }

    /// Reads what is there, and waits where nothing is there yet.
    ///
    /// 0 is the end, -1 a caller that has gone.
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

    /// False: the stream has no buffer that it could lend to its reader.
    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

/// The chunks of a body for a thread that waits for them.
///
/// One thread asks at a time, and waits for the task that it starts: that makes it Sendable.
private final class WaitingChunks: @unchecked Sendable {
    private var chunks: Request.Body.Iterator
    private var read: Result<[UInt8]?, any Error> = .success(nil)
    private let executor = QueueExecutor()

    init(_ chunks: Request.Body.Iterator) { self.chunks = chunks }

    func next() -> Result<[UInt8]?, any Error> {
        let isRead = DispatchSemaphore(value: 0)
        Task(executorPreference: executor) {
            do { self.read = .success(try await self.chunks.next()) } catch { self.read = .failure(error) }
            isRead.signal()
        }
        isRead.wait()
        return read
    }
}

/// Runs tasks on a queue of its own: whoever waits for one may hold the last thread of the cooperative pool.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "drawbridge.body")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
