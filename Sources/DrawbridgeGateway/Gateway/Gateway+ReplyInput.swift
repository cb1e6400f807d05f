// Collects what a reply needs before it answers: the request's input, and a person's choice.
extension Gateway {
    /// Asks a person to choose a reply; if nobody can or does, the last choice is taken.
    func choice(
        by ask: Reply.Ask, of found: FoundReply, _ input: ReplyInput, for plain: Request
    ) async throws -> (name: String, reply: Reply) {
        // The mock's own words are shown as they are written; what the page has sent is shown without secrets.
        let message = try await Apart.perform(where: input.isLarge && ask.message.looksAtInput) {
            let shown = input.value.map { secrets.removed(from: $0) }
            return try ask.message.filled(ReplyInput(shown, userAgent: input.userAgent))
        }
        guard let last = ask.choices.last else {
            throw HTTPError(.internalServerError, "\(found.title) has no choices")
        }
        var question = Question(
            found.name, message: message.stringValue ?? "\(message)", choices: ask.choices.map(\.name),
            overPage: true)
        question.within = ask.within.map { .milliseconds($0) }
        question.otherwise = last.name
        let answer = try await plain.present(question)
        return ask.choices.first { $0.name == answer?.stringValue } ?? last
    }

    /// The input of a request for its replies; the body is read only where one of them looks at it.
    func replyInput(
        of plain: inout Request, isLookedAt: Bool
    ) async throws -> ReplyInput {
        var input = ReplyInput(nil)
        if isLookedAt {
            if plain.body.count == nil {
                plain.body = Request.Body(try await plain.body.collect(upTo: bodyLimit))
            }
            let call = plain
            input = try await Apart.perform(where: call.hasLargeInput) { try read(call) }
        }
        input.userAgent = plain.headers[.userAgent] ?? ""
        return input
    }

    private func read(_ plain: Request) throws -> ReplyInput {
        do {
            return try plain.replyInput()
        } catch let error as HTTPError where error.headers.contains(.acceptEncoding) {
            throw error
        } catch {
            // Not an error: the handler, which is asked after the replies, may be able to read this input.
            let why = (error as? HTTPError)?.message ?? "\(error)"
            plain.logger.warning("mocks of \(plain.name) cannot read the input: \(why)")
            var input = ReplyInput(nil)
            input.isUnreadable = true
            return input
        }
    }

    /// The next reply that fits a call; nil if there is none, and the handler is asked.
    func next(in lookup: inout ReplyLookup, _ input: ReplyInput) async -> FoundReply? {
        /// Not a tuple, whose metadata is looked up at run time.
        struct Next: Sendable {
            var found: FoundReply?
            var lookup: ReplyLookup
        }
        let (asked, secrets) = (lookup, secrets)
        let next = await Apart.perform(where: input.isLarge) {
            var next = Next(lookup: asked)
            next.found = replyBook.next(in: &next.lookup, input, secrets)
            return next
        }
        lookup = next.lookup
        return next.found
    }
}
