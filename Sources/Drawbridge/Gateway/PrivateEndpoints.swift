import HTTPTypes

/// What the gateway says about itself, below `/__drawbridge__/`.
struct PrivateEndpoints: Responder {
    static let prefix = "/__drawbridge__"

    /// Whether a path is the gateway's own, and nobody else's.
    static func isOwn(_ path: String) -> Bool { path == prefix || path.hasPrefix(prefix + "/") }

    func respond(to request: Request) async throws -> Response? {
        guard Self.isOwn(request.path) else { return nil }
        let path = OwnPath(of: request)
        guard path == .health || path == .schema else {
            let paths = OwnPath.allCases.filter(\.isForTesters).map(\.rawValue).sorted().joined(
                separator: ", ")
            throw HTTPError(
                .notFound,
                """
                nothing at \(request.path); there are /__drawbridge__/health and /__drawbridge__/schema.json, and with the \
                tester's token \(paths)
                """)
        }
        guard request.method == .get || request.method == .head else {
            throw HTTPError(
                .methodNotAllowed, "\(request.path) takes GET and HEAD", headers: [.allow: "GET, HEAD"])
        }
        if path == .schema {
            var schema = Response(
                bytes: PackageResources.drawbridge_schema_json, contentType: "application/schema+json")
            schema.addSafety()
            return schema
        }
        // Whoever watches from elsewhere learns that it is up, and nothing else.
        let isFromHere = request.gateway?.access.isFromThisMachine(request) != false
        let health = isFromHere ? Health.Details() : nil
        var response = Response(
            bytes: Envelope.success(try JSON.encode(Health(details: health))), contentType: "application/json"
        )
        response.addSafety()
        return response
    }

    private struct Health: Encodable {
        var status = "ok"
        var droppedAnswers: Int?
        var droppedChunks: Int?

        init(details: Details?) {
            droppedAnswers = details?.answers
            droppedChunks = details?.chunks
        }

        struct Details {
            var answers = Gateway.droppedAnswers
            var chunks = Gateway.droppedChunks
        }
    }
}
