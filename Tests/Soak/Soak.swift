import Glibc
import TestSupport

/// Sends a gateway many mixed requests, checks every answer, and sees that the gateway stays as it was after the first
/// tenth: `soak REQUESTS [COMMAND...]`.
///
/// A command is put before that of the gateway: a tool that watches it, whose memory is then not judged.
@main
struct Soak {
    /// How many send at a time.
    static let callers = 16

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let requests = arguments.first.flatMap({ Int($0) }), requests > 0 else {
            print("usage: soak REQUESTS [COMMAND...]")
            exit(64)
        }
        do {
            let command = Array(arguments.dropFirst())
            print("plain http:")
            try await soak(SoakedGateway(startedBy: command), requests, judgesMemory: command.isEmpty)
            print("https:")
            let certificates = try Certificates()
            try await soak(
                SoakedGateway(startedBy: command, certificates), requests / 20, judgesMemory: command.isEmpty)
        } catch {
            print("soak: \(error)")
            exit(1)
        }
    }

    /// In ten rounds, after each of which everybody has gone.
    private static func soak(
        _ gateway: SoakedGateway, _ requests: Int, judgesMemory: Bool
    ) async throws {
        let atStart = gateway.sample
        var first: Sample?
        // The system's own timer comes with the first that is set.
        var descriptors: Int { first?.descriptors ?? atStart.descriptors + 1 }
        var total = Traffic()
        for round in 1...10 {
            total += try await traffic(on: gateway, requests / 10, seed: round)
            guard await eventually(within: 30, { gateway.sample.descriptors <= descriptors }) else {
                throw Wrong("\(gateway.sample) when all have gone, and it began with \(atStart)")
            }
            let sample = gateway.sample
            print("\(total): \(sample)")
            fflush(nil)
            if let first {
                if let growth = sample.growth(since: first, judgesMemory: judgesMemory) {
                    throw Wrong(growth)
                }
            } else {
                first = sample
            }
        }
        let (waited, told) = try await gateway.waits()
        guard waited > 0, waited == told else {
            throw Wrong("\(waited) handlers waited for ever, and \(told) heard that their caller had left")
        }
        try await gateway.stop(after: total)
        print("ended in good order; \(waited) waiting handlers and \(total.faults) faults, all as expected")
    }

    /// Some callers at a time, each on a thread of its own.
    private static func traffic(on gateway: SoakedGateway, _ requests: Int, seed: Int) async throws -> Traffic
    {
        let start = now()
        var traffic = try await withThrowingTaskGroup(of: Traffic.self) { group in
            for number in 0..<callers {
                group.addTask {
                    try await blocking {
                        var caller = Caller(gateway.way, seed: UInt64(seed * callers + number))
                        return try caller.send((requests + callers - 1) / callers)
                    }
                }
            }
            return try await group.reduce(into: Traffic()) { $0 += $1 }
        }
        traffic.seconds = now() - start
        return traffic
    }
}
