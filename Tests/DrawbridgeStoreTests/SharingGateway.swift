import TestSupport
import Testing

@testable import Drawbridge
@testable import DrawbridgeMessages
@testable import DrawbridgeStore

/// A gateway with a store, and what a test asks of it in one session.
struct SharingGateway: Sendable {
    static let ann = Session("ann")!

    let gateway: Gateway
    let store: SharedStore
    let log = LogBook()

    init(at url: String, _ secret: SharedSecret = SharedSecret()) throws {
        var access = AccessPolicy()
        access.secret = secret
        gateway = Gateway(access: access, keepsJournal: true, logger: log.logger)
        try gateway.mock(["steps": ["$sequence": ["one", "two", "three", "four"]], "pay": ["paid": 1]])
        store = try SharedStore(for: gateway, at: url)
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "", in session: String = "ann"
    ) async throws -> (status: Int, json: JSON) {
        let response = await gateway.respond(
            to: Request(
                method, "/__drawbridge__/\(path)",
                headers: [
                    .contentType: "application/json", .session: session,
                    .authorization: "Bearer \(gateway.testerToken.text)",
                ], body: .init(body)))
        return (response.status.code, try JSON(parsing: try await response.body.collect()))
    }

    /// Calls a mock; nil if the answer is no 200.
    func call(_ name: String, in session: String = "ann") async throws -> JSON? {
        let response = await gateway.respond(
            to: Request(
                .post, "/\(name)", authority: "__jsbridge__",
                headers: [.contentType: "application/json", .session: session], body: .init("{}")))
        guard response.status == .ok else { return nil }
        return try JSON(parsing: try await response.body.collect())["data"]
    }

    func set(_ value: String, in session: String = "ann") async throws -> (status: Int, json: JSON) {
        try await ask(.put, "replies?name=pay", value, in: session)
    }

    /// Sets a mock until that is acknowledged.
    func setAtLast(_ value: String) async throws {
        while try await set(value).status != 200 { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// Revokes devices until that is acknowledged.
    func revoke(_ id: String) async throws {
        while try await ask(.delete, "admissions/\(id)").status != 200 {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func admit() -> (admission: Admission, cookie: String) {
        gateway.admissions.admit(ticket: gateway.admissions.drawTicket(), address: nil, browser: nil)!
    }

    var records: [JournalRecord] { gateway.journal.read(RecordFilter(session: Self.ann)).records }

    func errors(_ level: String = "error") -> [String] { log.entries.filter { $0.hasPrefix(level) } }
}
