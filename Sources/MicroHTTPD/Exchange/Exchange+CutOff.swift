import EventLoop

/// What others may cut off, and who hears that it is over; belongs to the exchange's loop.
final class CutOff {
    let over: @Sendable () -> Void
    /// What the connection has become.
    weak var upgraded: (any Upgraded)?

    init(_ over: @escaping @Sendable () -> Void) { self.over = over }
}

extension Exchange {
    /// Lets others cut the connection off, whatever stands on it: an answer that is awaited, a stream, a tunnel.
    ///
    /// - Parameter hold: gets what cuts it off, from any thread, and returns what is called when it is over; nil where
    ///   nobody will cut it off any more.
    package func canBeCut(_ hold: (_ cut: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?) {
        guard let over = hold({ [self] in loop.perform { self.cutOff() } }) else { return }
        loop.perform { [self] in
            if state.library.isDone { over() } else { state.cutOff = CutOff(over) }
        }
    }

    private func cutOff() {
        guard !state.library.isDone else {
            state.cutOff?.upgraded?.abort("it was cut off")
            return
        }
        leave()
        state.caller.cut()
    }
}
