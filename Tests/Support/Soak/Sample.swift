import TestSupport

/// What the gateway holds at a moment.
struct Sample: CustomStringConvertible {
    /// Open descriptors, without connections to the servers behind it.
    let descriptors: Int
    /// Connections to these servers, which are kept to be used again.
    let kept: Int
    let threads: Int
    /// Kilobytes in memory.
    let resident: Int
    /// Those of them that it needs, where somebody has asked it.
    var held: Int?

    init(of process: String, upstreams: Set<Int>) {
        kept = sockets(of: process).count { upstreams.contains($0.remotePort) }
        descriptors = openDescriptors(of: process).count - kept
        threads = TestSupport.threads(of: process)
        resident = residentBytes(of: process) >> 10
    }

    var description: String {
        let held = held.map { ", \($0) kB held" } ?? ""
        return "\(descriptors) descriptors, \(kept) connections, \(threads) threads, \(resident) kB\(held)"
    }
}

extension [Sample] {
    /// Every caller may wait for a thread that blocks; such threads stay for some seconds.
    private static var spareThreads: Int { Soak.callers }

    /// How the number of threads has grown in the second half of the rounds; nil where it has not.
    var threadGrowth: String? {
        let first = prefix(count - count / 2)
        guard let most = first.map(\.threads).max(), let last = suffix(count / 2).map(\.threads).min(),
            last > most + Self.spareThreads
        else { return nil }
        return "its threads grew from \(most) to \(last)"
    }
}
