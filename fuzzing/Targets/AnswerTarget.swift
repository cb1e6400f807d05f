@testable import Drawbridge
@testable import DrawbridgeCommand
@testable import DrawbridgeJournal

/// Answers to questions, typed or written down before; and the questions, which pages word.
enum AnswerTarget: FuzzTarget {
    private static let kinds: [Question.Kind] = [
        .notice, .choice(["ok", "cancel"]), .choice(["done", "cancel", "fail", "Föhn"]), .form(["user"]),
        .form(["street", Question.Field("town", label: "Town")]),
    ]

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for kind in kinds {
            let question = Question("asked", title: text, message: text, kind: kind)
            check(!question.oneLine.contains(where: \.isNewline), question.oneLine)
            do throws(AnswerError) {
                check(try question.answer(typed: text), to: question)
                if let value = try? JSON(parsing: bytes) {
                    check(try question.answer(from: value), to: question)
                }
            } catch {
                check(!error.description.isEmpty, "\(text) is refused without a word")
            }
        }
        if let (name, answer) = try? Answers.parse(text) {
            check(!name.isEmpty && !name.contains("="), name)
            let again = try? Answers.parse("\(name)=\(JSON.string(answer.stringValue ?? ""))")
            check(again?.answer == .string(answer.stringValue ?? ""), "\(text) is \(answer)")
        }
    }

    private static func check(_ answer: JSON?, to question: Question) {
        guard let answer else { return }
        switch question.kind {
        case .notice: fatalError("a notice is answered with \(answer)")
        case .choice(let choices):
            check(choices.contains(answer.stringValue ?? ""), "\(answer) is none of \(choices)")
        case .form(let fields):
            let names = answer.objectValue.map { Set($0.map(\.key)) }
            check(names == Set(fields.map(\.name)), "\(answer) has not \(fields)")
            check(fields.allSatisfy { answer[$0.name]?.stringValue != nil }, "\(answer) is no text")
        @unknown default: fatalError("\(question.kind) is checked by nothing here")
        }
    }
}
