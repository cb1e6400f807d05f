import ArgumentParser
import HTTPGrammar

/// A number of bytes as a person writes it: `256MB`, `64 kB`, `1GB`, `300000`; a kilobyte has 1024 of them.
struct ByteCount: ExpressibleByArgument, Equatable {
    let bytes: Int

    init?(argument: String) {
        let text = argument.lowercased().filter { $0 != " " }
        let digits = text.prefix { $0.asciiValue?.isDigit == true }
        let shift: Int
        switch text.dropFirst(digits.count) {
        case "", "b": shift = 0
        case "k", "kb": shift = 10
        case "m", "mb": shift = 20
        case "g", "gb": shift = 30
        default: return nil
        }
        guard let number = Int(digits), number <= Int.max >> shift else { return nil }
        bytes = number << shift
    }
}
