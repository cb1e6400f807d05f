import Glibc

/// A descriptor that any thread can make readable, to wake the loop that watches it.
package struct WakeUp: ~Copyable, Sendable {
    /// The descriptor that the loop watches for ``Readiness/readable``.
    package let descriptor: Int32
    private let writer: Int32

    /// Takes both descriptors, which may be the same; neither blocks, and 8 bytes written to one are read from the
    /// other.
    init(reader: Int32, writer: Int32) {
        descriptor = reader
        self.writer = writer
    }

    deinit {
        close(descriptor)
        if writer != descriptor { close(writer) }
    }

    /// Makes it readable, from any thread.
    package func ring() {
        var one: UInt64 = 1
        _ = write(writer, &one, 8)
    }

    /// Makes it unreadable again after one ``ring()``.
    package func clear() {
        var value: UInt64 = 0
        _ = read(descriptor, &value, 8)
    }
}
