extension Request {
    /// The gateway that answers it; nil for a request that no gateway has seen.
    package var gateway: Gateway? {
        get { answerer as? Gateway }
        set { answerer = newValue }
    }
}

extension Gateway: Answerer {}
