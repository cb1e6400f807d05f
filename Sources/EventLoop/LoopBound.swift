/// A state that belongs to one loop, and is reached on that loop's thread alone.
///
/// The box can go anywhere; only what is in it stays. It has three phases, which are its loop's:
/// - *unborn*: the loop does not run yet, and whoever makes the state fills it in;
/// - *owned*: the loop runs, and the state is touched on its thread;
/// - *ended*: the loop has ended, and the state may be taken down by whoever lets go of it last.
///
/// Who asks for the state of an owned box on another thread has made a mistake that no lock would mend. That traps in
/// debug builds, which are those that tests run. Release builds do not ask, since the question is asked many times in
/// every request.
///
/// The state is touched by one thread at a time, as this says: that makes the box Sendable. Exclusive access is not
/// checked at run time either, because nothing reaches the state from within its own change: its loop does one thing
/// after the other, and whoever calls others does so after the change, not inside it.
package final class LoopBound<State>: @unchecked Sendable {
    /// The loop whose state it is.
    package let loop: Loop
    @usableFromInline @exclusivity(unchecked) internal var state: State

    /// Puts a state into a box; the state is the loop's from now on.
    package init(_ state: State, to loop: Loop) {
        self.loop = loop
        self.state = state
    }

    /// The state; to be asked for on the loop's thread.
    ///
    /// Who calls something that is in it takes that out first, into a constant: the call may lead to a change of the state,
    /// and what is called would go while it runs.
    package var value: State {
        @inlinable _read {
            assert(loop.isOwnedHere, "this belongs to a loop, and was asked for on another thread")
            yield state
        }
        @inlinable _modify {
            assert(loop.isOwnedHere, "this belongs to a loop, and was changed on another thread")
            yield &state
        }
    }
}
