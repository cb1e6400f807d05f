/// Where numbers that were taken one after the other lead, in the second half of them.
///
/// The first half is what it takes until caches and the allocator have what they need.
struct Trend: CustomStringConvertible {
    /// By how much they grew from the first of that half to the last, as a part of their median; below 0 they fell.
    let growth: Double

    /// The slope is the median of those between any two, which a few numbers that stand out do not change.
    init(of numbers: [Int]) {
        let half = numbers.suffix(numbers.count / 2).map(Double.init)
        var slopes: [Double] = []
        for first in half.indices {
            for second in half.indices where second > first {
                slopes.append((half[second] - half[first]) / Double(second - first))
            }
        }
        let median = Self.median(half)
        growth = slopes.isEmpty || median == 0 ? 0 : Self.median(slopes) * Double(half.count - 1) / median
    }

    var description: String {
        let hundredths = Int((growth * 10_000).rounded())
        return
            "\(hundredths < 0 ? "-" : "+")\(abs(hundredths) / 100).\(abs(hundredths) % 100 / 10)\(abs(hundredths) % 10) %"
    }

    private static func median(_ numbers: [Double]) -> Double {
        let sorted = numbers.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
