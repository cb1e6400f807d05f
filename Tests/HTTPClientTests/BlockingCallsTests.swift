import TestSupport
import Testing

@testable import HTTPClient

@Suite(.serialized, .timeLimit(.minutes(5))) struct BlockingCallsTests {
    /// All that this process may wait for at a time, and some more.
    @Test func runningAndWaitingBlockingCallsAreLimited() async throws {
        let (threads, places) = (BlockingCalls.threadLimit, BlockingCalls.waitingLimit)
        let (running, good, bad) = (Observed(0), Observed(0), Observed(0))
        let gate = BlockingGate()
        for number in 1...threads + places + 3 {
            BlockingCalls.run { () throws(TransferError) -> Int in
                running.change { $0 += 1 }
                gate.wait()
                return number
            } _: { result in
                switch result {
                case .success: good.change { $0 += 1 }
                case .failure: bad.change { $0 += 1 }
                }
            }
            // All threads have one before others wait.
            if number <= threads { _ = try await running.wait { $0 == number } }
        }
        #expect(bad.value == 3)
        #expect(running.value == threads)
        gate.open()
        _ = try await good.wait { $0 == threads + places }
    }

    @Test func theErrorOfABlockingCallReachesItsCaller() async {
        let result = await withCheckedContinuation { caller in
            BlockingCalls.run({ () throws(TransferError) -> Int in throw TransferError(.forbidden, "no") }) {
                caller.resume(returning: $0)
            }
        }
        #expect(throws: TransferError.self) { try result.get() }
    }
}
