import Glibc

/// A connected socket without TLS, which it owns.
package final class PlainEnd: TunnelEnd {
    package let descriptor: Int32

    /// - Parameter descriptor: closed by ``close()``.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> Int { write(bytes, isLast: true) }

    /// Writes; unless these bytes are the last for now, the system may wait for more to send with them.
    func write(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Int {
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL | (isLast ? 0 : MSG_MORE))
        return send(descriptor, bytes.baseAddress, bytes.count, flags)
    }

    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    package func close() { Glibc.close(descriptor) }
}
