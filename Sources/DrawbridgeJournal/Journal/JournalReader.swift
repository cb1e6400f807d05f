import Synchronization

/// Counts as one of the readers of the stream while it exists.
package final class JournalReader: Sendable {
    /// The most readers at a time.
    package static let most = 16

    private let journal: Journal

    package init(_ journal: Journal) throws(HTTPError) {
        let count = journal.readers.add(1, ordering: .relaxed).newValue
        guard count <= Self.most else {
            journal.readers.subtract(1, ordering: .relaxed)
            throw HTTPError(.serviceUnavailable, "\(Self.most) read the stream already; close one of them")
        }
        self.journal = journal
    }

    deinit { journal.readers.subtract(1, ordering: .relaxed) }
}
