import DrawbridgeJSON
package import DrawbridgeMessages
import DrawbridgeMocks
import HTTPTypes

/// What a gateway makes of a request, decided once on its head: refused, for native, or for what lies behind.
///
/// The engine asks it what becomes of the body, and the gateway answers by it. It holds for the bytes of one head, its
/// caller, and what was registered then; where one of these differs, the gateway decides anew.
package struct Plan: Sendable {
    /// The request, with the admission that let it in if one did.
    package let request: Request
    let way: Way
    /// What was registered then (``Registry/version``).
    let version: Int

    /// Where a request goes; rare cases are indirect, so that a plan is cheap to copy.
    enum Way {
        /// It is not let in, and middleware does not see it.
        indirect case closed(Response)
        /// Its caller may not call native, or not in this way.
        indirect case refused(HTTPError)
        indirect case preflight(Response)
        /// It was let in, and middleware comes first, which may change it; its head, where that is a known one.
        case undecided(KnownHead?)
        /// To the gateway itself: what is below `/__drawbridge__/`, and nobody else's.
        case own
        case behind
        /// To a handler, in its plain form.
        case native(Request, Candidate)
    }

    /// Which handler takes a request for native, as far as its head tells.
    enum Candidate: Sendable {
        /// This one, whose own rule has taken the request, or whose `canInit` has already.
        case sure(Route)
        /// This one, unless its `canInit` declines; then the others are asked.
        case likely(Route)
        /// Not known yet: the body may name it, or all handlers of the path are asked, except one that has declined.
        case unknown(declining: Route?)
        /// One of these replies, where one fits; else the one beneath.
        indirect case replying(ReplyLookup, beneath: Candidate)

        var route: Route? {
            switch self {
            case .sure(let route), .likely(let route): route
            case .unknown: nil
            case .replying(_, let beneath): beneath.route
            }
        }

        /// The route whose handler takes a request: a likely one is asked that, and must not be asked again.
        func taking(_ plain: Request) -> Route? {
            switch self {
            case .sure(let route): route
            case .likely(let route): route.handler.canInit(with: plain) ? route : nil
            case .unknown, .replying: nil
            }
        }

        /// The route that is not asked again where ``taking(_:)`` was nil.
        var declining: Route? {
            switch self {
            case .likely(let route): route
            case .unknown(let declining): declining
            case .sure, .replying: nil
            }
        }
    }

    init(_ request: Request, _ way: Way, version: Int) {
        self.request = request
        self.way = way
        self.version = version
    }

    var isClosed: Bool { if case .closed = way { true } else { false } }

    /// The plan after this route's handler has declined: the others are asked.
    func declined(by route: Route) -> Plan {
        guard case .native(var plain, .likely(let likely)) = way, likely === route else { return self }
        plain.parameters = [:]
        return Plan(request, .native(plain, .unknown(declining: route)), version: version)
    }

    package enum Stage {
        /// Where an engine asks about the body: as if no middleware changed it.
        case head
        /// When it has come: whether it is let in, and with middleware no more.
        ///
        /// The caller is checked only after middleware: checked twice, a wrong token would count as two guesses, and one
        /// that middleware replaces as one.
        case entry
        /// When it was let in, and has come through all middleware.
        case inside
    }
}

extension Gateway {
    /// Decides about a request anew.
    ///
    /// - Parameter known: its head, where later requests with the same are to be decided about by that.
    package func plan(
        for request: Request, at stage: Plan.Stage = .head, as known: KnownHead? = nil
    ) -> Plan {
        var request = request
        if request.id.isEmpty { request.id = Request.id(request.headers) }
        // A request that middleware has made has no gateway yet.
        if request.answerer !== self { request.answerer = self }
        // Read before anything is looked up: what is registered meanwhile makes the plan an old one.
        let version = registry.version
        if stage != .inside, let refusal = refusesEntry(of: &request) {
            return Plan(request, .closed(refusal), version: version)
        }
        if stage == .entry, !middleware.isEmpty {
            return Plan(request, .undecided(known), version: version)
        }
        guard let known else { return Plan(request, way(of: request), version: version) }
        if stage == .inside, let decision = decision(about: known, from: request.remoteAddress) {
            var plain = request
            plain.target = decision.target
            return Plan(request, .native(plain, .likely(decision.route)), version: decision.version)
        }
        let plan = Plan(request, way(of: request), version: version)
        keep(plan, with: known)
        return plan
    }

    /// Decides where a request goes that was let in; nothing else decides that.
    private func way(of request: Request) -> Plan.Way {
        // A page's call by its channel: access was checked for the channel as a whole.
        if request.channelCall != nil { return native(request) }
        guard let (plain, ruled) = nativeForm(of: request) else { return past(request) }
        if let preflight = preflight(request) { return .preflight(preflight) }
        if !plain.isFromApp, let error = access.refusesCaller(of: plain) { return .refused(error) }
        // Nothing else stops a foreign page's speculation rule: Chromium sends it with `Sec-Fetch-Site: none`.
        if !request.isAnonymous, request.headers.value(.secPurpose)?.contains("prefetch") == true {
            let message = "a handler is not started by a prefetch; ask again when it is needed"
            return .refused(HTTPError(.serviceUnavailable, message))
        }
        return ruled.map { .native(plain, .sure($0)) } ?? self.native(plain)
    }

    private func past(_ request: Request) -> Plan.Way {
        if let preflight = preflight(request) { return .preflight(preflight) }
        if OwnPath.isOwn(request) { return .own }
        guard OwnPath.isMiswritten(request) else { return .behind }
        return .refused(
            HTTPError(.notFound, "nothing at \(request.path.cut(to: 100)); write \(OwnPath.prefix)/…"))
    }

    /// The answer to a preflight; nil for the tester's API, which no page may ask.
    private func preflight(_ request: Request) -> Response? {
        OwnPath(of: request)?.isForTesters == true ? nil : access.preflight(request)
    }

    /// The plain form of a request for native, and the handler whose own rule took it, if one did; nil for what is not
    /// for native, and for what this gateway has sent on itself.
    ///
    /// Every rule in turn works on what the one before it left, so that no trace of a bridge remains.
    func nativeForm(of request: Request) -> (plain: Request, ruled: Route?)? {
        guard request.isAnonymous || !via.isNamed(in: request.headers) else { return nil }
        if let route = ruled.first(for: request) { return (request, route) }
        var plain = request
        var isNative = false
        for rule in rules {
            guard let canonical = rule.canonicalRequest(for: plain) else { continue }
            plain = canonical
            isNative = true
        }
        return isNative ? (plain, nil) : nil
    }

    /// To the replies for the path, and then to the first route that has it and takes the method.
    private func native(_ plain: Request) -> Plan.Way {
        guard !plain.isNamedByAction else { return .native(plain, .unknown(declining: nil)) }
        let way = handled(plain)
        let replies = replies(to: plain)
        guard !replies.isEmpty, case .native(let plain, let candidate) = way else { return way }
        return .native(plain, .replying(replies, beneath: candidate))
    }

    private func handled(_ plain: Request) -> Plan.Way {
        let method = plain.method.rawValue
        if let route = best(plain.path, for: plain), route.takes(method) {
            return .native(plain, .likely(route))
        }
        let fitting = Target.segments(of: plain.path).map { matches($0, for: plain) } ?? []
        guard let (route, values) = fitting.first(where: { $0.route.takes(method) }) else {
            return .native(plain, .unknown(declining: nil))
        }
        return .native(route.named(values, in: plain), .likely(route))
    }
}
