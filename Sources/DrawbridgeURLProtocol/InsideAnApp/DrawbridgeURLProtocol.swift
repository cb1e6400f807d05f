public import Drawbridge
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Answers the requests of an app's `URLSession` with a gateway, in process.
///
/// ```swift
/// DrawbridgeURLProtocol.gateway = gateway
/// let configuration = URLSessionConfiguration.default
/// configuration.protocolClasses = [DrawbridgeURLProtocol.self]
/// let session = URLSession(configuration: configuration)
/// ```
///
/// What the gateway's rules take is answered by its handlers, whatever host the URL names; everything else goes on to
/// the network. The app itself is always let in: an `AccessPolicy` is about callers from outside.
open class DrawbridgeURLProtocol: URLProtocol {
    private static let main = Mutex<Gateway?>(nil)

    /// Weak: the load's own task holds it while it runs.
    private weak var load: SessionLoad?

    /// The gateway that answers; nil lets every request pass.
    public static var gateway: Gateway? {
        get { main.withLock { $0 } }
        set { main.withLock { $0 = newValue } }
    }

    /// The gateway for a request; ``gateway`` unless a subclass has another.
    ///
    /// Subclasses that override this let several gateways answer in one process, each in sessions of its own.
    open class func gateway(for request: URLRequest) -> Gateway? { gateway }

    /// Takes the requests that the gateway's rules mean for native.
    override open class func canInit(with request: URLRequest) -> Bool {
        guard let gateway = gateway(for: request), let own = Request(request) else { return false }
        return gateway.isNative(own)
    }

    /// The unchanged request, since the gateway's rules find its plain form.
    override open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    /// Asks the gateway, and hands its answer to the session.
    override open func startLoading() {
        let load = SessionLoad(self)
        self.load = load
        load.start(Self.gateway(for: request))
    }

    /// Cancels the handler; the session is told nothing any more.
    override open func stopLoading() { load?.stop() }
}
