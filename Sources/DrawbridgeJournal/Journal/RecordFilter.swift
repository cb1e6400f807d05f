/// A query for records; a criterion that is nil matches all.
package struct RecordFilter: Sendable {
    package var session: Session?
    package var kinds: Set<JournalRecord.Kind> = [.call]
    package var name: String?
    /// The path of a page, or the first characters of its id.
    package var page: String?
    package var state: JournalRecord.State?
    package var by: String?
    package var isUnanswered = false
    package var when: Condition?

    package init(
        session: Session? = nil, kinds: Set<JournalRecord.Kind> = [.call], name: String? = nil,
        state: JournalRecord.State? = nil
    ) {
        self.session = session
        self.kinds = kinds
        self.name = name
        self.state = state
    }

    package func fits(_ record: JournalRecord) -> Bool {
        if !isAbout(record) { return false }
        if let state, record.state != state { return false }
        if let by, record.by?.shown.word != by { return false }
        if isUnanswered, !record.isUnanswered { return false }
        return misfit(of: record, nil) == nil
    }

    /// Whether a record may match in one of its states, so that its changes matter to a waiting reader.
    ///
    /// The name of a call may become known only after the call has begun.
    package func isAbout(_ record: JournalRecord) -> Bool {
        if let session, record.session != session { return false }
        if !kinds.contains(record.kind) { return false }
        if let page, record.page.map({ $0.id.hasPrefix(page) || $0.path == page }) != true { return false }
        if let name, !record.isNamed(name) { return false }
        return true
    }

    package func misfit(of record: JournalRecord, _ redaction: Redaction?) -> String? {
        guard let when else { return nil }
        let (_, input) = Self.inputs.value(of: ObjectIdentifier(record.head)) {
            (record.head, record.readInput)
        }
        return input.map { when.misfit($0, redaction) } ?? "its input was cut, so it cannot be compared"
    }

    /// The inputs parsed last, by head: all waiting readers parse the same new call; a new input has a new head.
    private static let inputs = Remembered<ObjectIdentifier, (JournalRecord.Head, ReplyInput?)>(atMost: 8)
}
