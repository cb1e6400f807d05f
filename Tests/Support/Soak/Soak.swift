import Glibc
import TestSupport

/// Sends a gateway many mixed requests, checks every answer, and sees that the gateway stays as it was:
/// `soak REQUESTS|MINUTESm [COMMAND...]`.
///
/// A command is put before that of the gateway: a tool that watches it, whose memory is then not judged.
@main
struct Soak {
    /// How many send at a time.
    static let callers = 16

    /// After each of them everybody has gone.
    private static let rounds = 12

    /// After so many of quiet the gateway has given back what it kept of busy moments; only then is its memory judged.
    private static let quietSeconds = 6

    /// What is asked for.
    private enum Amount {
        case requests(Int)
        case minutes(Int)

        init?(_ text: String) {
            if text.hasSuffix("m"), let minutes = Int(text.dropLast()), minutes > 0 {
                self = .minutes(minutes)
            } else if let requests = Int(text), requests > 0 {
                self = .requests(requests)
            } else {
                return nil
            }
        }

        /// A part of it, for what is not judged by its memory.
        var small: Amount {
            switch self {
            case .requests(let count): .requests(max(1, count / 20))
            case .minutes: .requests(100_000)
            }
        }

        /// What a caller does in one of the rounds, from now on.
        var length: SoakLength {
            switch self {
            case .requests(let count): .requests((count / rounds + callers - 1) / callers)
            case .minutes(let minutes):
                .until(now() + Double(minutes * 60 - quietSeconds * rounds / 2) / Double(rounds))
            }
        }
    }

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let amount = arguments.first.flatMap(Amount.init) else {
            print("usage: soak REQUESTS|MINUTESm [COMMAND...]")
            exit(64)
        }
        do {
            let command = Array(arguments.dropFirst())
            let certificates = try Certificates()
            print("plain http:")
            try await soak(
                SoakedGateway(startedBy: command, certificates), amount, judgesMemory: command.isEmpty)
            // What is short is not judged: it is not over its beginnings.
            print("https:")
            try await soak(
                SoakedGateway(startedBy: command, certificates, isSecure: true), amount.small,
                judgesMemory: false)
        } catch {
            print("soak: \(error)")
            exit(1)
        }
    }

    /// Says what was in the log at last where something is wrong.
    private static func soak(_ gateway: SoakedGateway, _ amount: Amount, judgesMemory: Bool) async throws {
        do {
            try await soakInRounds(gateway, amount, judgesMemory: judgesMemory)
        } catch {
            print("the end of its log:\n\(gateway.endOfLog)")
            throw error
        }
    }

    private static func soakInRounds(
        _ gateway: SoakedGateway, _ amount: Amount, judgesMemory: Bool
    ) async throws {
        // What the gateway remembers of pages that have gone has a bound, which it has reached before it is judged.
        if judgesMemory {
            try await blocking {
                var caller = Caller(gateway.way, seed: 0)
                try caller.comeAndGo(25_000)
            }
        }
        let atStart = gateway.sample
        var samples: [Sample] = []
        var total = Traffic()
        for round in 1...rounds {
            total += try await traffic(on: gateway, amount.length, seed: round)
            // One more is the system's timer.
            let most = atStart.descriptors + 1
            guard await eventually({ gateway.sample.descriptors <= most && gateway.sample.kept <= mostKept })
            else {
                throw Wrong(
                    "\(gateway.sample) when all have gone; \(most) descriptors and \(mostKept) connections are expected: "
                        + gateway.descriptors.sorted().joined(separator: ", "))
            }
            // The first half is what it takes until caches have what they need.
            var sample = gateway.sample
            if judgesMemory, round > rounds / 2 {
                try await Task.sleep(for: .seconds(quietSeconds))
                sample = gateway.sample
                sample.held = try gateway.held()
            }
            samples.append(sample)
            print("\(total): \(sample)")
            fflush(nil)
        }
        if let growth = samples.threadGrowth { throw Wrong(growth) }
        if judgesMemory {
            let trend = Trend(of: samples.compactMap(\.held))
            print("what it holds, in the second half: \(trend)")
            guard trend.growth <= 0.01 else { throw Wrong("what it holds grew by \(trend)") }
        }
        let (waited, told) = try await gateway.waits()
        guard waited > 0, waited == told else {
            throw Wrong("\(waited) handlers waited for ever, and \(told) heard that their caller had left")
        }
        try await gateway.stop(after: total)
        print("ended in good order; \(waited) waiting handlers and \(total.faults) faults, all as expected")
    }

    /// Connections to the three servers behind it that are kept, one of each caller's to each.
    private static let mostKept = callers * 3

    /// Some callers at a time, each on a thread of its own.
    private static func traffic(
        on gateway: SoakedGateway, _ length: SoakLength, seed: Int
    ) async throws -> Traffic {
        let start = now()
        var traffic = try await withThrowingTaskGroup(of: Traffic.self) { group in
            for number in 0..<callers {
                group.addTask {
                    try await blocking {
                        var caller = Caller(gateway.way, seed: UInt64(seed * callers + number))
                        return try caller.send(upTo: length)
                    }
                }
            }
            return try await group.reduce(into: Traffic()) { $0 += $1 }
        }
        traffic.seconds = now() - start
        return traffic
    }
}
