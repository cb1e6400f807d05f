import EventLoop
import Glibc

extension Exchange {
    /// Called by the library when the 101 was sent.
    ///
    /// - Parameters:
    ///   - socket: the connection, or under TLS the end of a pair.
    ///   - upgrade: by which the library is told to close it.
    ///   - extra: the bytes that came behind the request.
    func handOver(_ socket: Int32, _ upgrade: LibraryConnection.Upgrade, extra: [UInt8]) {
        guard let upgrading = takeUpgrade() else {
            upgrade.end()
            return
        }
        let caller = handedOver()
        if let stream = TLSStream(caller, upgrade) {
            return worker.upgrades.add(upgrading, .encrypted(stream), extra: extra + stream.pending())
        }
        // The library forgets the connection with its memory, and the duplicate stays.
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        let error = SystemError("cannot keep the connection")
        upgrade.end()
        loop.setRunDue()
        guard own >= 0 else { return upgrading.abort("\(error)") }
        worker.upgrades.add(upgrading, .own(PlainEnd(own)), extra: extra)
    }
}
