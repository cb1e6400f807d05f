/// What pages and gateways did wrong once: they did not say how far a life has come, and forgot those that were over.
enum LifeFault: CaseIterable {
    /// A page that was given up calls synchronously first.
    case synchronousCall
    /// It has what it said taken first, before a synchronous request.
    case synchronousFlush
    /// Its farewell comes when it has gone.
    case lateFarewell

    enum Way { case call, messages, beacon }

    /// What does not say how far its life has come.
    var way: Way {
        switch self {
        case .synchronousCall: .call
        case .synchronousFlush: .messages
        case .lateFarewell: .beacon
        }
    }
}
