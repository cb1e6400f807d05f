import HTTPTypes

extension Request {
    /// What a request is made of, never changed: whoever changes a request makes new ones.
    final class Parts: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    /// The same as values.
    struct Values: Sendable {
        var head: RequestHead
        /// Apart from the head, which requests share: a bridge changes the target of its request alone.
        var target: String
        var body: Body
        var remoteAddress: String?
        /// The address of this machine that the connection came to; nil where there is no socket, or nobody asked for
        /// it.
        var localAddress: String?
        /// The secret of the admission by which it was let in, if that was the cause.
        var admission: String?
        var id: String
        var answerer: (any Answerer)?
        var parameters: [String: String] = [:]
        /// What middleware has found out, by its type.
        var found: [ObjectIdentifier: any Sendable] = [:]
        var naming = Naming.path
        var bridgeInput: JSON?
        /// Whether it has shown the inspector's secret.
        var isOfInspector = false
        /// The page's call that this is, where no request of HTTP's brought it.
        var channelCall: (any ChannelCall)?

        init(
            _ head: RequestHead, target: String, body: Body, remoteAddress: String?,
            localAddress: String? = nil, id: String, answerer: (any Answerer)?
        ) {
            self.head = head
            self.target = target
            self.body = body
            self.remoteAddress = remoteAddress
            self.localAddress = localAddress
            self.id = id
            self.answerer = answerer
        }
    }
}
