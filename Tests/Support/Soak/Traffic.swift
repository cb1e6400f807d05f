/// What callers have sent.
struct Traffic: CustomStringConvertible {
    var requests = 0
    /// Those whose handler fails, which the log calls an error.
    var faults = 0
    var seconds = 0.0

    var description: String {
        "\(requests) requests, \(Int(Double(requests) / max(seconds, 0.001))) a second"
    }

    static func += (all: inout Traffic, more: Traffic) {
        all.requests += more.requests
        all.faults += more.faults
        all.seconds += more.seconds
    }
}
