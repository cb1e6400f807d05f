// The journal's entries, for code in the gateway's own process.
extension Journal {
    /// Waits until the entries meet a condition, or the time is over.
    ///
    /// - Parameter isDone: is given calls and what pages said of themselves, each as the tester's API lists it, with nothing
    ///   left out; a call whose input has not come yet is not among them.
    /// - Returns: what it was given last.
    package func entries(
        until deadline: ContinuousClock.Instant, _ isDone: @escaping @Sendable ([JSON]) -> Bool
    ) async throws -> [JSON] {
        let filter = RecordFilter(kinds: [.call, .page])
        let all = { @Sendable in self.read(filter).records.filter(\.hasInput).map { $0.json(nil) } }
        _ = try await wait(for: filter, until: deadline, hearsTopics: true) { isDone(all()) }
        return all()
    }
}

extension JournalRecord {
    /// Whether its input is known, as far as it ever will be.
    fileprivate var hasInput: Bool { input.isWhole || !input.bytes.isEmpty || state != .waiting }
}
