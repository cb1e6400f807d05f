import Synchronization

package final class ChannelReader: Sendable {
    private let gateway: Gateway
    private let head: RequestHead
    private let remoteAddress: String?
    private let page = Mutex<Page?>(nil)

    /// The most unsent bytes of a channel: the longest message, and 1 MB for short acknowledgements.
    package static let mostWaiting = Outbox.limit + (1 << 20)

    /// - Parameter request: the request that opened the WebSocket; the page's calls inherit its head.
    package init(_ gateway: Gateway, _ request: Request) {
        self.gateway = gateway
        head = request.asPage
        remoteAddress = request.remoteAddress
    }

    package func receive(_ text: [UInt8], on connection: any PageConnection) {
        guard let json = try? JSON(parsing: text), json.objectValue != nil else {
            return refuse("it sends something that is not a JSON object", connection)
        }
        if let hello = json["hello"] {
            guard page.withLock({ $0 == nil }) else { return refuse("it says hello again", connection) }
            return greet(hello, connection)
        }
        guard let page = page.withLock({ $0 }) else {
            return refuse("it does not begin with hello", connection)
        }
        // Ignore what was sent in an earlier life of the page.
        guard json["life"]?.numberValue?.intValue == page.life else { return }
        if let number = json["ack"]?.numberValue?.intValue { page.acknowledge(number) }
        if json["bye"]?.boolValue == true { return page.leave() }
        guard var messages = json["up"]?.arrayValue else { return }
        // While a page has calls under way, its next ones are for the next gateway: what is not taken is sent again.
        if gateway.program.isDraining, !page.isIdle {
            messages = Array(messages.prefix { $0[1]?["call"] == nil })
        }
        guard page.take(messages, bytes: text.count, by: connection.tasks) != nil else { return }
        // Unless an answer has said it; to the newest connection, since this may be one that was replaced.
        page.state.withLock { if let frame = $0.outbox.acknowledgement() { $0.connection?.send(frame) } }
    }

    package func ended(_ connection: any PageConnection) {
        page.withLock { $0 }?.disconnect(connection)
    }

    private func greet(_ hello: JSON, _ connection: any PageConnection) {
        let sign: PageSign
        do {
            sign = try PageSign(hello)
        } catch {
            return refuse("its hello does not identify the page: \(error.message)", connection)
        }
        let arrival = gateway.pages.find(sign) {
            Page(sign, hello, head: head, remoteAddress: remoteAddress, gateway: gateway)
        }
        if case .full = arrival { return refuse(Pages.isFull.message, connection) }
        guard case .page(let page, let isNew) = arrival else {
            if case .over = arrival { connection.send(gateway.isOver(sign).bytes) }
            return connection.close()
        }
        self.page.withLock { $0 = page }
        guard page.connect(connection, hello, received: sign.received) else {
            connection.send(gateway.isOver(sign).bytes)
            return connection.close()
        }
        if isNew { gateway.greet(page) }
    }

    private func refuse(_ reason: String, _ connection: any PageConnection) {
        gateway.logger.warning("the channel of a page was closed: \(reason)")
        connection.close()
    }
}

extension PageMessage {
    /// Reads `[[1, {…}], …]`; leaves out messages without a number.
    static func numbered(_ messages: [JSON]) -> [(number: Int, message: PageMessage?)] {
        messages.compactMap { pair in
            guard let number = pair[0]?.numberValue?.intValue, PageSign.counts.contains(number) else {
                return nil
            }
            return (number, pair[1].flatMap(PageMessage.init))
        }
    }
}

extension Gateway {
    /// Tells a page that its life has ended here, on which it begins the next one.
    package func isOver(_ sign: PageSign) -> JSON {
        ["over": .number(.init(sign.life)), "epoch": .string(pages.epoch)]
    }

    /// Throws if a page may not open its channel; checked before the 101: only the gateway's own pages, with the token.
    package func admitChannel(_ request: Request, token: String?) throws(HTTPError) {
        guard pageRuntime != nil else {
            throw HTTPError(.notFound, "this gateway has no page runtime, so pages have no channel")
        }
        if let error = access.refusesPage(request) { throw error }
        switch token.map({ access.token.judge($0, from: access.address(of: request)) }) {
        case .right: return
        case .throttled: throw AccessPolicy.throttled
        case .wrong:
            throw HTTPError(
                .forbidden,
                "the page was loaded in an earlier run; it connects again by itself, or reload it")
        case nil:
            throw HTTPError(.forbidden, "a channel needs the page token, as the subprotocol token.…")
        }
    }
}

extension Request {
    /// The head for calls by a page's channel: that of the request that opened it, without the WebSocket's fields.
    package var asPage: RequestHead {
        let own = headers.filter { field in
            let name = field.name.canonicalName
            return name != "upgrade" && name != "connection" && !name.hasPrefix("sec-websocket-")
                && name != "content-type" && field.name != .pageToken
        }
        var fields = HTTPFields(own)
        if session != .usual { fields[.session] = session.name }
        return RequestHead(.post, scheme: scheme, authority: authority, target: "/", headers: fields)
    }
}
