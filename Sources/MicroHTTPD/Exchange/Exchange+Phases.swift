import EventLoop

// How far each of those who are at work on an exchange has come.
extension Exchange {
    /// What the library does with the request.
    enum Library {
        /// It reads or writes, or it is about to.
        case working(LibraryConnection)
        /// It looks at nothing until it is resumed.
        case suspended(LibraryConnection)
        /// The caller has gone, or must go: it closes the connection as soon as it asks for anything.
        case leaving(LibraryConnection)
        /// It is done with this request; `hasLeft` where the caller did not get the whole answer.
        case done(hasLeft: Bool)

        var connection: LibraryConnection? {
            switch self {
            case .working(let connection), .suspended(let connection), .leaving(let connection): connection
            case .done: nil
            }
        }

        /// Whether there is nobody to answer to.
        var hasLeft: Bool {
            switch self {
            case .working, .suspended: false
            case .leaving: true
            case .done(let hasLeft): hasLeft
            }
        }

        var isDone: Bool { if case .done = self { true } else { false } }

        /// What it is when the caller has gone.
        var left: Library {
            switch self {
            case .working(let connection), .suspended(let connection), .leaving(let connection):
                .leaving(connection)
            case .done: .done(hasLeft: true)
            }
        }
    }

    /// Whoever answers: the closure of the server.
    enum Handler {
        case notBegun
        /// What to cancel when the caller leaves: its task, and what answers without one.
        case underWay(Task<Void, Never>?, cancel: (@Sendable () -> Void)?)
        case returned

        var hasReturned: Bool { if case .returned = self { true } else { false } }

        /// Tells it that nobody waits any more.
        func cancel() {
            guard case .underWay(let task, let cancel) = self else { return }
            task?.cancel()
            cancel?()
        }
    }

    /// How far the answer is.
    enum Answering {
        /// There is no answer.
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

    /// What follows the head of an answer.
    enum Rest {
        /// Nothing, or what the library has with the head.
        case nothing
        /// What is written while it is sent.
        case written(Outgoing)
        /// What is fetched from elsewhere.
        case fetched(any BodySource)
        /// Behind a 101, what the connection becomes.
        case upgrade(any Upgraded)

        var outgoing: Outgoing? { if case .written(let outgoing) = self { outgoing } else { nil } }
    }
}
