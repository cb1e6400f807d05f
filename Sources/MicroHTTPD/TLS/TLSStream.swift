import Glibc
import TLS

/// The encrypted connection behind an upgrade; on the loop's thread, and until the library is told to close it.
///
/// libmicrohttpd would forward between the connection and a pair of sockets. But 0.9.75 does that through eight bytes
/// of memory, each four a record of its own, and never says that the peer has gone. It does it by reading from the
/// session: so the session has bytes only for who asks here, and the library finds none, and forwards nothing.
final class TLSStream: TunnelEnd {
    let connection: Connection
    private let upgrade: LibraryConnection.Upgrade
    /// The connection keeps this as long as the session may ask for bytes.
    private let records: TLSRecords

    /// - Parameter upgrade: what the library is told by that it may close.
    init?(_ connection: Connection, _ upgrade: LibraryConnection.Upgrade) {
        guard let session = TLSSession(connection.handle) else { return nil }
        self.connection = connection
        self.upgrade = upgrade
        records = session.records(on: connection.socket)
        connection.stream = self
    }

    var descriptor: Int32 { connection.socket }

    /// What is decrypted, and would be found by the library.
    func pending() -> [UInt8] { records.pending() }

    /// Reads a record, for which there must be room, as `recv` reads.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { records.read(into: buffer) }

    /// Sends what fits a record, as `send` does; what was not taken must come again.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int { records.write(bytes) }

    /// Says that nothing more will be sent.
    func finishSending() {
        records.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Lets the library close it, in one of its next runs.
    func close() { upgrade.end() }
}
