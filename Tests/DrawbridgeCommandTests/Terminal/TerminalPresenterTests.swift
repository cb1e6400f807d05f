import Drawbridge
import DrawbridgeServer
import TestSupport
import Testing

@testable import DrawbridgeCommand

/// The presenter without a terminal: lines in, lines out.
@Suite(.timeLimit(.minutes(5))) struct TerminalPresenterTests {
    private let shown = Observed<[String]>([])
    private let presenter: TerminalPresenter
    private let gateway: Gateway

    init() {
        let shown = shown
        presenter = TerminalPresenter { line, _ in shown.change { $0.append(line) } }
        gateway = Gateway(presenter: ScriptedPresenter(["scripted": "ok"], next: presenter))
        presenter.takeWords(of: gateway, nil, nil)
    }

    private static let alert = Question(
        "alert", title: "Delete?", message: "Shall I?", choices: ["ok", "cancel"])
    private static let login = Question("login", fields: ["user"])
    private static let form = Question("form", fields: ["street", "town"])

    /// Asks, and returns when the question is shown.
    private func ask(_ question: Question) async throws -> Task<JSON?, any Error> {
        let asked = shown.value.count
        let gateway = gateway
        let task = Task { try await gateway.present(question, for: Request("/")) }
        try await shown.wait { $0.count > asked }
        return task
    }

    private var lastLine: String { shown.value.last ?? "" }

    @Test func aQuestionIsShownInOneLineAndAnswered() async throws {
        let answer = try await ask(Self.alert)
        #expect(shown.value == ["? 1  alert  Delete?  Shall I?  [ok/cancel]"])
        presenter.take("ok")
        #expect(try await answer.value == .some("ok"))
        #expect(lastLine == "1 alert: ok")
    }

    @Test func questionsMayBeAnsweredOutOfOrder() async throws {
        let first = try await ask(Self.alert)
        let second = try await ask(Self.login)
        let third = try await ask(Self.alert)
        presenter.take("3 cancel")
        presenter.take("  2   ann lee ")
        presenter.take("ok")
        #expect(try await third.value == .some("cancel"))
        #expect(try await second.value == .some(["user": "ann lee"]))
        #expect(try await first.value == .some("ok"))
        // What was filled in may be a secret.
        #expect(shown.value.contains("2 login: answered"))
    }

    @Test(arguments: ["ok", "o", "OK", "1 ok", " 1  o "])
    func aChoiceMayBeAbbreviated(line: String) async throws {
        let answer = try await ask(Self.alert)
        presenter.take(line)
        #expect(try await answer.value == .some("ok"))
    }

    /// A person who presses Enter at the wrong moment has decided nothing.
    @Test(arguments: ["", "1", " "]) func anEmptyLineDoesNotAnswer(line: String) async throws {
        let answer = try await ask(Self.alert)
        presenter.take(line)
        #expect(lastLine == "1 still waits: type ok or cancel")
        presenter.take("ok")
        #expect(try await answer.value == .some("ok"))
    }

    @Test func anAmbiguousAbbreviationDoesNotAnswer() async throws {
        let answer = try await ask(Question("q", choices: ["copy", "cut"]))
        presenter.take("c")
        #expect(lastLine == "1 still waits: type copy or cut or cancel")
        presenter.take("x")
        #expect(lastLine == "1 still waits: type copy or cut or cancel")
        presenter.take("ca")
        #expect(try await answer.value == nil)
        #expect(lastLine == "1 q: cancelled")
    }

    private static let forms: [(String, JSON?)] = [
        ("street=Elm Street town=Bern", ["street": "Elm Street", "town": "Bern"]),
        ("1 town=Bern street=Elm", ["street": "Elm", "town": "Bern"]), ("1 cancel", nil), ("cancel", nil),
    ]

    @Test(arguments: forms)
    func fieldsAreTypedAsNameAndValue(line: String, answer: JSON?) async throws {
        let form = try await ask(Self.form)
        presenter.take("Elm")
        #expect(lastLine == "1 still waits: type street=… town=…, or cancel")
        presenter.take("street=Elm")
        #expect(lastLine.hasPrefix("1 still waits: "))
        presenter.take(line)
        #expect(try await form.value == answer)
    }

    @Test func theOnlyFieldNeedsNoName() async throws {
        for (line, user) in [("ann", "ann"), ("user=bob", "bob"), ("10086", "10086"), ("4 4", "4")] {
            let answer = try await ask(Self.login)
            presenter.take(line)
            #expect(try await answer.value?["user"] == .string(user))
        }
        let answer = try await ask(Self.login)
        presenter.take("")
        #expect(lastLine == "5 still waits: type the user, or cancel")
        presenter.take("cancel")
        #expect(try await answer.value == nil)
    }

    @Test func aLineNeverAnswersAnotherQuestionThanThePersonMeant() async throws {
        let first = try await ask(Self.alert)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(lastLine == "1 withdrawn: its caller has gone, or it was answered elsewhere")
        let second = try await ask(Self.login)
        // It may have been begun for the first.
        presenter.take("ok")
        #expect(lastLine == "which one? 2 waits: type 2 …")
        presenter.take("1 ok")
        #expect(lastLine == "1 is not waiting any more; waiting: 2")
        let third = try await ask(Self.alert)
        presenter.take("")
        #expect(lastLine == "which one? 2, 3 wait: type 2 …")
        presenter.take("?")
        #expect(
            shown.value.filter { $0.hasPrefix("? ") }.suffix(2) == [
                "? 2  login  [user, or cancel]", "? 3  alert  Delete?  Shall I?  [ok/cancel]",
            ])
        presenter.take("2 ok")
        presenter.take("3 ok")
        #expect(try await second.value == .some(["user": "ok"]))
        #expect(try await third.value == .some("ok"))
    }

    /// The page, the inspector and programs have the same numbers.
    @Test func aQuestionHasTheNumberThatOthersSeeAndMayAnswer() async throws {
        let scripted = Question("scripted", choices: ["ok"])
        #expect(try await gateway.present(scripted, for: Request("/")) == .some("ok"))
        #expect(shown.value.isEmpty)
        let answer = try await ask(Self.alert)
        #expect(shown.value == ["? 2  alert  Delete?  Shall I?  [ok/cancel]"])
        try gateway.questions.answer(2, "cancel", in: .usual, by: "tester")
        #expect(try await answer.value == .some("cancel"))
        #expect(lastLine == "2 withdrawn: its caller has gone, or it was answered elsewhere")
        presenter.take("2 ok")
        #expect(lastLine.hasPrefix("no question waits"))
    }

    @Test func aQuestionOfACallerThatHasGoneIsNotShown() async throws {
        let gateway = gateway
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await gateway.present(Self.alert, for: Request("/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(shown.value.isEmpty)
    }

    @Test func aNoticeIsShownWithoutWaitingForAnAnswer() async throws {
        #expect(try await gateway.present(Question("toast", message: "Saved"), for: Request("/")) == nil)
        #expect(shown.value == ["toast  Saved"])
    }

    @Test func aQuestionIsPrintedInOneLineOfBoundedLength() async throws {
        let message = "one\n\n" + String(repeating: " \u{A0}\u{3000}", count: 100) + "12:00:00 ? 9  pay"
        _ = try await gateway.present(Question("toast", message: message), for: Request("/"))
        #expect(lastLine == "toast  one 12:00:00 ? 9 pay")
        _ = try await gateway.present(
            Question("toast", message: String(repeating: "x", count: 5000)), for: Request("/"))
        #expect(lastLine.count == 1008)
    }

    @Test func aClosedTerminalCancelsQuestionsAndAsksNobody() async throws {
        let first = try await ask(Self.alert)
        presenter.end()
        #expect(try await first.value == nil)
        #expect(lastLine == "1 cancelled: the terminal was closed")
        #expect(try await gateway.present(Self.alert, for: Request("/")) == nil)
        #expect(shown.value.count == 2)
    }

    @Test func withoutATerminalThereIsNoPresenter() {
        #expect(TerminalPresenter.ifThereIsOne(input: -1, output: -1) == nil)
    }
}
