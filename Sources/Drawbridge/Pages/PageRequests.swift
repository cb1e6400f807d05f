import HTTPTypes
import Logging
import Synchronization

/// The HTTP requests of pages whose handlers have not answered yet.
///
/// A browser opens six connections to one host. A page that holds five of them by requests without an answer is about
/// to keep its own next request waiting, and the next tab; nothing else would say why.
final class PageRequests: Sendable {
    static let shared = PageRequests()

    /// So many are worth a warning.
    private static let many = 5

    private let paths = Mutex<[String: [ObjectIdentifier: String]]>([:])

    func began(_ load: Load) {
        guard let id = Self.page(of: load) else { return }
        let held: [String] = paths.withLock { paths in
            paths[id, default: [:]][ObjectIdentifier(load)] = load.request.path
            return paths[id]?.values.sorted() ?? []
        }
        guard held.count == Self.many else { return }
        load.request.logger.warning(
            """
            page \(id.prefix(8)) waits for \(held.count) requests at once (\(held.joined(separator: ", "))): a browser has \
            six connections to a host, so its next requests and the next tab will wait too; answer sooner, or let the page \
            call by a door with a callback
            """)
    }

    func ended(_ load: Load) {
        guard let id = Self.page(of: load) else { return }
        paths.withLock { paths in
            paths[id]?[ObjectIdentifier(load)] = nil
            if paths[id]?.isEmpty == true { paths[id] = nil }
        }
    }

    /// The id that its page sent with it, true or not: it is only counted.
    private static func page(of load: Load) -> String? {
        guard load.request.door == nil, !load.request.headers.isEmpty,
            let id = load.request.headers.value(.pageID), Pages.isID(id)
        else { return nil }
        return id
    }
}
