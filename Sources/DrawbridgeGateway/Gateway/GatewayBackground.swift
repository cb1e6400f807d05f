/// What a gateway needs of all that is behind it.
package protocol GatewayBackground: Sendable {
    /// Answers what is below `/__drawbridge__/`.
    func respond(toOwn request: Request, of gateway: Gateway) async throws -> Response

    /// The responders for a request, and whether the page runtime goes into its document.
    ///
    /// - Throws: a 403 where it is for another host, and no responder is a proxy.
    func answering(
        _ request: Request, _ access: AccessPolicy
    ) throws -> (chain: ResponderChain, isOwnPage: Bool)
}
