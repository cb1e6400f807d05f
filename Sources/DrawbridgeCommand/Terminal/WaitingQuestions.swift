import Drawbridge

/// A question, and the caller that waits for its answer.
struct WaitingQuestion {
    let number: Int
    let question: Question
    let caller: CheckedContinuation<JSON?, any Error>

    var isChoice: Bool { if case .choice = question.kind { true } else { false } }

    /// The line by which it is shown.
    var line: String { "? \(number)  \(question.oneLine)  \(question.options)" }
}

/// The questions that wait for the person at the terminal, by number.
struct WaitingQuestions {
    /// What a typed line means for the questions.
    enum Decision {
        case answered(WaitingQuestion, JSON?)
        /// With a line that says what can be typed.
        case misunderstood(String)
        /// No question waits.
        case unasked
        case nothing
    }

    /// In the order in which they came.
    private(set) var all: [WaitingQuestion] = []
    private var lastNumber = 0
    /// Whether a question was withdrawn since the last line: the line being typed may still be for that one.
    private var hasLost = false

    /// The question that a line without a number answers.
    var only: WaitingQuestion? { all.count == 1 ? all[0] : nil }

    /// A number that no question has had.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func add(_ question: WaitingQuestion) { all.append(question) }

    mutating func remove(_ number: Int) -> WaitingQuestion? {
        all.firstIndex { $0.number == number }.map { all.remove(at: $0) }
    }

    /// Removes a question whose caller waits no longer.
    mutating func withdraw(_ number: Int) -> WaitingQuestion? {
        let withdrawn = remove(number)
        if withdrawn != nil { hasLost = true }
        return withdrawn
    }

    mutating func removeAll() -> [WaitingQuestion] {
        defer { all = [] }
        return all
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
        let isNumber = first.allSatisfy { ("0"..."9").contains($0) }
        let named = isNumber ? Int(first).flatMap { (1...lastNumber).contains($0) ? $0 : nil } : nil
        let text = named == nil ? line : String(line.dropFirst(first.count)).trimmed
        guard let number = named ?? only else {
            return .misunderstood(
                "which one? \(numbers) \(all.count == 1 ? "waits" : "wait"): type \(oldest.number) \(oldest.question.typedExample)"
            )
        }
        guard let question = all.first(where: { $0.number == number })?.question else {
            return .misunderstood("\(number) does not wait any more; what waits: \(numbers)")
        }
        do {
            let answer = try question.answer(typed: text)
            return remove(number).map { .answered($0, answer) } ?? .nothing
        } catch {
            return .misunderstood("\(number) still waits: \(error)")
        }
    }

    private var numbers: String { all.map { String($0.number) }.joined(separator: ", ") }
}
