import Drawbridge

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Gateway {
    /// What the gateway does if a `URLProtocol` class reports a redirect to its client.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Redirects: Sendable {
        /// The redirect is sent to the caller as a response.
        case sent

        /// The gateway follows the redirect and answers with the result, up to twenty redirects.
        ///
        /// A redirect to another host is still sent to the caller.
        case followed
    }

    /// Registers an existing `URLProtocol` class, such as one that was written for an app.
    ///
    /// ```swift
    /// gateway.register(LegacyProtocol.self)
    /// ```
    ///
    /// `canInit(with:)` is called for every request, with or without the flag, before handlers are looked up by path;
    /// the class that was registered last is asked first. A class that accepts a request is instantiated for the
    /// canonical request, with the gateway as its client. The `AccessPolicy` applies as to every handler.
    ///
    /// - Parameters:
    ///   - type: the class; if it is already registered, it becomes the last one.
    ///   - redirects: whether redirects are sent to the caller, or followed by the gateway.
    ///   - deadline: how long the head of the response may take; nil for no limit, for example if a person answers.
    public func register(
        _ type: URLProtocol.Type, redirects: Redirects = .sent, deadline: Duration? = .seconds(60)
    ) {
        register(
            ruled: type, HandlerOptions(deadline: deadline, body: .streamed),
            where: { request in URLRequest(request).map { type.canInit(with: $0) } ?? false }
        ) { _ in
            URLProtocolHandler(type, redirects)
        }
    }

    /// Unregisters a `URLProtocol` class; requests that already have an instance of it are not affected.
    ///
    /// - Returns: false when it was not registered.
    @discardableResult
    public func unregister(_ type: URLProtocol.Type) -> Bool { unregister(ruled: type) }
}
