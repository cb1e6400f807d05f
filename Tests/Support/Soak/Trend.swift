/// Where numbers that were taken one after the other lead.
struct Trend: CustomStringConvertible {
    /// By how much they grew from the first to the last, as a part of their median; below 0 they fell.
    let growth: Double

    /// The slope is the median of those between any two, which a few numbers that stand out do not change.
    init(of numbers: [Int]) {
        let numbers = numbers.map(Double.init)
        var slopes: [Double] = []
        for first in numbers.indices {
            for second in numbers.indices where second > first {
                slopes.append((numbers[second] - numbers[first]) / Double(second - first))
            }
        }
        let median = Self.median(numbers)
        growth = slopes.isEmpty || median == 0 ? 0 : Self.median(slopes) * Double(numbers.count - 1) / median
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
