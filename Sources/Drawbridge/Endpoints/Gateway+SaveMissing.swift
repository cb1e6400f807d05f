import Synchronization

extension Gateway {
    /// Writes the names that nobody answered since the process began into the file of replies, each once, with what was
    /// sent as a comment.
    ///
    /// - Throws: an ``HTTPError``: a 409 where there is no file that could be written, or where it has changed.
    package func saveMissing() async throws -> SavedNames {
        let redaction = secrets.withLock { $0 }
        let (missed, beyond) = journal.unansweredCalls
        var refused: [String] = []
        let names = missed.compactMap { name, calls in
            guard CallName.canHaveReply(name), calls.allSatisfy(Recording.isForOneName) else {
                refused.append(name)
                return nil as UnansweredName?
            }
            return UnansweredName(name, inputs: calls.map { $0.shownInput(redaction) }.filter { !$0.isNull })
        }
        let (file, new) = try await keeper().keep(missing: names)
        return SavedNames(file: file, names: new, refused: refused, beyond: beyond)
    }

    /// What writes replies into the file, where a request may ask for that.
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
