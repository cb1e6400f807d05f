import Dispatch
import Glibc

/// Runs blocking work on a thread of its own, so that no thread of the cooperative pool waits.
package func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "blocking").async { continuation.resume(with: Result { try work() }) }
    }
}

/// Looks again and again until a condition holds; false when it never did.
///
/// It is about what happens at last: a minute is for machines that have much else to do, and nothing is proven by it.
package func eventually(within seconds: Double = 60, _ condition: () async throws -> Bool) async rethrows
    -> Bool
{
    let end = now() + seconds
    repeat {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    } while now() < end
    return try await condition()
}

/// Seconds of the monotonic clock.
package func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
