/// A call that no page makes: a program or a person tries a name, or repeats a call of the journal.
final class RepeatedCall: ChannelCall {
    /// By which bridge the call is said to have come.
    let bridge: String
    /// The number of the call that this one repeats.
    let number: Int?

    let isForScript = true
    let session: Session? = nil

    init(at bridge: String, repeating number: Int? = nil) {
        self.bridge = bridge
        self.number = number
    }
}

extension Request {
    /// The number of the call that this one repeats.
    var resentFrom: Int? {
        (channelCall as? RepeatedCall)?.number ?? callingPage?.call.resentFrom
    }
}
