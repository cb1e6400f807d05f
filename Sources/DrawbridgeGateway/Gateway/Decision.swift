import Synchronization

/// What is cached of a ``Plan`` with a head: that such a request is for native, is allowed, and which route takes it.
///
/// The calls of a page have the same head again and again, and all this depends on nothing else.
final class Decision: Sendable {
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
    private let kept = Mutex<Decision?>(nil)

    package init(_ head: RequestHead) { self.head = head }

    fileprivate(set) var decision: Decision? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}

extension Gateway {
    /// The decision about a head if it still holds.
    func decision(about known: KnownHead, from remoteAddress: String?) -> Decision? {
        guard let decision = known.decision, decision.remoteAddress == remoteAddress,
            decision.version == registry.version
        else { return nil }
        return decision
    }

    /// Keeps what was decided with the head, for the next request that has it.
    ///
    /// Nothing is kept where a user's own rules may change more than the target, or some handlers are for some pages
    /// only.
    ///
    /// Callers on other machines are checked each time, since their admission may have ended.
    func keep(_ plan: Plan, with known: KnownHead) {
        guard case .native(let plain, .likely(let route)) = plan.way, plain.parameters.isEmpty,
            access.isFromThisMachine(plain), plain.site?.isLocal != false, hasUsualRules,
            !registry.hasSpecialHandlers, ruled.isEmpty
        else { return }
        known.decision = Decision(plain, route, version: plan.version)
    }
}
