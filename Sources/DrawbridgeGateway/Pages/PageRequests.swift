import HTTPTypes
import Logging
import Synchronization

/// The HTTP requests of pages whose handlers have not answered yet.
///
/// A browser opens six connections to one host. A page that holds five of them by requests without an answer is about
/// to keep its own next request waiting, and the next tab; nothing else would say why.
final class PageRequests: Sendable {
    /// How many requests of a page cause a warning.
    private static let many = 5

    private struct Held {
        var path: String
        /// Set where the request is synchronous, and blocks its page.
        var wait: (page: Page, number: Int)?
    }

    private let held = Mutex<[String: [ObjectIdentifier: Held]]>([:])

    /// Notes a request of a page that its handler has not answered at once.
    func began(_ request: Request, by load: ObjectIdentifier) {
        guard let id = Self.page(of: request) else { return }
        let page = request.headers.contains(.pageWaits) ? request.page : nil
        let one = Held(
            path: request.path, wait: page.map { ($0, $0.standStill(for: request.path)) })
        let paths: [String] = held.withLock { held in
            held[id, default: [:]][load] = one
            return held[id]?.values.map(\.path).sorted() ?? []
        }
        guard paths.count == Self.many else { return }
        request.logger.warning(
            """
            page \(id.prefix(8)) waits for \(paths.count) requests at once (\(paths.joined(separator: ", "))): a browser has \
            six connections to a host, so its next requests and the next tab will wait too; answer sooner, or let the page \
            call by a bridge with a callback
            """)
    }

    /// Notes that the handler has answered, or need not any more.
    func ended(_ request: Request, by load: ObjectIdentifier) {
        guard let id = Self.page(of: request) else { return }
        let ended = held.withLock { held in
            defer { if held[id]?.isEmpty == true { held[id] = nil } }
            return held[id]?.removeValue(forKey: load)
        }
        if let (page, number) = ended?.wait { page.goOn(after: number) }
    }

    func count(of page: String) -> Int { held.withLock { $0[page]?.count ?? 0 } }

    /// The id of its page as the request names it, not verified, since it is only used to count.
    private static func page(of request: Request) -> String? {
        guard let id = request.headers.value(.pageID), Pages.isID(id) else { return nil }
        return id
    }
}
