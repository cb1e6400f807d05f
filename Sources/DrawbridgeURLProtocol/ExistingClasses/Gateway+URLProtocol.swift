import Drawbridge

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Gateway {
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
    ///   - deadline: how long the head of the response may take; nil for no limit, for example if a person answers.
    public func register(_ type: URLProtocol.Type, deadline: Duration? = .seconds(60)) {
        register(
            ruled: type, HandlerOptions(deadline: deadline, body: .streamed),
            where: { request in URLRequest(request).map { type.canInit(with: $0) } ?? false }
        ) { _ in
            URLProtocolHandler(type)
        }
    }

    /// Unregisters a `URLProtocol` class; requests that already have an instance of it are not affected.
    ///
    /// - Returns: false when it was not registered.
    @discardableResult
    public func unregister(_ type: URLProtocol.Type) -> Bool { unregister(ruled: type) }
}
