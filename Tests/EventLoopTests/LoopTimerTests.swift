import EventLoop
import TestSupport
import Testing

/// Whom a loop calls at the time that was set, and whom not any more.
@Suite(.timeLimit(.minutes(5)))
struct LoopTimerTests {
    /// What the first guest does to the timer of the second, which is due in the same round.
    enum Deed: CaseIterable {
        case none, cancel, setForLater, setForNow
    }

    @Test(arguments: Deed.allCases)
    func aFiringTimerMayChangeAnotherThatIsDueInTheSameRound(_ deed: Deed) async throws {
        let loop = try Loop.standalone()
        let said = Said()
        let second = Guest { said.say("second") }
        let first = Guest {
            said.say("first")
            switch deed {
            case .none: break
            case .cancel: loop.setTimer(for: second, in: nil)
            case .setForLater: loop.setTimer(for: second, in: 3_600_000)
            case .setForNow: loop.setTimer(for: second, in: 0)
            }
            // Comes behind the round.
            loop.performSoon { said.say("over") }
        }
        await withCheckedContinuation { continuation in
            loop.perform {
                loop.setTimer(for: first, in: 0)
                loop.setTimer(for: second, in: 0)
                continuation.resume()
            }
        }
        let isCalled = deed == .none || deed == .setForNow
        try await said.words.wait { $0.contains("over") && (!isCalled || $0.contains("second")) }
        #expect(said.words.value.count { $0 == "second" } == (isCalled ? 1 : 0))
    }

    /// Else a tunnel that always has more to do would be all that its loop does.
    @Test func aTimerThatIsDueAgainAtOnceLetsOtherJobsRun() async throws {
        let loop = try Loop.standalone()
        let said = Said()
        let again = Again(on: loop)
        await withCheckedContinuation { continuation in
            loop.perform {
                loop.setTimer(for: again, in: 0)
                continuation.resume()
            }
        }
        for word in ["one", "two", "three"] {
            loop.perform { said.say(word) }
            try await said.words.wait { $0.last == word }
        }
        await withCheckedContinuation { continuation in
            loop.perform {
                loop.setTimer(for: again, in: nil)
                continuation.resume()
            }
        }
    }
}

private final class Said: Sendable {
    let words = Observed<[String]>([])

    func say(_ word: String) { words.change { $0.append(word) } }
}

private final class Guest: Loop.Guest, Sendable {
    private let act: @Sendable () -> Void

    init(_ act: @escaping @Sendable () -> Void) { self.act = act }

    func ready(_ socket: Int32, _ readiness: Readiness) {}

    func timeIsUp() { act() }
}

/// Sets its timer anew each time.
private final class Again: Loop.Guest, Sendable {
    private let loop: Loop

    init(on loop: Loop) { self.loop = loop }

    func ready(_ socket: Int32, _ readiness: Readiness) {}

    func timeIsUp() { loop.setTimer(for: self, in: 0) }
}
