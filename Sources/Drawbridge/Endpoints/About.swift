import Synchronization

/// Endpoints about the gateway itself: its health, the JSON Schema, the description of the API, the manual.
enum About {
    /// Says that the gateway runs; callers on other machines are told nothing else.
    static func health(_ gateway: Gateway, _ request: Request) async throws -> Response {
        var health: JSON.Object = [
            "status": .string(gateway.shared.now?.isGone == true ? "degraded" : "ok")
        ]
        if request.isFromThisMachine {
            health["droppedAnswers"] = .number(.init(Gateway.droppedAnswers.load(ordering: .relaxed)))
            health["droppedChunks"] = .number(.init(Client.dropped.load(ordering: .relaxed)))
        }
        guard gateway.program.isDraining else { return .success(.object(health)) }
        // Not thrown, which would be an error in the log each time that a balancer asks.
        return Gateway.refusal(
            HTTPError(.serviceUnavailable, "the gateway is about to stop; send requests to another one"))
    }

    static func schema(_ gateway: Gateway, _ request: Request) async throws -> Response {
        let schema = gateway.program.documents[.schema]
        return .guarded(schema?() ?? Grammar.schema().bytes, "application/schema+json")
    }

    static func description(_ gateway: Gateway, _ request: Request) async throws -> Response {
        .guarded(Texts.core["tester-api.openapi.json"], "application/openapi+json")
    }

    static func manual(_ gateway: Gateway, _ request: Request) async throws -> Response {
        guard let page = gateway.program.documents[.manual] else {
            throw HTTPError(
                .notFound, "only the drawbridge command has the manual, and this is another program")
        }
        return .guarded(page(), "text/html; charset=utf-8")
    }
}
