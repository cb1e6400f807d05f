import Drawbridge

/// A question, and the caller that waits for its answer.
struct WaitingQuestion {
    let number: Int
    let question: Question
    let caller: CheckedContinuation<JSON?, any Error>

    /// What is shown of it.
    var line: String { "? \(number)  \(question.oneLine)  \(question.options)" }
}

/// The questions that wait for the person at the terminal, by number.
struct WaitingQuestions {
    /// What a typed line comes to.
    enum Decision {
        case answered(WaitingQuestion, JSON?)
        /// With a line that says what can be typed.
        case misunderstood(String)
        case nothing
    }

    /// In the order in which they came.
    private(set) var all: [WaitingQuestion] = []
    private var lastNumber = 0

    /// The one that a line without a number can be for.
    var only: WaitingQuestion? { all.count == 1 ? all[0] : nil }

    /// What can be typed now; nil while nothing waits.
    var prompt: String? {
        guard let only else {
            return all.isEmpty ? nil : "\(all.count) questions: type number and answer, or ? for a list> "
        }
        return "answer \(only.number) \(only.question.options)> "
    }

    /// A number that no question has had.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func add(_ question: WaitingQuestion) { all.append(question) }

    mutating func remove(_ number: Int) -> WaitingQuestion? {
        all.firstIndex { $0.number == number }.map { all.remove(at: $0) }
    }

    mutating func removeAll() -> [WaitingQuestion] {
        defer { all = [] }
        return all
    }

    /// Finds the question that a line is for, and takes it out if the line answers it.
    ///
    /// A line that begins with a number that a question has had belongs to that one, and never to another.
    mutating func decide(_ line: String, for only: Int?) -> Decision {
        guard let oldest = all.first else {
            return line.isEmpty ? .nothing : .misunderstood("no question waits")
        }
        let first = line.prefix { $0 != " " }
        let isNumber = first.allSatisfy { ("0"..."9").contains($0) }
        let named = isNumber ? Int(first).flatMap { (1...lastNumber).contains($0) ? $0 : nil } : nil
        let text = named == nil ? line : String(line.dropFirst(first.count)).trimmed
        guard let number = named ?? only else {
            return .misunderstood(
                "which one? \(numbers) wait: type \(oldest.number) \(oldest.question.typedExample)")
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
