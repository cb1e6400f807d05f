import Synchronization

// Which handlers a request can reach: the sets of its page, then those of every page.
extension Gateway {
    /// The sets for a page at this path, with this id: those for some pages, the last registered first, and those with an
    /// id before those without; then the set for every page.
    func handlerSets(ofPageAt path: String?, id: String?) -> [HandlerSet] {
        guard let path, registry.hasSpecialHandlers,
            let segments = Target.segments(of: path)
        else { return [handlers] }
        let fitting = specialHandlers.withLock { $0.filter { $0.fits(segments, id: id) } }
        return fitting.reversed().map(\.set) + [handlers]
    }

    private func sets(for request: Request) -> [HandlerSet] {
        guard registry.hasSpecialHandlers else { return [handlers] }
        let place = request.pagePlace
        return [request.page?.ownHandlers].compactMap(\.self)
            + handlerSets(ofPageAt: place?.path, id: place?.id)
    }

    func matches(_ segments: [String], for request: Request) -> [(route: Route, values: [String])] {
        sets(for: request).flatMap { $0.matches(segments) }
    }

    func best(_ path: String, for request: Request) -> Route? {
        let method = request.method
        guard registry.hasSpecialHandlers else { return handlers.best(path, taking: method) }
        for set in sets(for: request) {
            if let route = set.best(path, taking: method) { return route }
            // A pattern in a set for some pages takes precedence over an exact path in the set for every page.
            if let segments = Target.segments(of: path), !set.matches(segments).isEmpty { return nil }
        }
        return nil
    }

    func nearest(to path: String, for request: Request) -> String? {
        let replies = replyBook.nearest(to: path, in: request.session, ofPageAt: request.pagePath)
        let near = sets(for: request).compactMap { $0.nearest(to: path) } + replies
        return near.min { $0.distance < $1.distance }?.name
    }

    /// The pages whose sets have a handler or a reply at a path, but to which the requesting page does not belong.
    func titlesOfPages(with path: String, otherThan request: Request) -> [String] {
        guard let segments = Target.segments(of: path) else { return [] }
        let place = request.pagePlace
        let own = (place?.path).flatMap(Target.segments)
        let handled = specialHandlers.withLock { $0 }.filter { special in
            own.map { !special.fits($0, id: place?.id) } ?? true && !special.set.matches(segments).isEmpty
        }.map(\.title)
        let replied = replyBook.layers(in: request.session).compactMap { layer in
            layer.names.listed(for: segments) == nil ? nil : layer.pages
        }
        return Set(handled + replied).sorted()
    }

    static func title(_ path: String, id: String?, item: String) -> String {
        id.map { "\(path)?\(item)=\($0)" } ?? path
    }

    /// The names by which a page at this path, with this id, can call: paths of handlers and replies without their first
    /// slash.
    func names(forPageAt path: String?, id: String? = nil, in session: Session) -> [String] {
        let handled = handlerSets(ofPageAt: path, id: id).flatMap(\.all).map(\.pattern).filter(\.isOnePath)
        let names = replyBook.named(
            besides: Set(handled.map { String($0.text.dropFirst()) }), in: session, ofPageAt: path)
        return names.filter { !$0.isEmpty }.sorted()
    }

    /// Whether a request is for native, by its head: then a handler answers it, or an error that there is none.
    package func isNative(_ request: Request) -> Bool {
        guard let (plain, ruled) = nativeForm(of: request) else { return false }
        guard ruled == nil, unhandled == .passThrough, !plain.isNamedByAction else { return true }
        if replies(for: plain).mayAnswer { return true }
        return Target.segments(of: plain.path).map { !matches($0, for: plain).isEmpty } ?? true
    }
}
