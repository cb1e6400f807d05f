import HTTPTypes

/// What was called of native, over HTTP, for programs that test, and for the inspector.
///
/// Below `/__drawbridge__/calls`: the list, one call, and what is done with it.
struct JournalEndpoints: Responder {
    /// What there is, as the end of a sentence.
    static let all = """
        GET, POST and DELETE \(OwnPath.calls.path), POST \(OwnPath.calls.path)/verify, \
        GET \(OwnPath.calls.path)/events, GET \(OwnPath.calls.path)/NUMBER, and below that curl, test and resend
        """

    func respond(to request: Request) async throws -> Response? {
        guard let gateway = request.gateway, let path = OwnPath(of: request), path == .calls || path == .har
        else { return nil }
        try gateway.authorizeTester(request)
        guard gateway.journal.isOn else {
            throw HTTPError(.notFound, "this gateway keeps no journal; make it with keepsJournal: true")
        }
        let parts = request.path.dropFirst(path.path.count).split(separator: "/").map(String.init)
        if path == .har {
            try request.allow([.get])
            return try gateway.archive(request)
        }
        switch (parts.first, parts.count) {
        case (nil, _):
            try request.allow([.get, .post, .delete])
            switch request.method {
            case .post: return try await gateway.call(request)
            case .delete:
                // A name or a page in it would have to sort out, and all of the session is forgotten.
                let query = try RecordQuery(request, words: [], usual: ["session"])
                gateway.journal.forget(query.filter.session)
                gateway.noteTester("forgets the calls", in: query.filter.session)
                return .success(.null)
            default: return try await gateway.list(request)
            }
        case ("verify", 1):
            try request.allow([.post])
            return try await gateway.verify(request)
        case ("events", 1):
            try request.allow([.get])
            return try JournalStream.response(gateway, request)
        case (let text?, 1...2):
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
            let number = Int(text) ?? .max
            return try await gateway.below(number, parts.count == 2 ? parts[1] : "", request)
        default: break
        }
        throw HTTPError(.notFound, "nothing at \(request.path.cut(to: 100)); there are \(Self.all)")
    }
}
