import TestSupport

/// How long callers go on.
enum SoakLength {
    /// So many requests of each caller, or a few more.
    case requests(Int)
    /// Up to this second of the monotonic clock.
    case until(Double)

    func isReached(by traffic: Traffic) -> Bool {
        switch self {
        case .requests(let count): traffic.requests >= count
        case .until(let end): now() >= end
        }
    }
}
