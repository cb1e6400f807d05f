import Dispatch
import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgePageRuntime

/// How long pages may take to ask for their page runtime.
@Suite(.timeLimit(.minutes(5))) struct PagesWithoutNativeTests {
    /// It may be loaded again just when the time of its earlier load is up.
    ///
    /// Which of two that are due comes first nobody knows, so this is tried often.
    @Test func aReloadedPageGetsItsOwnDeadline() async throws {
        let log = LogBook()
        let gateway = Gateway(logger: log.logger)
        let pages = PagesWithoutNative(nil)
        pages.patience = .zero
        // Kept, so that each has another place in memory, by which the order is.
        var reloads: [AtDeadline] = []
        for round in 1...40 {
            var asking = Request(.get, "/\(round)")
            asking.answerer = gateway
            let request = asking
            let (isHeld, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            // What is added while the thread of the deadlines is held is due in one round.
            Deadlines.shared.add(
                AtDeadline {
                    isHeld.signal()
                    mayGo.wait()
                }, after: .zero)
            try await blocking { isHeld.wait() }
            pages.expect(request)
            await withCheckedContinuation { continuation in
                let afterwards = AtDeadline { continuation.resume() }
                let reload = AtDeadline {
                    pages.asked(from: request.path)
                    pages.expect(request)
                    Deadlines.shared.add(
                        AtDeadline { Deadlines.shared.add(afterwards, after: .zero) }, after: .zero)
                }
                reloads.append(reload)
                Deadlines.shared.add(reload, after: .zero)
                mayGo.signal()
            }
            #expect(log.entries.count == round)
        }
    }
}

private final class AtDeadline: Expiring {
    private let act: @Sendable () -> Void

    init(_ act: @escaping @Sendable () -> Void) { self.act = act }

    func expire() { act() }
}
