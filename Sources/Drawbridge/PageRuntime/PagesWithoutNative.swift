import Logging
import Synchronization

/// The pages that have no native side because of what their server sends with them.
///
/// Nothing else would say why such a page has none; each is named once.
final class PagesWithoutNative: Sendable {
    enum Reason {
        /// Their server compresses what was asked for as it is.
        case encoded(String)
        /// Their policy takes their origin, by which the gateway would know them.
        case sandboxed
    }

    /// More paths than this are not kept.
    private static let most = 1000

    private let paths = Mutex<Set<String>>([])

    func tell(of request: Request, _ reason: Reason) {
        let isNew = paths.withLock { $0.count < Self.most && $0.insert(request.path).inserted }
        guard isNew else { return }
        switch reason {
        case .encoded(let coding):
            request.logger.warning(
                """
                \(request.path) has no page runtime: it came with Content-Encoding: \(coding), and was asked for without; \
                have the server behind the gateway leave its pages as they are, or exclude the path
                """)
        case .sandboxed:
            request.logger.warning(
                """
                \(request.path) can call no handler: its Content-Security-Policy has sandbox without allow-same-origin, so \
                it has no origin by which the gateway could know it; add allow-same-origin to its sandbox
                """)
        }
    }
}
