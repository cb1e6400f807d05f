/// State that belongs to one loop and is used on that loop's thread only.
///
/// The object that has it may be passed to any thread. There are three phases, those of the loop:
/// - *unborn*: the loop has not started; the code that makes the state may fill it in;
/// - *owned*: the loop runs, and only its thread may use the state;
/// - *ended*: the loop has ended, and the last reference, on any thread, frees the state.
///
/// Using the state on another thread while the loop runs is a data race. Debug builds trap, and tests use those;
/// release builds do not check, because each request would do so many times.
///
/// Exclusive access is not checked at run time either: the loop's thread does one thing after the other, and no code
/// uses the state again inside a change of it.
///
/// `@usableFromInline`, like ``Loop``, because the compiler inlines no other code into other modules.
@usableFromInline package struct LoopBound<State>: ~Copyable, Sendable {
    /// Used only to assert the thread.
    ///
    /// An owner that publishes its loop to other threads keeps a second reference outside of the state.
    @usableFromInline internal let loop: Loop
    @usableFromInline internal let memory: StateMemory<State>

    @inlinable package init(_ state: consuming State, to loop: Loop) {
        self.loop = loop
        memory = StateMemory(state)
    }

    @usableFromInline var address: UnsafeMutablePointer<State> {
        @inlinable @inline(__always) get {
            assert(loop.isOwnedHere, "this belongs to a loop, and was asked for on another thread")
            return memory.address
        }
    }

    /// The state; for the loop's thread only; valid as long as its owner lives.
    @usableFromInline package var value: State {
        @inlinable @inline(__always) unsafeAddress { UnsafePointer(address) }
        @inlinable @inline(__always) nonmutating unsafeMutableAddress { address }
    }
}

/// Memory for one value, at a fixed address.
///
/// Sendable, because its single owner asserts on each access that the current thread may use the state
/// (``Loop/isOwnedHere``).
@usableFromInline struct StateMemory<State: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let address: UnsafeMutablePointer<State>

    @inlinable init(_ state: consuming State) {
        address = .allocate(capacity: 1)
        address.initialize(to: state)
    }

    @inlinable deinit {
        address.deinitialize(count: 1)
        address.deallocate()
    }
}
