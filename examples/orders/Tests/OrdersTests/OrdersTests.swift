import DrawbridgeTesting
import OrdersHandlers
import Testing

@Suite(.timeLimit(.minutes(5))) struct OrdersTests {
    let gateway = Gateway(keepsJournal: true)

    init() throws { try registerHandlers(on: gateway) }

    private func ann() async throws -> HTTPFields {
        let token = try await gateway.call("login", ["user": "ann"]).output()["token"]?.stringValue
        return [.authorization: "Bearer \(token ?? "")"]
    }

    private func placeMilk(_ member: HTTPFields) async throws -> JSON {
        try await gateway.call("orders", ["title": "milk", "price": "1.50"], headers: member).json()
    }

    @Test func onlyMembersAreLetIn() async throws {
        let error = await #expect(throws: HTTPError.self) { try await gateway.call("me").output() }
        #expect(error?.code == 401)
        #expect(try await gateway.call("me", headers: ann()).output() == "ann")
    }

    @Test func anOrderIsPlacedSeenAndCancelled() async throws {
        let ann = try await ann()
        #expect(try await placeMilk(ann)["message"] == "order 1 is placed")
        #expect(try await gateway.call("orders", by: .query, headers: ann).output()[0]?["title"] == "milk")
        #expect(try await gateway.call("orders/1", by: .query, headers: ann).output()["price"] == "1.50")
        _ = try await gateway.call("orders/1", method: .delete, headers: ann).output()
        let gone = await #expect(throws: HTTPError.self) {
            try await gateway.call("orders/1", by: .query, headers: ann).output()
        }
        #expect(gone?.message == "there is no order 1")
        try await gateway.verify("orders/1", count: 3)
    }

    @Test func aReceiptMayBeLarge() async throws {
        let ann = try await ann()
        _ = try await placeMilk(ann)
        let body = Request.Body([UInt8](repeating: 1, count: 3 << 20))
        let request = Request(.put, "/orders/1/receipt?_mobile_bridge=1", headers: ann, body: body)
        #expect(try await gateway.respond(to: request).output() == ["id": 1, "bytes": 3_145_728])
        let error = await #expect(throws: HTTPError.self) {
            try await gateway.call("orders/first/receipt", headers: ann).output()
        }
        #expect(error?.message == #"id: "first" is not of the type Int"#)
    }

    @Test func payingAsksThePageForConsent() async throws {
        let ann = try await ann()
        _ = try await placeMilk(ann)
        let page = PlayedPage(gateway, headers: ann)
        page.on("agree") { price in price == "1.50" ? true : false }
        #expect(try await page.call("orders/1/pay")["isPaid"] == true)
        page.leave()
        let refused = await #expect(throws: HTTPError.self) {
            try await gateway.call("orders/1/pay", headers: ann).output()
        }
        #expect(refused?.message == "nobody agreed to pay 1.50")
    }

    @Test func changesAreStreamed() async throws {
        var lines: [String] = []
        let ann = try await ann()
        for try await chunk in await gateway.call("changes", headers: ann).chunks {
            lines.append(String(decoding: chunk, as: UTF8.self))
            if lines.count == 1 { _ = try await placeMilk(ann) }
            if lines.count == 2 { break }
        }
        #expect(lines == [": ann\n\n", "data: 1 false\n\n"])
    }
}
