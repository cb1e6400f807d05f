import TestSupport
import Testing

@testable import HTTPClient

/// Looking up names: bounded, and once for all who ask.
@Suite("Names", .timeLimit(.minutes(5)))
struct NamesTests {
    private static let answer: Names.Answer = .success([SocketAddress([127, 0, 0, 1], port: 80)])

    @Test func whoeverAsksForANameThatIsBeingLookedUpWaitsForThatLookUp() async throws {
        let asked = Observed(0)
        let gate = BlockingGate()
        let names = Names(on: BlockingCalls(threadLimit: 4, waitingLimit: 10)) { _, _ in
            asked.change { $0 += 1 }
            gate.wait()
            return Self.answer
        }
        let answered = Observed(0)
        for _ in 0..<20 { names.addresses(of: "a.example", port: 80) { _ in answered.change { $0 += 1 } } }
        _ = try await asked.wait { $0 == 1 }
        gate.open()
        _ = try await answered.wait { $0 == 20 }
        #expect(asked.value == 1)
        names.addresses(of: "a.example", port: 80) { _ in answered.change { $0 += 1 } }
        _ = try await answered.wait { $0 == 21 }
        #expect(asked.value == 2)
    }

    @Test func noMoreAreLookedUpAtATimeThanThereAreThreads() async throws {
        let running = Observed(0)
        let gate = BlockingGate()
        let names = Names(on: BlockingCalls(threadLimit: 2, waitingLimit: 3)) { _, _ in
            running.change { $0 += 1 }
            gate.wait()
            return Self.answer
        }
        let (good, bad) = (Observed(0), Observed(0))
        for number in 0..<10 {
            names.addresses(of: "\(number).example", port: 80) { answer in
                switch answer {
                case .success: good.change { $0 += 1 }
                case .failure: bad.change { $0 += 1 }
                }
            }
            // Both threads have one before others wait.
            if number < 2 { _ = try await running.wait { $0 == number + 1 } }
        }
        #expect(running.value == 2)
        _ = try await bad.wait { $0 == 5 }
        gate.open()
        _ = try await good.wait { $0 == 5 }
    }

    @Test(arguments: ["localhost", "LOCALHOST", "localhost.", "page.localhost"])
    func localhostIsThisMachineInBothFamiliesWithoutALookUp(_ name: String) {
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        #expect(Names.known(name, port: 8)?.map(\.bytes) == [loopback, [127, 0, 0, 1]])
    }

    @Test func aNameThatNobodyHasIsAnErrorThatSaysSo() async {
        let answer = Names.ask("unknown.invalid", 80)
        guard case .failure(let error) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(error.kind == .unreachable)
        #expect(error.description.contains("unknown.invalid"))
    }

    @Test func familiesTakeTurns() {
        let (a, b, c) = (
            SocketAddress([1, 1, 1, 1], port: 1), SocketAddress([2, 2, 2, 2], port: 1),
            SocketAddress([UInt8](repeating: 3, count: 16), port: 1)
        )
        #expect(Connecting.inTurns([a, b, c]) == [a, c, b])
        #expect(Connecting.inTurns([c, a, b]) == [c, a, b])
        #expect(Connecting.inTurns([]) == [])
    }
}
