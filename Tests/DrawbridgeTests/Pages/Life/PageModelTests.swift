import Testing

@testable import Drawbridge

/// Lives of pages that chance has made up: each call ends once, all begin in their order, and none is done twice.
@Suite("Lives of pages by chance", .timeLimit(.minutes(5))) struct PageModelTests {
    private static let lives: ClosedRange<UInt64> = 1...1000

    @Test func everyCallEndsOnceAndInOrderWhateverHappensToItsPage() async {
        for seed in Self.lives {
            let life = PlayedLife(seed: seed)
            if let wrong = await life.play() {
                Issue.record("seed \(seed): \(wrong)\n\(life.story.joined(separator: "\n"))")
                return
            }
        }
    }

    /// What was wrong once is put back.
    @Test(arguments: LifeFault.allCases)
    func whatWasWrongOnceIsFoundWithinAThousandLives(_ fault: LifeFault) async {
        for seed in Self.lives {
            if let wrong = await PlayedLife(seed: seed, fault: fault).play() {
                print("\(fault) is found with seed \(seed): \(wrong)")
                return
            }
        }
        Issue.record("\(fault) is not found")
    }
}
