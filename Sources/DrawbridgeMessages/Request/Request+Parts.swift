extension Request {
    /// Whether it comes from the app that contains the gateway, so that its host and caller are not checked.
    package var isFromApp: Bool {
        get { parts.values.isFromApp }
        set { change { $0.isFromApp = newValue } }
    }

    /// The immutable storage of a request, which its copies share; a change makes a new one.
    ///
    /// `@usableFromInline`, like all that the core reads of each request: the compiler then inlines it there, which
    /// saves 300 to 800 instructions for each (`benchmarks/run --instructions`).
    @usableFromInline final class Parts: Sendable {
        @usableFromInline let values: Values

        init(_ values: Values) { self.values = values }
    }

    @usableFromInline struct Values: Sendable {
        @usableFromInline var head: RequestHead
        /// Not the target in the head, which requests share: a bridge rewrites the target of one request only.
        @usableFromInline var target: String
        @usableFromInline var body: Body
        @usableFromInline var remoteAddress: String?
        @usableFromInline var localAddress: String?
        @usableFromInline var admission: String?
        @usableFromInline var id: String
        @usableFromInline var answerer: (any Answerer)?
        @usableFromInline var caller: (any AnyObject & Sendable)?
        @usableFromInline var parameters: [String: String] = [:]
        @usableFromInline var found: [ObjectIdentifier: any Sendable] = [:]
        @usableFromInline var isNamedByAction = false
        @usableFromInline var bridgeInput: JSON?
        @usableFromInline var isOfInspector = false
        @usableFromInline var isFromApp = false
        @usableFromInline var channelCall: (any ChannelCall)?
    }
}
