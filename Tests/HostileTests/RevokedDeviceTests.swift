import Drawbridge
import DrawbridgeServer
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import Drawbridge

/// What a device elsewhere holds open when it is put out.
@Suite("A device whose access is revoked", .timeLimit(.minutes(5))) struct RevokedDeviceTests {
    @Test func theChannelOfARevokedDeviceIsClosedAndOthersGoOn() async throws {
        let gateway = Self.gateway()
        try await serving(gateway) { port in
            let (first, firstSecret) = gateway.admissions.admit(
                ticket: gateway.admissions.drawTicket(), address: "192.0.2.7", browser: "")!
            let (_, otherSecret) = gateway.admissions.admit(
                ticket: gateway.admissions.drawTicket(), address: "192.0.2.8", browser: "")!
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

    /// A handler that thinks, a stream, and a tunnel to a server behind the gateway.
    ///
    /// With middleware, and behind a page's message, the way to a handler is another one.
    @Test(arguments: ["/thinks?_mobile_bridge=1", "/streams?_mobile_bridge=1", "/behind"], [false, true])
    func requestsOfARevokedDeviceEndAndOthersGoOn(_ target: String, _ isByMiddleware: Bool) async throws {
        let goesOn = Observed(false)
        let begun = Observed(0)
        let upstream = try RawUpstream { connection, _ in
            try connection.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
            begun.change { $0 += 1 }
            _ = try connection.read(4)
            try connection.send("done")
        }
        let gateway = Self.gateway(
            passThrough: [.upstream("http://127.0.0.1:\(upstream.port)")],
            middleware: isByMiddleware ? [Transparent()] : [])
        let cancelled = Observed(0)
        try gateway.register(at: "/thinks") { _ in Thinks(begun: begun, goesOn: goesOn, cancelled: cancelled)
        }
        try gateway.register(at: "/streams") { _ in
            Streams(begun: begun, goesOn: goesOn, cancelled: cancelled)
        }
        try await serving(gateway) { port in
            let (first, firstSecret) = gateway.admissions.admit(
                ticket: gateway.admissions.drawTicket(), address: "192.0.2.7", browser: "")!
            let (_, otherSecret) = gateway.admissions.admit(
                ticket: gateway.admissions.drawTicket(), address: "192.0.2.8", browser: "")!
            let protocols = target == "/behind" ? "chat" : nil
            let one = try await Self.asked(
                target, gateway, port, firstSecret, "192.0.2.7", protocols: protocols)
            let other = try await Self.asked(
                target, gateway, port, otherSecret, "192.0.2.8", protocols: protocols)
            try await begun.wait { $0 == 2 }
            #expect(await eventually { gateway.admissions.all.map(\.openCount) == [1, 1] })
            gateway.admissions.revoke(first.id)
            _ = try await blocking { try? one.readToEnd() }
            if target != "/behind" { try await cancelled.wait { $0 == 1 } }
            goesOn.change { $0 = true }
            let answer = try await blocking {
                let head = try other.head()
                if head.status == 101 {
                    try other.send("ping")
                    return try other.bytes(4)
                }
                return try other.wholeBody(of: head)
            }
            #expect(String(decoding: answer, as: UTF8.self).hasSuffix("done"))
            #expect(cancelled.value == (target == "/behind" ? 0 : 1))
            other.close()
            // What is over holds nothing open: the other one is idle again.
            #expect(await eventually { gateway.admissions.all.map(\.openCount) == [0] })
        }
        upstream.stop()
    }

    /// Nobody is cut off who was put out before: it is told.
    @Test func laterRequestsOfARevokedDeviceAreRefused() async throws {
        let gateway = Self.gateway()
        try await serving(gateway) { port in
            let (device, secret) = gateway.admissions.admit(
                ticket: gateway.admissions.drawTicket(), address: "192.0.2.7", browser: "")!
            gateway.admissions.revoke(device.id)
            let client = try await Self.asked("/alive?_mobile_bridge=1", gateway, port, secret, "192.0.2.7")
            #expect(try await blocking { try client.reply().status } == 403)
        }
    }

    /// The engine has asked about its body, and was told to take it.
    @Test func aRequestThatARevokedDeviceStillSendsReachesNoHandler() async throws {
        let gateway = Self.gateway()
        let begun = Observed(0)
        try gateway.register(at: "/takes") { _ in Takes(begun: begun) }
        try await serving(gateway) { port in
            for (isPutOut, status) in [(false, 200), (true, 403)] {
                let (device, secret) = gateway.admissions.admit(
                    ticket: gateway.admissions.drawTicket(), address: "192.0.2.7", browser: "")!
                let token = gateway.access.token.text
                let reply = try await blocking {
                    let client = try RawClient(port)
                    try client.send(
                        """
                        POST /takes?_mobile_bridge=1 HTTP/1.1\r\nHost: bridge.test:\(port)\r\n\
                        X-Forwarded-For: 192.0.2.7\r\nCookie: drawbridge-\(port)=\(secret)\r\n\
                        X-Drawbridge-Token: \(token)\r\nExpect: 100-continue\r\n\
                        Content-Length: 100000\r\n\r\n
                        """)
                    #expect(try client.head().status == 100)
                    try client.send([UInt8](repeating: 1, count: 60_000))
                    if isPutOut { gateway.admissions.revoke(device.id) }
                    try client.send([UInt8](repeating: 1, count: 40_000))
                    return try client.reply()
                }
                #expect(reply.status == status)
            }
        }
        #expect(begun.value == 1)
    }

    private struct Takes: Handler {
        let begun: Observed<Int>

        func handle(_ request: Request) async throws -> Response {
            begun.change { $0 += 1 }
            return Response(text: "taken")
        }
    }

    private struct Thinks: Handler {
        let begun: Observed<Int>
        let goesOn: Observed<Bool>
        let cancelled: Observed<Int>

        func handle(_ request: Request) async throws -> Response {
            begun.change { $0 += 1 }
            do { try await goesOn.wait { $0 } } catch {
                cancelled.change { $0 += 1 }
                throw error
            }
            return Response(text: "done")
        }
    }

    private struct Streams: Handler {
        let begun: Observed<Int>
        let goesOn: Observed<Bool>
        let cancelled: Observed<Int>

        func handle(_ request: Request) async throws -> Response {
            Response(contentType: "text/plain") { client in
                try await client.didLoad("begun, ")
                begun.change { $0 += 1 }
                do { try await goesOn.wait { $0 } } catch {
                    cancelled.change { $0 += 1 }
                    throw error
                }
                try await client.didLoad("done")
            }
        }
    }

    private struct Transparent: Middleware {
        func handle(_ request: Request, next: Next) async throws -> Response { await next(request) }
    }

    private static func gateway(
        passThrough: [any Responder] = [], middleware: [any Middleware] = []
    ) -> Gateway {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return Gateway(
            passThrough: passThrough, middleware: middleware,
            access: AccessPolicy(allowedHosts: ["bridge.test"]), logger: logger)
    }

    /// A connection on which a device has asked for something: a WebSocket by its protocols, or an answer.
    private static func asked(
        _ target: String, _ gateway: Gateway, _ port: Int, _ secret: String, _ address: String,
        protocols: String? = nil
    ) async throws -> RawClient {
        let token = gateway.access.token.text
        var head = [
            "GET \(target) HTTP/1.1", "Host: bridge.test:\(port)", "X-Forwarded-For: \(address)",
            "Cookie: drawbridge-\(port)=\(secret)",
        ]
        if let protocols {
            head += [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Protocol: \(protocols), token.\(token)",
            ]
        } else {
            head.append("X-Drawbridge-Token: \(token)")
        }
        let text = head.map { $0 + "\r\n" }.joined() + "\r\n"
        return try await blocking {
            let client = try RawClient(port)
            try client.send(text)
            return client
        }
    }

    /// The channel of a device's page.
    private static func channel(
        _ gateway: Gateway, _ port: Int, _ secret: String, _ address: String
    ) async throws -> RawClient {
        let client = try await asked(
            "/__drawbridge__/channel", gateway, port, secret, address, protocols: "drawbridge")
        #expect(try await blocking { try client.reply().status } == 101)
        return client
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
