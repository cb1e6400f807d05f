extension Gateway {
    package func present(_ question: Question, for request: Request) async throws -> JSON? {
        try await questions.present(
            question, for: request, of: (request.page?.id, request.pagePath), by: presenter)
    }

    @usableFromInline package func refusesSocket(of request: Request) -> HTTPError? {
        access.refusesSocket(of: request)
    }

    @usableFromInline package func isFromThisMachine(_ request: Request) -> Bool {
        access.isFromThisMachine(request)
    }

    package func isPageToken(_ text: String) -> Bool { access.token.matches(text) }
}
