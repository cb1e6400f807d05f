/// Moves long work off the loops: with megabytes it takes milliseconds, in which a loop's other requests would wait.
package enum Apart {
    /// Does work at once, or off all loops if it is long.
    @inlinable
    package static func perform<Result: Sendable, Failure: Error>(
        where isLong: Bool, _ work: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard isLong else { return try work() }
        return try await perform { () async throws(Failure) in try work() }
    }

    /// Does asynchronous work on an executor; by default off all loops.
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
        // An otherwise empty function would not change the executor: the compiler removes it.
        _ = Task.isCancelled
        return try await work()
    }
}
