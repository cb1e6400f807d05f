import CMicroHTTPD
import EventLoop
import Glibc

extension Exchange {
    /// The 101 is sent; called by the library.
    ///
    /// - Parameters:
    ///   - socket: the connection, or under TLS the end of a pair.
    ///   - handle: what ends it.
    ///   - extra: what came behind the request.
    func handOver(_ socket: Int32, _ handle: OpaquePointer, extra: [UInt8]) {
        guard let upgrading = state.upgrading else {
            dbr_end_upgrade(handle)
            return
        }
        state.upgrading = nil
        let caller = handedOver()
        if let stream = TLSStream(caller, handle) {
            return worker.upgrades.add(upgrading, .encrypted(stream), extra: extra + stream.pending())
        }
        // The library forgets the connection with its memory, and the duplicate stays.
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        let error = SystemError("cannot keep the connection")
        dbr_end_upgrade(handle)
        loop.setRunDue()
        guard own >= 0 else { return upgrading.abort("\(error)") }
        worker.upgrades.add(upgrading, .own(PlainEnd(own)), extra: extra)
    }
}

/// A 101 is sent, and the connection is ours; on the loop's thread.
func connectionUpgraded(
    _ box: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?,
    _ extra: UnsafePointer<CChar>?, _ size: Int, _ socket: Int32, _ handle: OpaquePointer?
) {
    guard let context, let handle else { return }
    let bytes = Array(UnsafeRawBufferPointer(start: extra, count: extra == nil ? 0 : size))
    Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().handOver(
        socket, handle, extra: bytes)
}
