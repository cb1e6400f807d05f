public import DrawbridgeJSON

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
        @usableFromInline var localAddress: String?
        @usableFromInline var admission: String?
        @usableFromInline var id: String
        @usableFromInline var answerer: (any Answerer)?
        @usableFromInline var parameters: [String: String] = [:]
        @usableFromInline var found: [ObjectIdentifier: any Sendable] = [:]
        @usableFromInline var isNamedByAction = false
        @usableFromInline var bridgeInput: JSON?
        @usableFromInline var isOfInspector = false
        @usableFromInline var isFromApp = false
        @usableFromInline var channelCall: (any ChannelCall)?
    }
}
