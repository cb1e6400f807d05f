import DrawbridgeTesting
import Testing

private struct PayHandler: JSONHandler {
    func handle(_ input: JSON) async throws -> JSON { ["code": 0] }
}

@Suite(.timeLimit(.minutes(5))) struct JournalManual {
    @Test func theJournalRecordsTheInputAndHandlerOfACall() async throws {
        let gateway = Gateway(keepsJournal: true)
        try gateway.register(PayHandler.self, at: "/pay")
        _ = await gateway.respond(to: Request("/pay?_mobile_bridge=1&orderNo=17"))
        let pay = try await gateway.journal.call("pay", within: .seconds(5))
        #expect(pay.input == ["orderNo": "17"])
        #expect(pay.answeredBy == "handler PayHandler")
        #expect(gateway.journal.calls().count == 1)
    }

    @Test func aCheckComparesCallsWithWhatWasWanted() async throws {
        let gateway = Gateway(keepsJournal: true)
        try gateway.register(PayHandler.self, at: "/pay")
        _ = await gateway.respond(to: Request("/pay?_mobile_bridge=1&orderNo=17"))
        try await gateway.verify("pay", when: ["orderNo": "17"], count: 1)
        func complaint(_ check: JSON) async -> String {
            await #expect(throws: HTTPError.self) { try await gateway.verify(check) }?.message ?? ""
        }
        #expect(await complaint(["name": "pay", "count": 2]) == "pay: 1 times, wanted 2")
        #expect(
            await complaint(["name": "pay", "when": ["orderNo": "18"]]).hasSuffix(
                #"call 1: orderNo is "17", wanted "18""#))
        #expect(await complaint(["nam": "pay"]).contains("unknown key nam; did you mean name?"))
    }

    @Test func waitingForACallThatDoesNotComeFails() async throws {
        let gateway = Gateway(keepsJournal: true)
        try gateway.register(PayHandler.self, at: "/pay")
        _ = await gateway.respond(to: Request("/pay?_mobile_bridge=1"))
        let error = await #expect(throws: Journal.CallError.self) {
            try await gateway.journal.call("login", within: .milliseconds(20))
        }
        #expect(error.map { "\($0)" } == "no call of login was answered within 0.02 seconds; called: pay")
        let none = await #expect(throws: Journal.CallError.self) {
            try await Gateway().journal.call("login", within: .milliseconds(20))
        }
        #expect(none.map { "\($0)" } == "this gateway keeps no journal; make it with keepsJournal: true")
    }

    /// It waits for the answer, not only for the call.
    @Test func theJournalWaitsForACallThatIsStillToCome() async throws {
        let gateway = Gateway(keepsJournal: true)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        try gateway.mock(["slow": ["$delay": 30, "$reply": 7]])
        async let call = gateway.journal.call("/slow", within: .seconds(250))
        let asking = Task { await gateway.respond(to: Request("/slow?_mobile_bridge=1")) }
        #expect(try await call.output == 7)
        opening.finish()
        for await _ in gate {}
        _ = await asking.value
    }
}
