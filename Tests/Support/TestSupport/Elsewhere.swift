import Foundation
import Synchronization

/// Another machine, as far as the network tells: a network namespace of the test's own, with a cable to this one.
///
/// It goes with its last reference. Its programs see this machine at ``here`` and are seen at ``there``.
package final class Elsewhere: Sendable {
    /// This machine's address, as the other one sees it.
    package let here: String
    /// The other one's address.
    package let there: String
    private let name: String

    private static let count = Atomic<Int>(0)

    /// Whether this user may make one.
    package static func canBeMade() async -> Bool { (try? await Elsewhere()) != nil }

    /// Whether an address of this machine's is that of a cable, which goes with its test.
    package static func hasCable(at address: String) -> Bool {
        address.hasPrefix("198.18.") || address.hasPrefix("198.19.")
    }

    /// Makes one.
    ///
    /// - Throws: what `ip` says where it cannot be done: only the superuser may, and not in every container.
    package init() async throws {
        let process = Int(ProcessInfo.processInfo.processIdentifier)
        let number = Self.count.add(1, ordering: .relaxed).newValue
        // Of the range for tests of networks (RFC 2544), four addresses that no other test has.
        let place = (process &* 61 &+ number) & 0x7FFF
        let network = "198.\(18 + place >> 14 & 1).\(place >> 6 & 0xFF)"
        let first = (place & 0x3F) * 4
        here = "\(network).\(first + 1)"
        there = "\(network).\(first + 2)"
        name = "dbt-\(process % 100_000)-\(number)"
        let (near, far) = ("\(name)h", "\(name)t")
        for command in [
            "netns add \(name)", "link add \(near) type veth peer name \(far) netns \(name)",
            "addr add \(here)/30 dev \(near)", "link set \(near) up",
            "-n \(name) addr add \(there)/30 dev \(far)", "-n \(name) link set \(far) up",
            "-n \(name) link set lo up",
        ] {
            let ip = try Program("ip", command.split(separator: " ").map(String.init))
            guard await ip.child.exitCode() == 0 else { throw Program.Ended(output: await ip.wholeOutput()) }
        }
    }

    /// Its end of the cable goes with it, and ours with that.
    deinit {
        let ip = Process()
        ip.executableURL = URL(filePath: "/usr/bin/env")
        ip.arguments = ["ip", "netns", "del", name]
        guard (try? ip.run()) != nil else { return }
        ip.waitUntilExit()
    }

    /// Starts a program there.
    package func program(_ executable: String, _ arguments: [String]) throws -> Program {
        try Program("ip", ["netns", "exec", name, executable] + arguments)
    }

    /// How a shell starts a program there.
    package var prefix: String { "ip netns exec \(name)" }

    /// What curl there prints: the answer with its head.
    package func curl(_ arguments: String...) async throws -> String {
        try await program("curl", ["-sS", "-i", "--max-time", "20"] + arguments).wholeOutput()
    }
}
