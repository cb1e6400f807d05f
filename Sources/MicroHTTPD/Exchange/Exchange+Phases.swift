// The states of an exchange: of the library, the handler, the answer and its body.
extension Exchange {
    /// What the library does with the request.
    enum Library {
        /// It reads or writes, or it is about to.
        case working(LibraryConnection)
        /// It ignores the connection until that is resumed.
        case suspended(LibraryConnection)
        /// The caller has left, or has to: the library's next call for this request closes the connection.
        case leaving(LibraryConnection)
        /// It is done with this request; `hasLeft` where the caller did not get the whole answer.
        case done(hasLeft: Bool)

        var connection: LibraryConnection? {
            switch self {
            case .working(let connection), .suspended(let connection), .leaving(let connection): connection
            case .done: nil
            }
        }

        var hasLeft: Bool {
            switch self {
            case .working, .suspended: false
            case .leaving: true
            case .done(let hasLeft): hasLeft
            }
        }

        var isDone: Bool { if case .done = self { true } else { false } }
    }

    /// The state of the handler, which is the server's closure.
    enum Handler {
        case notBegun
        /// What to cancel when the caller leaves: its task, and what answers without one.
        case underWay(Task<Void, Never>?, cancel: (@Sendable () -> Void)?)
        case returned

        var hasReturned: Bool { if case .returned = self { true } else { false } }

        func cancel() {
            guard case .underWay(let task, let cancel) = self else { return }
            task?.cancel()
            cancel?()
        }
    }

    enum Answering {
        case awaited
        /// There is no answer, and the library waits for one at this moment, which is the time to give it one.
        case wanted
        /// The answer is there, and the library has not asked for it yet.
        case ready(Answer)
        /// The library has the answer, which is kept here too unless the library has copied all of it.
        case queued(Answer?)
        /// The library has the answer in a response that is given back when it is sent.
        case carried(ReusableResponse)
    }

    /// The body of an answer, or the upgrade that follows its head.
    enum Rest {
        /// No body, or one that the library has together with the head.
        case nothing
        /// A body that is written while it is sent.
        case written(Outgoing)
        /// A body that is fetched from elsewhere.
        case fetched(any BodySource)
        /// The WebSocket or tunnel that the connection becomes behind a 101.
        case upgrade(any Upgraded)

        var outgoing: Outgoing? { if case .written(let outgoing) = self { outgoing } else { nil } }
    }
}
