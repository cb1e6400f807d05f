import Drawbridge

@testable import DrawbridgeGateway
@testable import DrawbridgeJournal

extension Journal {
    func begin(_ request: Request, as kind: JournalRecord.Kind = .call, at bridge: String) -> Int {
        begin(request, as: kind, from: request.caller(at: bridge))
    }
}
