import Drawbridge
import HTTPGrammar

struct WaitingQuestion {
    let number: Int
    let question: Question
    let caller: CheckedContinuation<JSON?, any Error>

    var isChoice: Bool { if case .choice = question.kind { true } else { false } }

    var line: String { "? \(number)  \(question.oneLine)  \(question.options)" }
}

struct WaitingQuestions {
    enum Decision {
        case answered(WaitingQuestion, JSON?)
        /// The line is no valid answer; the text says what can be typed.
        case misunderstood(String)
        case unasked
        case nothing
    }

    var all: [WaitingQuestion] = []
    /// The number of the latest question; numbers are not reused.
    var last = 0
    var isOver = false
    /// The commands that can be typed; nil until the gateway is made.
    var words: TerminalWords?
    /// True if a question was withdrawn since the last line: the next line may have been typed for that one.
    private var hasLost = false

    /// The question that a line without a number is for; nil unless exactly one is waiting.
    var only: WaitingQuestion? { all.count == 1 ? all[0] : nil }

    /// Removes a question whose request was cancelled; nil if it was answered before.
    mutating func withdraw(_ number: Int) -> WaitingQuestion? {
        guard let place = all.firstIndex(where: { $0.number == number }) else { return nil }
        hasLost = true
        return all.remove(at: place)
    }

    /// Finds the question that a line is for, and removes it if the line is a valid answer.
    ///
    /// A number at the beginning selects the question, also one that is no longer waiting. Without a number it is the
    /// only waiting one, unless another was withdrawn since the last line.
    mutating func decide(_ line: String) -> Decision {
        let only = hasLost ? nil : only?.number
        hasLost = false
        guard let oldest = all.first else { return line.isEmpty ? .nothing : .unasked }
        let first = line.prefix { $0 != " " }
        let number = Int(plain: first)
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
