import HTTPTypes
import Testing

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// Whoever has the page token could say that it is any number of pages.
@Suite struct ManyPagesTests {
    @Test func whenThereAreTooManyPagesOnlyTheNextOneIsRefused() async throws {
        let gateway = Gateway()
        func sign(_ number: Int) throws -> PageSign {
            let digits = String(number, radix: 16)
            let id = String(repeating: "0", count: 32 - digits.count) + digits
            return try PageSign(["page": .string(id), "life": 1])
        }
        let head = RequestHead(Request("/").head)
        for number in 1...Pages.most {
            let sign = try sign(number)
            _ = gateway.pages.find(sign) {
                Page(sign, [:], head: head, remoteAddress: nil, gateway: gateway)
            }
        }
        #expect(gateway.pages.all.count == Pages.most)
        func say(_ number: Int) async throws -> Response {
            let body: JSON = ["page": .string(try sign(number).id), "life": 1, "n": 0, "up": []]
            return await gateway.respond(
                to: Request(
                    .post, "/__drawbridge__/messages",
                    headers: [.contentType: "application/json", .pageToken: gateway.access.token.text],
                    body: .init(body.bytes)))
        }
        let late = try await say(Pages.most + 1)
        #expect(late.status == .serviceUnavailable)
        #expect(try await late.text().contains("20000 pages are open here"))
        #expect(gateway.pages.all.count == Pages.most)
        #expect(try await say(7).status == .ok)
        gateway.pages.end(PageError(.stopped, "the test is over"))
    }
}
