/// What a gateway asks of those who lie behind it, whoever they are.
protocol GatewayBackground: Sendable {
    /// The gateway itself answers what is below `/__drawbridge__/`.
    func respond(toOwn request: Request, of gateway: Gateway) async throws -> Response

    /// Who may answer a request, and whether the page runtime goes into its document.
    ///
    /// - Throws: a 403 where it is meant for somebody else, and nobody here is a proxy.
    func answering(
        _ request: Request, _ access: AccessPolicy
    ) throws -> (chain: ResponderChain, isOwnPage: Bool)

    /// Who is asked first, where that is one who needs no task for its answers.
    func loopResponder(for request: Request) -> (any LoopResponder)?
}
