import Dispatch

/// A thread for one handler that blocks.
///
/// A serial queue gets a thread at once, where a concurrent one would hold new work back while others block.
final class HandlerThread: TaskExecutor {
    private let queue = DispatchQueue(label: "drawbridge.handler")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
