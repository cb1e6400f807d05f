import Synchronization

/// Reserves one of the places of stream readers until it is deallocated; with `questions`, the reader is an inspector,
/// in which a person can answer.
package final class JournalReader: Sendable {
    /// Inspectors have as many places more, so that programs never shut a person out.
    package static let most = 16

    private let journal: Journal
    private let questions: Questions?

    package init(_ journal: Journal, watching questions: Questions? = nil) throws(HTTPError) {
        let count = journal.readers.add(1, ordering: .relaxed).newValue
        guard count <= (questions == nil ? Self.most : 2 * Self.most) else {
            journal.readers.subtract(1, ordering: .relaxed)
            throw HTTPError(
                .serviceUnavailable, "\(count - 1) clients already read the stream; close one of them")
        }
        self.journal = journal
        self.questions = questions
        questions?.inspect(true)
    }

    deinit {
        journal.readers.subtract(1, ordering: .relaxed)
        questions?.inspect(false)
    }
}
