import Synchronization
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgePageRuntime

/// How long pages may take to ask for their page runtime.
@Suite(.timeLimit(.minutes(5))) struct PagesWithoutNativeTests {
    /// It may be loaded again just when the time of its earlier load is up.
    @Test func aReloadedPageGetsItsOwnDeadline() async throws {
        let log = LogBook()
        let gateway = Gateway(logger: log.logger)
        let pages = PagesWithoutNative(nil)
        for round in 1...40 {
            var request = Request(.get, "/\(round)")
            request.answerer = gateway
            pages.patience.withLock { $0 = .zero }
            _ = pages.expect(request, .empty)
            // Which of the two comes first nobody knows, so this is tried often.
            pages.asked(from: request.path)
            _ = pages.expect(request, .empty)
            await until { log.entries.count >= round }
            #expect(log.entries.count == round)
        }
        // Once for each path.
        pages.patience.withLock { $0 = .zero }
        var request = Request(.get, "/1")
        request.answerer = gateway
        _ = pages.expect(request, .empty)
        #expect(log.entries.count == 40)
    }

    @Test func aPageThatIsLoadedOnceMoreIsExpectedAnew() async throws {
        let log = LogBook()
        let gateway = Gateway(logger: log.logger)
        let pages = PagesWithoutNative(nil)
        pages.patience.withLock { $0 = .seconds(60) }
        var request = Request(.get, "/p")
        request.answerer = gateway
        // The first was never sent.
        _ = pages.expect(request, .stream(length: nil) { _ in })
        pages.patience.withLock { $0 = .zero }
        _ = pages.expect(request, .empty)
        await until { log.entries.count == 1 }
    }
}
