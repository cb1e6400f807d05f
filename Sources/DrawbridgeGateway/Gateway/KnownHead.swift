package import DrawbridgeMessages
import Synchronization

/// What is cached of a ``Plan`` with a head: that such a request is for native, is allowed, and which route takes it.
///
/// The calls of a page have the same head again and again, and all this depends on nothing else.
final class CachedPlan: Sendable {
    /// The target of the request's plain form.
    let target: String
    let route: Route
    /// The caller's address: callers on other machines have fewer rights.
    let remoteAddress: String?
    /// What was registered then (``Registry/version``).
    let version: Int

    init(_ plain: Request, _ route: Route, version: Int) {
        target = plain.target
        self.route = route
        remoteAddress = plain.remoteAddress
        self.version = version
    }
}

/// A head that comes again and again, with what was decided about the last request that had it.
package final class KnownHead: Sendable {
    package let head: RequestHead
    private let kept = Mutex<CachedPlan?>(nil)

    package init(_ head: RequestHead) { self.head = head }

    var decision: CachedPlan? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
