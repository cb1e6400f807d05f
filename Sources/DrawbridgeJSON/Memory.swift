import Synchronization

/// Elements in memory of their own, which stays when they are removed: an array without the checks whether it is shared.
struct Memory<Element: BitwiseCopyable>: ~Copyable {
    private var start: UnsafeMutablePointer<Element>?
    private var room = 0
    private(set) var count = 0

    deinit { start?.deallocate() }

    /// The elements, until the next change.
    @inline(__always)
    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: start, count: count) }

    @inline(__always)
    subscript(position: Int) -> Element {
        get { place(position).pointee }
        set { place(position).pointee = newValue }
    }

    /// Some of the elements, until the next change.
    @inline(__always)
    subscript(range: Range<Int>) -> UnsafeBufferPointer<Element> {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return UnsafeBufferPointer(start: start.map { $0 + range.lowerBound }, count: range.count)
    }

    @inline(__always)
    private func place(_ position: Int) -> UnsafeMutablePointer<Element> {
        precondition(position >= 0 && position < count)
        return start.unsafelyUnwrapped + position
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == room { grow(by: 1) }
        start.unsafelyUnwrapped[count] = element
        count += 1
    }

    @inline(__always)
    mutating func append(_ elements: UnsafeBufferPointer<Element>) {
        guard let source = elements.baseAddress, !elements.isEmpty else { return }
        if room - count < elements.count { grow(by: elements.count) }
        (start.unsafelyUnwrapped + count).update(from: source, count: elements.count)
        count += elements.count
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        room = max(count + more, 2 * room, 64)
        let grown = UnsafeMutablePointer<Element>.allocate(capacity: room)
        if let start {
            grown.update(from: start, count: count)
            start.deallocate()
        }
        start = grown
    }

    /// Removes the elements after the first ones.
    @inline(__always)
    mutating func cut(to count: Int) {
        precondition(count >= 0 && count <= self.count)
        self.count = count
    }

    /// Removes all elements, and memory of more than 64 KB: a large text must not stay.
    mutating func clear() {
        count = 0
        if room * MemoryLayout<Element>.stride > 64 << 10 { self = Memory() }
    }
}

extension Memory<UInt8> {
    @inline(__always)
    mutating func append(text: String) { text.utf8.span.withUnsafeBufferPointer { append($0) } }
}

/// An object that is used again, on any thread: whoever takes it has it alone, and others make their own meanwhile.
struct Spare<Kept: AnyObject>: ~Copyable, Sendable {
    private let address = Atomic<UInt>(0)

    deinit { _ = take() }

    func take() -> Kept? { exchange(0) }

    /// Nobody else may use the object from now on.
    func put(_ object: Kept) { _ = exchange(UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())) }

    private func exchange(_ next: UInt) -> Kept? {
        UnsafeRawPointer(bitPattern: address.exchange(next, ordering: .acquiringAndReleasing))
            .map { Unmanaged<Kept>.fromOpaque($0).takeRetainedValue() }
    }
}
