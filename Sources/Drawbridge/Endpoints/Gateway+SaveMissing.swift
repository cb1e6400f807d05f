import Synchronization

extension Gateway {
    /// Writes the names that nobody answered since the process began into the file of replies, each once, with what was
    /// sent as a comment.
    ///
    /// - Throws: an ``HTTPError``: a 409 where there is no file that could be written, or where it has changed.
    package func saveMissing() async throws -> SavedNames {
        let redaction = secrets.withLock { $0 }
        let missed = journal.state.withLock { $0.unanswered.calls }.compactMap { name, calls in
            // A name such as *, or of blanks, would answer others too, or none.
            guard calls.allSatisfy(Recording.isForOneName), name.contains(where: { !$0.isWhitespace }) else {
                return nil as UnansweredName?
            }
            return UnansweredName(name, inputs: calls.map { $0.shownInput(redaction) }.filter { !$0.isNull })
        }
        return try await keeper().keep(missing: missed)
    }

    /// Who writes replies for a request, where it may ask for that.
    ///
    /// A program that can write the file decides what the gateway says after its next start. So whoever starts the
    /// gateway has to allow that; a person sees what is written, with the inspector or, without a request, at the terminal.
    func keeper(for request: Request? = nil) throws(HTTPError) -> any ReplyKeeper {
        guard let keeper = replyKeeper.withLock({ $0 }) else {
            throw HTTPError(.forbidden, "nobody here writes files; the command does")
        }
        guard request?.isOfInspector != false || keeper.isForPrograms else {
            throw HTTPError(.forbidden, "programs write no file unless it is started with --save")
        }
        return keeper
    }
}
