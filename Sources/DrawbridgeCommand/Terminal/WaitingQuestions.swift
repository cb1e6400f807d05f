import Drawbridge
import HTTPGrammar

struct WaitingQuestion {
    let number: Int
    let question: Question
    let caller: CheckedContinuation<JSON?, any Error>

    var isChoice: Bool { if case .choice = question.kind { true } else { false } }

    var line: String { "? \(number)  \(question.oneLine)  \(question.options)" }
}

/// The questions that wait for the person at the terminal, by number.
struct WaitingQuestions {
    enum Decision {
        case answered(WaitingQuestion, JSON?)
        /// With a line that says what can be typed.
        case misunderstood(String)
        /// No question waits.
        case unasked
        case nothing
    }

    var all: [WaitingQuestion] = []
    /// The number of the last question, which no other gets.
    var last = 0
    /// Whether the terminal was closed.
    var isOver = false
    /// The commands that can be typed besides answers; nil until the gateway is made.
    var words: TerminalWords?
    /// Whether a question was withdrawn since the last line: the line being typed may still be for that one.
    private var hasLost = false

    /// The question that a line without a number answers.
    var only: WaitingQuestion? { all.count == 1 ? all[0] : nil }

    /// Removes a question whose caller waits no longer; nil where it was answered.
    mutating func withdraw(_ number: Int) -> WaitingQuestion? {
        guard let place = all.firstIndex(where: { $0.number == number }) else { return nil }
        hasLost = true
        return all.remove(at: place)
    }

    /// Finds the question that a line is for, and removes it if the line answers it.
    ///
    /// A line that begins with the number of a question, even a former one, is for that question alone. One without a
    /// number is for the only waiting question, unless another was withdrawn since the last line.
    mutating func decide(_ line: String) -> Decision {
        let only = hasLost ? nil : only?.number
        hasLost = false
        guard let oldest = all.first else { return line.isEmpty ? .nothing : .unasked }
        let first = line.prefix { $0 != " " }
        let number = first.utf8.allSatisfy(\.isDigit) ? Int(first) : nil
        let named = number.flatMap { (1...last).contains($0) ? $0 : nil }
        let text = named == nil ? line : String(Substring(line.dropFirst(first.count).utf8.trimmed))
        guard let number = named ?? only else {
            return .misunderstood(
                "which one? \(numbers) \(all.count == 1 ? "waits" : "wait"): type \(oldest.number) \(oldest.question.typedExample)"
            )
        }
        guard let place = all.firstIndex(where: { $0.number == number }) else {
            return .misunderstood("\(number) does not wait any more; what waits: \(numbers)")
        }
        do {
            let answer = try all[place].question.answer(typed: text)
            return .answered(all.remove(at: place), answer)
        } catch {
            return .misunderstood("\(number) still waits: \(error)")
        }
    }

    private var numbers: String { all.map { String($0.number) }.joined(separator: ", ") }
}
