extension Gateway {
    /// The page of a session that is meant where none is named, and none has called.
    ///
    /// Each of these narrows what the one before left, where it leaves any: it has its channel, has what is looked for,
    /// is seen, is in no frame, was not opened by another page, is the newest. Without a name any page will do.
    package func meant(_ name: String?, by bridge: String?, in session: Session) async -> Page? {
        let all = ranked(in: session)
        let asked = all.prefix(100).filter { $0.presence == .here }
        guard let name, asked.count > 1 else { return all.first }
        // In their order: nobody waits for one behind the first that has it.
        let answers = asked.map { page in Task { await page.has(name, by: bridge) } }
        defer { for answer in answers { answer.cancel() } }
        return await withTaskCancellationHandler {
            for (page, answer) in zip(asked, answers) { if await answer.value { return page } }
            return all.first
        } onCancel: {
            for answer in answers { answer.cancel() }
        }
    }

    /// The pages of a session, the one first that is meant where all have what is looked for.
    package func ranked(in session: Session) -> [Page] {
        pages.open.filter { $0.session == session }.map { (rank: $0.rank, page: $0) }
            .sorted { ($0.rank, $0.page.came, $0.page.id) > ($1.rank, $1.page.came, $1.page.id) }.map(\.page)
    }
}
