import TestSupport

/// What a process holds at a moment.
struct Sample: CustomStringConvertible {
    let descriptors: Int
    let threads: Int
    let kilobytes: Int

    /// Every caller may wait for a thread that blocks; such threads stay for some seconds.
    private static let spareThreads = Soak.callers

    /// What the allocator keeps of the busiest moment differs by so much.
    private static let spareKilobytes = 4096

    init(of process: String) {
        descriptors = openDescriptors(of: process).count
        threads = TestSupport.threads(of: process)
        kilobytes = residentBytes(of: process) >> 10
    }

    var description: String { "\(descriptors) descriptors, \(threads) threads, \(kilobytes) kB" }

    /// What has grown beyond what comes and goes; nil where nothing has.
    func growth(since first: Sample, judgesMemory: Bool) -> String? {
        if descriptors > first.descriptors || threads > first.threads + Self.spareThreads {
            return "it grew to \(self) from \(first)"
        }
        guard judgesMemory, kilobytes > first.kilobytes + Self.spareKilobytes else { return nil }
        return "it grew to \(self) from \(first)"
    }
}
