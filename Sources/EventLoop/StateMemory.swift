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
