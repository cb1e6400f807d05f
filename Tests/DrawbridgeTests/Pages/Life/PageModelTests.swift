import Glibc
import TestSupport
import Testing

@testable import Drawbridge

/// Lives of pages that chance has made up: each call ends once, all begin in their order, and none is done twice.
@Suite("Random lives of pages", .timeLimit(.minutes(5))) struct PageModelTests {
    private static let lives: ClosedRange<UInt64> = 1...1000
    /// A thousand with all tests.
    private static let played = getenv("DRAWBRIDGE_ALL") == nil ? 1...100 : lives

    @Test func everyCallEndsOnceAndInOrderWhateverHappensToItsPage() async {
        let room = PlayedLife.Room()
        for seed in Self.played {
            let life = PlayedLife(seed: seed, in: room)
            if let wrong = await life.play() {
                Issue.record("seed \(seed): \(wrong)\n\(life.story.joined(separator: "\n"))")
                return
            }
        }
        // Handlers of a page that has gone have their inputs until they end, and a page whose last word came late is
        // there for a moment.
        let isEmpty = await eventually { room.count == 0 }
        #expect(isEmpty, "bytes of pages that are gone still count")
    }

    /// What was wrong once is put back.
    @Test(arguments: LifeFault.allCases)
    func formerBugsAreFoundWithinAThousandRandomLives(_ fault: LifeFault) async {
        for seed in Self.lives {
            if let wrong = await PlayedLife(seed: seed, fault: fault).play() {
                print("\(fault) is found with seed \(seed): \(wrong)")
                return
            }
        }
        Issue.record("\(fault) is not found")
    }
}
