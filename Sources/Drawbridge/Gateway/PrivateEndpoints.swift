import HTTPTypes

/// What the gateway says about itself, below `/__drawbridge__/`.
struct PrivateEndpoints: Responder {
    func respond(to request: Request) async throws -> Response? {
        guard OwnPath.isOwn(request.path) else { return nil }
        let path = OwnPath(of: request)
        guard path == .health || path == .schema || path == .description else {
            let paths = OwnPath.allCases.filter(\.isForTesters).map(\.rawValue).sorted().joined(
                separator: ", ")
            throw HTTPError(
                .notFound,
                """
                nothing at \(request.path); there are \(OwnPath.health.path), \(OwnPath.schema.path), \
                \(OwnPath.description.path) and \(OwnPath.session.path)/NAME, and with the tester's token \(paths)
                """)
        }
        guard request.method == .get || request.method == .head else {
            throw HTTPError(
                .methodNotAllowed, "\(request.path) takes GET and HEAD", headers: [.allow: "GET, HEAD"])
        }
        if path == .schema {
            return document(PackageResources.drawbridge_schema_json, "application/schema+json")
        }
        if path == .description {
            return document(PackageResources.tester_api_openapi_json, "application/openapi+json")
        }
        // Whoever watches from elsewhere learns that it is up, and nothing else.
        let isFromHere = request.isFromThisMachine
        let health = isFromHere ? Health.Details() : nil
        var response = Response(
            bytes: Envelope.success(try JSON.encode(Health(details: health))), contentType: "application/json"
        )
        response.addSafety()
        return response
    }

    private func document(_ bytes: [UInt8], _ contentType: String) -> Response {
        var response = Response(bytes: bytes, contentType: contentType)
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
