/// What pages may call, for programs: as a list, as OpenAPI, as TypeScript; and what was answered, as a file of replies.
struct CatalogueEndpoints: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard let gateway = request.gateway, let path = OwnPath(of: request) else { return nil }
        let words: [String]
        switch path {
        case .handlers: words = ["session", "name", "secrets"]
        case .openAPI, .types: words = ["session"]
        case .record: words = ["session", "name", "page", "since"]
        default: return nil
        }
        try gateway.authorizeTester(request)
        try request.allow([.get])
        let query = try RecordQuery(request, words: [], usual: words)
        // A journal has megabytes, which nobody should read on a loop.
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try await gateway.describe(path, query, request)
        }
    }
}
