import Synchronization

/// The cached part of a ``Plan``: a request with this head is for native, is allowed, and is taken by this route.
///
/// A page's calls often have identical heads, and this part depends only on the head and on the members below.
final class CachedPlan: Sendable {
    /// The request target without the mark of the bridge.
    let target: String
    let route: Route
    /// The caller's address: callers on other machines have fewer rights.
    let remoteAddress: String?
    let version: Int

    init(_ plain: Request, _ route: Route, version: Int) {
        target = plain.target
        self.route = route
        remoteAddress = plain.remoteAddress
        self.version = version
    }
}

/// A head that recurs, with the cached decision about the last request that had it.
package final class KnownHead: Sendable {
    package let head: RequestHead
    /// False for a head that may come this once: then nothing is cached with it.
    let isRepeated: Bool
    private let kept = Mutex<CachedPlan?>(nil)

    package init(_ head: RequestHead, isRepeated: Bool = true) {
        (self.head, self.isRepeated) = (head, isRepeated)
    }

    var decision: CachedPlan? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
