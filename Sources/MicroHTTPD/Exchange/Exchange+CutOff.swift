import EventLoop

/// A connection that others may cut off, and who is told when it has ended; used on the exchange's loop.
final class CutOff {
    let over: @Sendable () -> Void
    /// The WebSocket or tunnel that the connection has become.
    weak var upgraded: (any Upgraded)?

    init(_ over: @escaping @Sendable () -> Void) { self.over = over }
}

extension Exchange {
    /// Lets others cut the connection off, whatever it is used for: an awaited answer, a stream, a tunnel.
    ///
    /// - Parameter hold: gets a closure that cuts it off from any thread, and returns one to call when it has ended;
    ///   returns nil where it need not be cut off any more.
    package func canBeCut(_ hold: (_ cut: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?) {
        guard let over = hold({ [self] in loop.perform { self.cutOff() } }) else { return }
        loop.perform { [self] in
            if own.value.library.isDone { over() } else { own.value.cutOff = CutOff(over) }
        }
    }

    private func cutOff() {
        guard !own.value.library.isDone else {
            own.value.cutOff?.upgraded?.abort("it was cut off")
            return
        }
        leave()
        own.value.caller.cut()
    }
}
