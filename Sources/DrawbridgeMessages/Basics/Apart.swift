/// Work on megabytes, which takes milliseconds that no other request on a loop should wait for.
package enum Apart {
    /// Does work: on no loop where it is long, else at once.
    @inlinable
    package static func perform<Result: Sendable, Failure: Error>(
        where isLong: Bool, _ work: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard isLong else { return try work() }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            () async throws(Failure) in try await apart(work)
        }
    }

    @concurrent
    @usableFromInline static func apart<Result: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result { try work() }
}
