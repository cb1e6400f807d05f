/// A state that belongs to one loop, and is reached on that loop's thread alone.
///
/// It is a part of the object whose state it is, which can go anywhere; only the state stays. It has three phases,
/// which are its loop's:
/// - *unborn*: the loop does not run yet, and whoever makes the state fills it in;
/// - *owned*: the loop runs, and the state is touched on its thread;
/// - *ended*: the loop has ended, and the state may be taken down by whoever lets go of it last.
///
/// To use the state of a running loop on another thread is a bug that no lock would mend. It traps in debug builds,
/// which are those that tests run. Release builds do not check, since every request would do so many times.
///
/// The state is in memory of its own, and exclusive access is not checked at run time, because nothing reaches the
/// state from within its own change: its loop does one thing after the other.
///
/// It is public, as is its ``Loop``, for one reason: only public code is inlined into other modules.
public struct LoopBound<State>: ~Copyable, Sendable {
    /// For the assertion alone.
    ///
    /// An owner whose loop any thread may ask for keeps it outside of this box, which the loop's thread changes.
    @usableFromInline internal let loop: Loop
    @usableFromInline internal let memory: StateMemory<State>

    /// Hands a state over to a loop.
    @inlinable public init(_ state: consuming State, to loop: Loop) {
        self.loop = loop
        memory = StateMemory(state)
    }

    @usableFromInline var address: UnsafeMutablePointer<State> {
        @inlinable @inline(__always) get {
            assert(loop.isOwnedHere, "this belongs to a loop, and was asked for on another thread")
            return memory.address
        }
    }

    /// The state, as long as its object lives; for the loop's thread only.
    public var value: State {
        @inlinable @inline(__always) unsafeAddress { UnsafePointer(address) }
        @inlinable @inline(__always) nonmutating unsafeMutableAddress { address }
    }
}

/// Memory for one state, at a fixed address.
///
/// It has one owner, through which alone the state is reached. The owner asserts each time that this thread may use the
/// state (``Loop/isOwnedHere``): that makes the memory Sendable.
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
