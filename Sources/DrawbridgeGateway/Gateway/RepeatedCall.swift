/// A call that does not come from a page: a program or a person tries a name, or repeats a call of the journal.
package final class RepeatedCall: ChannelCall {
    let bridge: String
    let number: Int?

    package let isForScript = true
    package let session: Session? = nil

    package init(at bridge: String, repeating number: Int? = nil) {
        self.bridge = bridge
        self.number = number
    }
}

extension Request {
    func caller(at bridge: String) -> JournalRecord.Caller {
        (
            concernedPage, bridge, isOnChannel: callingPage != nil,
            resentFrom: (channelCall as? RepeatedCall)?.number ?? callingPage?.call.resentFrom
        )
    }
}
