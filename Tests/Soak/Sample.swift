import TestSupport

/// What a process holds at a moment.
struct Sample: CustomStringConvertible {
    let descriptors: Int
    let threads: Int
    let kilobytes: Int

    init(of process: String) {
        descriptors = openDescriptors(of: process).count
        threads = TestSupport.threads(of: process)
        kilobytes = residentBytes(of: process) >> 10
    }

    var description: String { "\(descriptors) descriptors, \(threads) threads, \(kilobytes) kB" }
}

extension [Sample] {
    /// Every caller may wait for a thread that blocks; such threads stay for some seconds.
    private static var spareThreads: Int { Soak.callers }

    /// What has grown in the second half of the rounds; nil where nothing has.
    func growth(judgesMemory: Bool) -> String? {
        let first = prefix(count - count / 2)
        guard let most = first.map(\.threads).max(), let last = suffix(count / 2).map(\.threads).min() else {
            return nil
        }
        if last > most + Self.spareThreads { return "its threads grew from \(most) to \(last)" }
        let trend = Trend(of: map(\.kilobytes))
        print("memory in the second half: \(trend)")
        return judgesMemory && trend.growth > 0.01 ? "its memory grew by \(trend) in the second half" : nil
    }
}
