import Logging
import Synchronization

/// The pages that stay without the page runtime because their server compresses what was asked for as it is.
///
/// Nothing else would say why such a page has no native side; each is named once.
final class EncodedDocuments: Sendable {
    /// More paths than this are not kept.
    private static let most = 1000

    private let paths = Mutex<Set<String>>([])

    func tell(of request: Request, _ coding: String) {
        let isNew = paths.withLock { $0.count < Self.most && $0.insert(request.path).inserted }
        guard isNew else { return }
        request.logger.warning(
            """
            \(request.path) has no page runtime: it came with Content-Encoding: \(coding), and was asked for without; \
            have the server behind the gateway leave its pages as they are, or exclude the path
            """)
    }
}
