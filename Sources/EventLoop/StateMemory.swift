/// Memory of its own for one state, at an address that stays.
///
/// It belongs to one owner, through which every way to the state goes. Each of these ways asks whether the state may be
/// touched here, as ``Loop/isOwnedHere`` says it: that makes the memory Sendable.
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
