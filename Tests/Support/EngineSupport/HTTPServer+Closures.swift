import HTTPTypes
import Logging
import MicroHTTPD
import Synchronization
import TLS

/// Decides on the body: gets the head, whether its target was a whole URL, and the client's address without a port.
package typealias ChooseBody = @Sendable (HTTPRequest, Bool, String?) -> HTTPServer.BodyChoice

extension HTTPServer {
    /// Makes a server that answers by a closure, which runs in a task that starts on the exchange's loop.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - chooseBody: decides how a body is handled; must not block.
    package convenience init(
        port: Int = 0, tls: TLSIdentity? = nil, limits: Limits = Limits(), loops: Int? = nil,
        logger: Logger = Logger(label: "drawbridge.http"),
        chooseBody: @escaping ChooseBody = { _, _, _ in .collected(upTo: 8 << 20) },
        handle: @escaping @Sendable (Exchange) async -> Void
    ) {
        let handler = ClosureHandler(choose: chooseBody, answer: handle)
        self.init(
            host: "127.0.0.1", port: port, tls: tls, limits: limits, loops: loops, logger: logger,
            refuse: { refusal in
                let fields: HTTPFields = [.contentType: "text/plain"]
                return (
                    HTTPResponse(status: refusal.status, headerFields: fields), Array(refusal.message.utf8)
                )
            }, reading: { _ in handler })
    }

    package func stop(within grace: Duration = .seconds(5)) async { _ = await end(within: grace) }
}

extension Exchange {
    /// The collected body, until the closure that answers returns; empty if the body is streamed.
    package var body: [UInt8] { ClosureHandler.bodies.withLock { $0[ObjectIdentifier(self)] ?? [] } }

    /// The request head; `Host` is in its authority, and framing fields are removed.
    package var request: HTTPRequest { head.request }

    /// Sends a response with a complete body.
    package func send(_ head: HTTPResponse, _ body: [UInt8]) {
        [].withUnsafeBytes { send(head.status, head.headerFields, fixed: [], adding: $0, body) }
    }
}

/// A tunnel's end for a connected socket without TLS; it closes the descriptor.
package func plainEnd(_ descriptor: Int32) -> sending any TunnelEnd { Transport(descriptor) }

private final class ClosureHandler: HeadHandler {
    static let bodies = Mutex<[ObjectIdentifier: [UInt8]]>([:])

    private let choose: ChooseBody
    private let answer: @Sendable (Exchange) async -> Void

    init(choose: @escaping ChooseBody, answer: @escaping @Sendable (Exchange) async -> Void) {
        self.choose = choose
        self.answer = answer
    }

    func chooseBody(
        _ head: AuditedHead, from remoteAddress: String?, at localAddress: String?
    ) -> (HTTPServer.BodyChoice, HTTPServer.Handle?) {
        (choose(head.request, head.isAbsoluteForm, remoteAddress), nil)
    }

    func handle(_ exchange: Exchange, _ body: consuming [UInt8]) {
        let (key, body) = (ObjectIdentifier(exchange), body)
        if !body.isEmpty { Self.bodies.withLock { $0[key] = body } }
        exchange.run { [answer] in
            await answer(exchange)
            if !body.isEmpty { Self.bodies.withLock { $0[key] = nil } }
        }
    }
}
