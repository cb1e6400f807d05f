import Logging

// What the log says of handlers, for whoever debugs a page.
extension Gateway {
    /// Logs what a handler is asked.
    func tellAsked(_ request: Request, _ route: Route) {
        tell(
            request, "\(route.name) is asked",
            [Array(request.query.text.utf8), request.bridgeInput?.bytes ?? request.body.bytes ?? []])
    }

    /// Logs what goes in and out, at the level `debug`.
    func tell(
        _ request: Request, _ what: @autoclosure () -> String, _ texts: @autoclosure () -> [[UInt8]]
    ) {
        guard isTelling else { return }
        let shown = texts().filter { !$0.isEmpty }.map { String(shown: $0) }
        request.logger.debug("\(([what()] + shown).joined(separator: " "))")
    }
}
