public import Drawbridge

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension Gateway {
    /// What becomes of a redirect that a `URLProtocol` class tells its client.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Redirects: Sendable {
        /// The caller gets it, and follows it or does not.
        case sent

        /// The gateway answers the new request in place of the old one, up to twenty times.
        ///
        /// A redirect to another host is sent to the caller all the same.
        case followed
    }

    /// Registers a `URLProtocol` class, as it was written for an app.
    ///
    /// ```swift
    /// gateway.register(LegacyProtocol.self)
    /// ```
    ///
    /// `canInit(with:)` is asked about every request, flag or no flag, before the paths; of several classes, the one
    /// that was registered last. The class that takes a request gets a fresh instance for the canonical request, with
    /// the gateway as its client. Who may call is the `AccessPolicy`'s to say, as for every handler.
    ///
    /// - Parameters:
    ///   - type: the class; registering it again makes it the last.
    ///   - redirects: whether the caller follows redirects, or the gateway.
    ///   - deadline: how long the response may take, not its data; nil where a person answers.
    public func register(
        _ type: URLProtocol.Type, redirects: Redirects = .sent, deadline: Duration? = .seconds(60)
    ) {
        register(
            ruled: type, deadline: deadline,
            where: { request in URLRequest(request).map { type.canInit(with: $0) } ?? false }
        ) { _ in
            URLProtocolHandler(type, redirects)
        }
    }

    /// Removes a `URLProtocol` class; a request that has its instance already keeps it.
    ///
    /// - Returns: false when it was not registered.
    @discardableResult
    public func unregister(_ type: URLProtocol.Type) -> Bool { unregister(ruled: type) }
}
