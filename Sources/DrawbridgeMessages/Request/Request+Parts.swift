extension Request {
    /// Whether the app has sent it that the gateway is in, so that nothing is asked of its host and caller.
    package var isFromApp: Bool {
        get { parts.values.isFromApp }
        set { change { $0.isFromApp = newValue } }
    }

    /// The immutable storage of a request, which its copies share; a change makes a new one.
    ///
    /// `@usableFromInline`, as all that the core asks of each request: the compiler puts it into the core, which saves
    /// 300 to 800 instructions for each (`benchmarks/run --instructions`).
    @usableFromInline final class Parts: Sendable {
        @usableFromInline let values: Values

        init(_ values: Values) { self.values = values }
    }

    @usableFromInline struct Values: Sendable {
        @usableFromInline var head: RequestHead
        /// Not that of the head, which requests share: a bridge rewrites the target of its own request alone.
        @usableFromInline var target: String
        @usableFromInline var body: Body
        @usableFromInline var remoteAddress: String?
        /// The address of this machine that the connection came to; nil where there is no socket, or nobody asked for
        /// it.
        @usableFromInline var localAddress: String?
        /// The secret of the admission that let it in; nil where something else did.
        @usableFromInline var admission: String?
        @usableFromInline var id: String
        @usableFromInline var answerer: (any Answerer)?
        @usableFromInline var parameters: [String: String] = [:]
        /// Values that middleware has attached, by their types.
        @usableFromInline var found: [ObjectIdentifier: any Sendable] = [:]
        @usableFromInline var naming = Naming.path
        @usableFromInline var bridgeInput: JSON?
        @usableFromInline var isOfInspector = false
        @usableFromInline var isFromApp = false
        /// The page's channel call that it stands for; nil for an HTTP request.
        @usableFromInline var channelCall: (any ChannelCall)?

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
