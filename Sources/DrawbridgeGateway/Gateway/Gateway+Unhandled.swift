// Requests for native that no handler and no reply answers.
extension Gateway {
    /// Answers by the policy ``unhandled``; the log and a header name the nearest registered path.
    ///
    /// - Parameter reason: what log and header say instead; nil for the nearest path.
    func withoutHandler(
        _ plain: Request, original: Request, saying reason: String? = nil
    ) async throws -> Response {
        if unhandled == .passThrough, plain.channelCall == nil {
            return try await answerFromBehind(original)
                ?? Self.refusal(HTTPError.nothingBehind(original.path))
        }
        let hint = reason ?? hint(for: plain)
        if reason == nil, let number = plain.record, !replies(for: plain).mayAnswer,
            let near = elsewhere(than: plain)
        {
            journal.note(of: number) { $0.near = near.words }
        }
        // For a call by a page's WebSocket, `hear(of:to:from:)` tells the log and the page's console.
        if plain.channelCall == nil, !journal.isTold, let times = timesMissed(plain.name) {
            plain.logger.warning("\(hint)\(reason == nil ? howToMock(plain) : "")\(times)")
        }
        var response =
            unhandled == .fail
            ? refusal(HTTPError(.notFound, hint), of: plain)
            : failure(HTTPError(.badRequest, "No response"), to: plain)
        // Percent-encoded, because a header field takes only ASCII.
        let field = Percent.encode(hint, keeping: "/:* ,;?=()")
        response.headers[.hint] = field.utf8.count > 256 ? "\(field.prefix(256))..." : field
        response.answeredBy = Response.noHandler
        return response
    }

    /// How many calls of a name were not answered, as the end of a sentence; nil if this one is not logged: only the
    /// first, the 10th, the 100th and so on are.
    func timesMissed(_ name: String) -> String? {
        let count = replyBook.news { $0.countMissed(name) }
        var rest = count
        while rest > 1, rest.isMultiple(of: 10) { rest /= 10 }
        guard rest == 1 else { return nil }
        return count == 1 ? "" : " (\(count) times now)"
    }

    /// The numbers of the calls that nobody answered, and that a mock or a handler would answer now.
    package func answeredSince() -> [Int] {
        var filter = RecordFilter()
        filter.by = "nobody"
        return journal.read(filter).records.filter { record in
            let (page, method) = (record.page, record.head.method ?? .post)
            let path = "/" + Percent.encode(record.name, keeping: "/")
            guard let segments = Target.segments(of: path) else { return false }
            let sets = handlerSets(ofPageAt: page?.path, id: page.flatMap { pages[$0.id] }?.address.id)
            let routes = sets.flatMap { $0.matches(segments) }.map(\.route)
            if routes.contains(where: { $0.takes(method) }) { return true }
            var mocks = replyBook.lookup(path, in: record.session, ofPageAt: page?.path)
            mocks.isTrial = true
            guard ![.head, .options].contains(method), !mocks.isEmpty,
                let input = record.readInput ?? (mocks.lookAtInput ? nil : ReplyInput(nil))
            else { return false }
            return replyBook.next(in: &mocks, input, program.secrets) != nil
        }.map(\.number)
    }

    /// Logs once for each path that its handler is not asked, because a `URLProtocol` class takes the request.
    func tellOfHidden(by ruled: Route, _ request: Request) {
        guard let plain = nativeForm(of: request, byRulesAlone: true)?.plain, !plain.isNamedByAction,
            let hidden = best(plain.path, for: plain),
            replyBook.isNews("hidden", in: "\(ruled.name) \(plain.name)")
        else { return }
        request.logger.warning(
            """
            \(ruled.name) answers \(plain.name) instead of \(hidden.name): let its canInit(with:) return false for this \
            path, or unregister one of the two
            """)
    }

    func methodNotAllowed(_ plain: Request, _ routes: [Route]) -> HTTPError {
        let allow = Route.allow(routes)
        return HTTPError(
            .methodNotAllowed,
            "/\(plain.name) has no handler that takes \(plain.method); registered there: \(allow)",
            headers: [.allow: allow])
    }

    /// How to mock the name of a request, as the end of a sentence; empty if it has a reply, since the hint says why
    /// that does not answer.
    func howToMock(_ plain: Request) -> String {
        guard !replies(for: plain).mayAnswer else { return "" }
        return howToMock(plain.name).map { "; \($0)" } ?? ""
    }

    /// How to mock a name, or to answer it otherwise; nil if no reply can have this name.
    ///
    /// A page may call any name, and a person may paste the flag into a shell: the flag is shown for plain names only.
    func howToMock(_ name: String) -> String? {
        guard CallName.canHaveReply(name) else { return nil }
        let suggestions = program.suggestions
        let short = name.cut(to: 100)
        var ways: [String] = []
        if suggestions.contains(.handler) {
            ways.append("add a handler: gateway.register(…, at: \(JSON.string("/\(short)")))")
        }
        if suggestions.contains(.mock) {
            if let file = replyBook.file {
                // The last two parts of a long path tell which file it is.
                ways.append(
                    "add \(JSON.string(short)) to \(file.split(separator: "/").suffix(2).joined(separator: "/"))"
                )
            } else {
                let isPlain = CallName.isPlain(name)
                ways.append(
                    isPlain ? "mock it: --reply '\(name)=…'" : "mock \(JSON.string(short)) in drawbridge.json"
                )
            }
        }
        if program.switchedOff.contains(name) { ways.append("start with --built-ins") }
        return ways.joined(separator: ", or ")
    }

    func hint(for request: Request) -> String {
        if request.path == "/", let call = request.callingPage?.call, call.name.isEmpty {
            return "no handler at /, which gets messages that a page sends without a name, "
                + "as WebViewJavascriptBridge 4 does with send(data): register one there"
        }
        let hint = "no handler at /\(request.name.cut(to: 200))"
        if replies(for: request).mayAnswer {
            return "\(hint), and its mock has no case for this input; add a last case without $when"
        }
        return elsewhere(than: request).map { "\(hint); \($0.hint)" } ?? hint
    }

    /// What to suggest for a name that nothing answers, in a hint and in words of the journal: other pages that have it, or
    /// the nearest path.
    private func elsewhere(than request: Request) -> (hint: String, words: String)? {
        let others = titlesOfPages(with: request.path, otherThan: request)
        guard others.isEmpty else {
            let own =
                request.pagePlace.map { place in
                    "this page is at \(Self.title(CallName.path(in: place.path), id: place.id, item: pageIDItem).cut(to: 200))"
                } ?? "this request has no page"
            let words = "pages at \(others.joined(separator: ", ")) have one, but \(own)"
            return (words, words)
        }
        return nearest(to: "/\(request.name)", for: request).map { path in
            ("the nearest registered path is \(path)", "did you mean \(CallName.plain(path))?")
        }
    }
}
