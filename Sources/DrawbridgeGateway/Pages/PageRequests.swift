import Synchronization

/// The HTTP requests of pages that a handler or a reply has not answered yet.
///
/// A browser opens six connections to a host. A page with five unanswered requests will soon block its own next request
/// and other tabs, for no visible reason, so a warning is logged.
final class PageRequests: Sendable {
    private static let many = 5

    private struct Held {
        var path: String
        /// Set where the request is synchronous, and blocks its page.
        var wait: (page: Page, number: Int)?
    }

    private let held = Mutex((last: 0, requests: [String: [Int: Held]]()))

    /// Records a request of a page that is not answered at once; returns its number, for ``ended(_:_:)``.
    func began(_ request: Request) -> Int? {
        guard let id = request.claimedPage else { return nil }
        let page = request.headers.contains(.pageWaits) ? request.page : nil
        let one = Held(
            path: request.path, wait: page.map { ($0, $0.standStill(for: request.path)) })
        let (number, paths) = held.withLock { held in
            held.last += 1
            held.requests[id, default: [:]][held.last] = one
            return (held.last, held.requests[id]?.values.map(\.path).sorted() ?? [])
        }
        guard paths.count == Self.many else { return number }
        request.logger.warning(
            """
            page \(id.prefix(8)) waits for \(paths.count) requests at once (\(paths.joined(separator: ", "))): a browser has \
            six connections to a host, so its next requests and the next tab will wait too; answer sooner, or let the page \
            call by a bridge with a callback
            """)
        return number
    }

    func ended(_ request: Request, _ number: Int?) {
        guard let number, let id = request.claimedPage else { return }
        let ended = held.withLock { held in
            defer { if held.requests[id]?.isEmpty == true { held.requests[id] = nil } }
            return held.requests[id]?.removeValue(forKey: number)
        }
        if let (page, number) = ended?.wait { page.goOn(after: number) }
    }

    func count(of page: String) -> Int { held.withLock { $0.requests[page]?.count ?? 0 } }
}
