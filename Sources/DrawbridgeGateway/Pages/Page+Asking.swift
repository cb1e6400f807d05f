// Questions that are shown over the page whose call asks.
extension Gateway {
    package func present(_ question: Question, for request: Request) async throws -> JSON? {
        try await questions.present(
            question, for: request, of: (request.page?.id ?? request.signedPage, request.pagePath),
            over: way(of: question, for: request), by: presenter)
    }

    /// Whether a question is shown over the page that sent the request, and why not.
    private func way(of question: Question, for request: Request) -> Questions.Way {
        let page = request.page
        guard let runtime = pageRuntime, let id = page?.id ?? request.signedPage else {
            return .elsewhere(because: nil)
        }
        func elsewhere(_ reason: String) -> Questions.Way { .elsewhere(because: reason) }
        let stands = request.callingPage.map { !$0.call.isByChannel } ?? request.headers.contains(.pageWaits)
        guard question.overPage else { return elsewhere("\(question.name) may act outside of the page") }
        if stands { return elsewhere("it waits in a synchronous call") }
        if request.headers[.origin] == "null" { return elsewhere("it is in a sandbox") }
        if let page, page.viewer == nil { return elsewhere("it has no page runtime") }
        switch questions.asking(in: request.session) ?? runtime.asking {
        case .off: return elsewhere("--ask off")
        case .auto:
            let isDriven = page.map { $0.viewer == .driver } ?? request.headers.contains(.pageDriven)
            if isDriven { return elsewhere("its browser is driven by a program; --ask page") }
            if request.session != .usual { return elsewhere("it is in a session of a test; --ask page") }
            if !access.isFromThisMachine(request) { return elsewhere("it is on another device; --ask page") }
        case .page: break
        }
        return .page { [pages] in pages[id]?.show($0.question, $0.number) }
    }

    package func decide(_ number: Int, _ outcome: Result<JSON, PageError>, by page: Page) {
        guard questions.waits(number, of: page.id) else { return }
        do {
            try questions.answer(number, outcome.get(), in: page.session, by: "page")
        } catch let error as PageError {
            questions.isNotShown(number)
            page.warn("cannot show question \(number): \(error.message.cut(to: 1000))")
        } catch let error as AnswerError {
            page.warn("question \(number): \(error)")
        } catch {
            // Somebody else has answered it.
        }
    }
}

extension Request {
    /// The page that sent this by HTTP with the page token, whether or not it has a channel.
    fileprivate var signedPage: String? { saidPath == nil ? nil : claimedPage }
}

extension Page {
    /// Who looks at a page: the page runtime says it.
    enum Viewer: String {
        case person, driver
    }

    /// Shows a question or a notice.
    ///
    /// - Returns: what takes it away again; nil if the page has gone.
    func show(_ question: Question, _ number: Int) -> (@Sendable () -> Void)? {
        let number = JSON.number(.init(number))
        var ask = question.described
        ask["number"] = number
        if case .form(let fields) = question.kind {
            ask["fields"] = .array(fields.map { ["name": .string($0.name), "label": .string($0.label)] })
        }
        guard (try? post((["ask": .object(ask)] as JSON).bytes)) != nil else { return nil }
        if question.kind == .notice { return {} }
        return { [weak self] in
            _ = try? self?.post((["withdraw": number] as JSON).bytes)
        }
    }
}
