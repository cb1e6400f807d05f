/// The questions that are asked at the terminal, by the numbers that they have everywhere.
struct WaitingQuestions {
    enum Decision {
        case answered(Questions.Waiting, JSON?)
        /// The line is no valid answer; the text says what can be typed.
        case misunderstood(String)
        case unasked
        case nothing
    }

    private var asked: Set<Int> = []
    /// The highest number that was asked.
    private var last = 0
    private(set) var isOver = false
    /// The commands that can be typed; nil until the gateway is made.
    var words: TerminalWords?
    /// True if a question was withdrawn since the last line: the next line may have been typed for that one.
    private var hasLost = false

    var waiting: [Questions.Waiting] {
        words?.gateway.questions.waiting.filter { asked.contains($0.number) } ?? []
    }

    /// The question that a line without a number is for; nil unless exactly one is asked.
    var only: Questions.Waiting? { asked.count == 1 ? waiting.first : nil }

    /// - Returns: false when the terminal is closed.
    mutating func ask(_ number: Int) -> Bool {
        if isOver { return false }
        asked.insert(number)
        last = max(last, number)
        return true
    }

    /// - Returns: false for a question that was answered here.
    mutating func withdraw(_ number: Int) -> Bool {
        guard asked.remove(number) != nil else { return false }
        hasLost = true
        return true
    }

    /// Finds the question that a line is for, and answers it if the line is a valid answer.
    ///
    /// A number at the beginning selects the question, also one that is no longer waiting. Without a number it is the
    /// only waiting one, unless another was withdrawn since the last line.
    mutating func decide(_ line: String) -> Decision {
        let only = hasLost ? nil : only?.number
        hasLost = false
        let waiting = waiting
        guard let oldest = waiting.first else { return line.isEmpty ? .nothing : .unasked }
        let first = line.prefix { $0 != " " }
        let number = Int(plain: first)
        let named = number.flatMap { (1...last).contains($0) ? $0 : nil }
        let text = named == nil ? line : String(Substring(line.dropFirst(first.count).utf8.trimmed))
        let numbers = waiting.map { String($0.number) }.joined(separator: ", ")
        guard let number = named ?? only else {
            return .misunderstood(
                "which one? \(numbers) \(waiting.count == 1 ? "waits" : "wait"): type \(oldest.number) \(oldest.question.typedExample)"
            )
        }
        guard let found = waiting.first(where: { $0.number == number }) else {
            return .misunderstood("\(number) is not waiting any more; waiting: \(numbers)")
        }
        do {
            let typed = try found.question.answer(typed: text)
            try answer(found, typed)
            return .answered(found, typed)
        } catch let error as AnswerError {
            return .misunderstood("\(number) still waits: \(error)")
        } catch {
            return .misunderstood("\(number) is not waiting any more")
        }
    }

    /// Cancels all that wait; returns their numbers.
    mutating func end() -> [Int] {
        isOver = true
        return waiting.filter { (try? answer($0, nil)) != nil }.map(\.number)
    }

    private mutating func answer(_ waiting: Questions.Waiting, _ answer: JSON?) throws {
        try words?.gateway.questions.answer(
            waiting.number, answer ?? .null, in: waiting.session, by: "person")
        asked.remove(waiting.number)
    }
}

extension Questions.Waiting {
    var isChoice: Bool { if case .choice = question.kind { true } else { false } }
}
