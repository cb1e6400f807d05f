import Drawbridge
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#else
import Foundation
#endif

/// A `URLProtocol` that lets a gateway in the same process answer requests of an app's `URLSession`.
///
/// ```swift
/// DrawbridgeURLProtocol.gateway = gateway
/// let configuration = URLSessionConfiguration.default
/// configuration.protocolClasses = [DrawbridgeURLProtocol.self]
/// let session = URLSession(configuration: configuration)
/// ```
///
/// Requests that match the gateway's rules are answered by its handlers, whatever host the URL names; all others go to
/// the network. An `AccessPolicy` does not apply to the app itself, only to callers from outside.
open class DrawbridgeURLProtocol: URLProtocol {
    private static let main = Mutex<Gateway?>(nil)

    /// Weak, because the load's task keeps the load alive while it runs.
    private weak var load: SessionLoad?

    /// The gateway that answers; if nil, all requests go to the network.
    public static var gateway: Gateway? {
        get { main.withLock { $0 } }
        set { main.withLock { $0 = newValue } }
    }

    /// The gateway for a request; by default ``gateway``.
    ///
    /// A subclass can override this, so that several gateways are used in one process, each by its own sessions.
    open class func gateway(for request: URLRequest) -> Gateway? { gateway }

    /// Accepts the requests that match the gateway's rules for calls to native.
    override open class func canInit(with request: URLRequest) -> Bool {
        guard let gateway = gateway(for: request), let own = Request(request) else { return false }
        return gateway.isNative(own)
    }

    /// Returns the request unchanged, since the gateway's rules normalise it themselves.
    override open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Lets the gateway answer, and passes the response to the session.
    override open func startLoading() {
        let load = SessionLoad(self)
        self.load = load
        load.start(Self.gateway(for: request))
    }

    /// Cancels the handler; after that, the session gets no more callbacks.
    override open func stopLoading() { load?.stop() }
}
