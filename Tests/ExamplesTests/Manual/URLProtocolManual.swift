import Drawbridge
import DrawbridgeURLProtocol
import Foundation
import FoundationNetworking
import Testing

@testable import one_handler

/// Two gateways in one app, each in sessions of its own.
final class ShopURLProtocol: DrawbridgeURLProtocol {
    private static let shop = Gateway()

    override static func gateway(for request: URLRequest) -> Gateway? { shop }
}

@Suite(.timeLimit(.minutes(5))) struct URLProtocolManual {
    @Test func anAppsClassAnswersRequests() async throws {
        let gateway = Gateway()
        gateway.register(LegacyProtocol.self, deadline: nil)
        let response = await gateway.respond(to: Request("/alert?_mobile_bridge=1"))
        let json = try JSON(parsing: await response.body.collect())
        #expect(json["data"]?["result"] == "ok")
        #expect(gateway.unregister(LegacyProtocol.self))
    }

    @Test func requestsFromOutsideAreNotSentToTheNetwork() async throws {
        let gateway = Gateway(passThrough: [.network])
        #expect(await gateway.respond(to: Request("/a")).status == .notFound)
    }

    @Test func anAppsSessionReachesTheGateway() async throws {
        let configuration = URLSessionConfiguration.default
        configuration.protocolClasses = [ShopURLProtocol.self]
        let session = URLSession(configuration: configuration)
        let (data, _) = try await session.data(from: URL(string: "https://shop.example/a?_mobile_bridge=1")!)
        #expect(String(decoding: data, as: UTF8.self) == #"{"code":400,"message":"No response"}"#)
    }
}
