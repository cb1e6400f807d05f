import Drawbridge
import DrawbridgeServer
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import Drawbridge

/// What a device elsewhere holds open when it is put out.
@Suite("A device that is put out", .timeLimit(.minutes(1))) struct RevokedDeviceTests {
    @Test func itsChannelIsClosedAndTheOtherDevicesGoesOn() async throws {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let gateway = Gateway(access: AccessPolicy(allowedHosts: ["bridge.test"]), logger: logger)
        try await serving(gateway) { port in
            let (first, firstSecret) = gateway.admissions.admit(address: "192.0.2.7", browser: "")
            let (_, otherSecret) = gateway.admissions.admit(address: "192.0.2.8", browser: "")
            let one = try await Self.channel(gateway, port, firstSecret, "192.0.2.7")
            let other = try await Self.channel(gateway, port, otherSecret, "192.0.2.8")
            gateway.admissions.revoke(first.id)
            // A close frame with the code for what is not allowed, 1008 (RFC 6455, section 7.4.1).
            let seen = try await blocking { try Self.frame(0x88, one) }
            #expect(seen == [0x03, 0xF0])
            // The other one is answered still: a ping.
            try await blocking {
                try other.send([0x89, 0x80, 0, 0, 0, 0])
                #expect(try Self.frame(0x8A, other) == [])
                other.close()
            }
        }
    }

    private static func channel(
        _ gateway: Gateway, _ port: Int, _ secret: String, _ address: String
    ) async throws -> RawClient {
        let head = [
            "GET /__drawbridge__/channel HTTP/1.1", "Host: bridge.test:\(port)",
            "X-Forwarded-For: \(address)",
            "Cookie: drawbridge-\(port)=\(secret)", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol: drawbridge, token.\(gateway.access.token.text)",
        ].map { $0 + "\r\n" }.joined()
        return try await blocking {
            let client = try RawClient(port)
            try client.send(head + "\r\n")
            let reply = try client.reply()
            #expect(reply.status == 101)
            return client
        }
    }

    /// What the next frame of this kind holds; a busy machine gives the gateway time to ask whether the page is there.
    private static func frame(_ kind: UInt8, _ client: RawClient) throws -> [UInt8] {
        while true {
            let head = try client.bytes(2)
            let payload = try client.bytes(Int(head[1]))
            if head[0] == kind { return payload }
        }
    }
}
