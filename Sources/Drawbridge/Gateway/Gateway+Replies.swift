import HTTPTypes
import Logging

// Replies: what is answered in place of handlers.
extension Gateway {
    /// Answers names by replies, in place of handlers, from now on.
    ///
    /// ```swift
    /// try gateway.mock(#"{"getUser": {"nick": "Ann"}, "sync": {"$error": {"code": 1001}}}"#)
    /// ```
    ///
    /// They replace all that `mock` has given before; none of these are left by `mock()`. Those of the command's flags and
    /// files are asked before them. What a reply may be: <doc:MockingNativeCalls>.
    ///
    /// - Parameter replies: objects of replies by their names, as JSON; the first is asked first.
    /// - Throws: an error that says what is wrong with a text, and where in it; what was there stays.
    public func mock(_ replies: String...) throws {
        reply(
            by: try replies.enumerated().map { place, text in
                var names = try ReplyNames(LocatedJSON(parsing: Array(text.utf8)))
                names.source = "mock \(place)"
                return names
            }, inCode: true)
    }

    /// Answers by these layers of replies from now on, all at once; the first is asked first.
    ///
    /// Pages that are there get the names of new replies where their own are, and lose those that are gone.
    ///
    /// - Parameter isInCode: they are the program's own, which are asked behind those of whoever starts it.
    package func reply(by layers: [ReplyNames], inCode isInCode: Bool = false) {
        let hasShortcuts = pageRuntime?.shortcuts.isEmpty == false
        let open = hasShortcuts ? pages.all.map { (page: $0, names: names(forPageAt: $0.path)) } : []
        replyBook.set(layers, inCode: isInCode)
        for (page, old) in open {
            let new = names(forPageAt: page.path)
            guard new != old else { continue }
            // A page that has gone needs none.
            _ = try? page.post((["names": .array(new.map { .string($0) })] as JSON).bytes)
        }
    }

    /// What the replies for its path have to know of a request that is named by its path.
    ///
    /// They answer the methods that handlers do unless they say otherwise.
    func interestOfReplies(in plain: Request) -> ReplyBook.Interest {
        guard plain.method != .head, plain.method != .options else { return .none }
        return replyBook.interest(in: plain.path)
    }

    /// The answer of a reply; nil where the handlers are asked.
    ///
    /// - Parameter plain: has its body afterwards, where a reply looked at it.
    func replied(
        to plain: inout Request, original: Request, by tasks: HandlerTasks?
    ) async -> Response? {
        guard interestOfReplies(in: plain) != .none else { return nil }
        do {
            return try await replied(
                to: &plain, original: original, replyBook.lookup(plain.path), by: tasks)
        } catch {
            return reply(known(error, in: plain.path, plain))
        }
    }

    /// Says that a name which replies alone have is not asked by such a method.
    func checkMethodForReplies(_ plain: Request) throws(HTTPError) {
        guard plain.method == .head || plain.method == .options, unhandled != .passThrough,
            replyBook.lookup(plain.path).mayAnswer
        else { return }
        throw HTTPError(
            .methodNotAllowed, "\(plain.path) has a reply, which answers no \(plain.method)",
            headers: [.allow: Route.usualMethods])
    }

    private func replied(
        to plain: inout Request, original: Request, _ lookup: ReplyBook.Lookup, by tasks: HandlerTasks?
    ) async throws -> Response? {
        let (input, verdict) = try await verdict(on: &plain, by: lookup)
        // Whoever is asked in its place gets what was read of it.
        var original = original
        original.body = plain.body
        switch verdict {
        case .beneath(let why):
            let passed = why.filter { !$0.hasSuffix(": $pass") }
            if !passed.isEmpty {
                plain.logger.info("no reply for \(plain.path) fits: \(passed.joined(separator: "; "))")
            }
            return nil
        case .answered(let reply, let title, let why) where reply.isMissing:
            if !why.isEmpty { plain.logger.debug("reply \(title), after \(why.joined(separator: "; "))") }
            return try await withoutHandler(
                plain, original: original, saying: "reply \(title) says that nobody has \(plain.path)")
        case .answered(let reply, let title, let why):
            if !why.isEmpty { plain.logger.debug("reply \(title), after \(why.joined(separator: "; "))") }
            let route = Route(replying: reply.isSilence ? "\(title), silence" : title) { request in
                ReplyHandler(reply: reply, title: title, input: input, request: request)
            }
            return await run(route, plain, by: tasks)
        }
    }

    /// Reads as much of a request as its replies want to know, and asks them.
    private func verdict(
        on plain: inout Request, by lookup: ReplyBook.Lookup
    ) async throws -> (input: ReplyInput, verdict: ReplyBook.Verdict) {
        guard lookup.interest == .input else { return verdict(on: plain, ReplyInput(nil), by: lookup) }
        if plain.body.count == nil {
            plain.body = Request.Body(try await plain.body.collect(upTo: bodyLimit))
        }
        guard plain.hasLargeInput else { return readVerdict(on: plain, by: lookup) }
        // A megabyte of JSON takes some 20 milliseconds, which no other request on this loop should wait for.
        return await withTaskExecutorPreference(globalConcurrentExecutor) { [plain] in
            await verdictApart(on: plain, by: lookup)
        }
    }

    @concurrent
    private func verdictApart(
        on plain: Request, by lookup: ReplyBook.Lookup
    ) async -> (input: ReplyInput, verdict: ReplyBook.Verdict) { readVerdict(on: plain, by: lookup) }

    private func readVerdict(
        on plain: Request, by lookup: ReplyBook.Lookup
    ) -> (input: ReplyInput, verdict: ReplyBook.Verdict) {
        var input = ReplyInput(nil)
        do {
            input = try plain.replyInput()
        } catch {
            // A handler beneath may be able to read it.
            input.isUnreadable = true
            let why = (error as? HTTPError)?.message ?? "\(error)"
            plain.logger.warning("replies for \(plain.path) see no input: \(why)")
        }
        return verdict(on: plain, input, by: lookup)
    }

    private func verdict(
        on plain: Request, _ input: ReplyInput, by lookup: ReplyBook.Lookup
    ) -> (input: ReplyInput, verdict: ReplyBook.Verdict) {
        var input = input
        input.userAgent = plain.headers[.userAgent] ?? ""
        return (input, replyBook.verdict(by: lookup, on: input))
    }
}
