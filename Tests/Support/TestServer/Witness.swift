import Drawbridge
import Synchronization

/// Remembers by which ways it was called, and tells a secret; without a way it tells all ways so far.
struct Witness: Handler {
    private static let ways = Mutex<Set<String>>([])

    func handle(_ request: Request) async throws -> Response {
        guard let way = request.query["way"] else {
            return try Response(output: Self.ways.withLock { $0.sorted() })
        }
        Self.ways.withLock { _ = $0.insert(way) }
        return try Response(output: "the secret of \(way)")
    }
}
