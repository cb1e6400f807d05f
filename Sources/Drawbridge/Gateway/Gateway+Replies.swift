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
    /// They replace all that were there; none are left by `mock()`. What a reply may be: <doc:MockingNativeCalls>.
    ///
    /// - Parameter replies: objects of replies by their names, as JSON; the first is asked first.
    /// - Throws: an error that says what is wrong with a text, and where in it; what was there stays.
    public func mock(_ replies: String...) throws {
        reply(by: try replies.map { try ReplyNames(LocatedJSON(parsing: Array($0.utf8))) })
    }

    /// Answers by these layers of replies from now on, all at once; the first is asked first.
    ///
    /// Pages that are there get the names of new replies where their own are, and lose those that are gone.
    package func reply(by layers: [ReplyNames]) {
        let hasShortcuts = pageRuntime?.shortcuts.isEmpty == false
        let open = hasShortcuts ? pages.all.map { (page: $0, names: names(forPageAt: $0.path)) } : []
        replyBook.set(layers)
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
    ) async throws -> Response? {
        let interest = interestOfReplies(in: plain)
        guard interest != .none else { return nil }
        let input = try await replyInput(of: &plain, interest)
        switch replyBook.verdict(on: plain.path, input) {
        case .beneath(let why):
            plain.logger.debug("no reply for \(plain.path) fits: \(why.joined(separator: "; "))")
            return nil
        case .answered(let reply, _, _) where reply.isMissing:
            return try await withoutHandler(plain, original: original)
        case .answered(let reply, let title, let why):
            if !why.isEmpty { plain.logger.debug("reply \(title), after \(why.joined(separator: "; "))") }
            let route = Route(replying: title) { request in
                ReplyHandler(reply: reply, title: title, input: input, request: request)
            }
            return await run(route, plain, by: tasks)
        }
    }

    private func replyInput(
        of plain: inout Request, _ interest: ReplyBook.Interest
    ) async throws -> ReplyInput {
        var input = ReplyInput(nil)
        if interest == .input {
            if plain.body.count == nil {
                plain.body = Request.Body(try await plain.body.collect(upTo: bodyLimit))
            }
            do {
                input = try plain.replyInput()
            } catch let error as HTTPError {
                // A handler beneath may be able to read it.
                plain.logger.warning("replies for \(plain.path) see no input: \(error.message)")
            }
        }
        input.userAgent = plain.headers[.userAgent] ?? ""
        return input
    }
}
