/// Work on megabytes, which takes milliseconds that no other request on a loop should wait for.
package enum Apart {
    /// Does work: on no loop where it is long, else at once.
    @inlinable
    package static func perform<Result: Sendable, Failure: Error>(
        where isLong: Bool, _ work: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard isLong else { return try work() }
        return try await perform { () async throws(Failure) in try work() }
    }

    /// Does work that may wait as well, all of it where an executor has it: by default on no loop.
    package static func perform<Result: Sendable, Failure: Error>(
        on executor: any TaskExecutor = globalConcurrentExecutor,
        _ work: @Sendable () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(executor) {
            () async throws(Failure) in try await apart(work)
        }
    }

    @concurrent
    private static func apart<Result: Sendable, Failure: Error>(
        _ work: @Sendable () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        // Without work of its own, this function would not change the executor: the compiler leaves that out.
        _ = Task.isCancelled
        return try await work()
    }
}
