import EventLoop
import Glibc
import TLS

/// The encrypted connection behind an upgrade; on the loop's thread, and until the library is told to close it.
///
/// libmicrohttpd would forward between the connection and a pair of sockets. But 0.9.75 does that through eight bytes
/// of memory, each four a record of its own, and never says that the peer has gone. It would read from the session:
/// so the session gets bytes only during reads of this object, and the library finds none to forward.
final class TLSStream: TunnelEnd {
    let connection: Connection
    private let upgrade: LibraryConnection.Upgrade
    /// The session calls it for bytes, so the connection holds the stream as long as it may.
    private let records: TLSRecords

    /// - Parameter upgrade: by which the library is told to close the connection.
    init?(_ connection: Connection, _ upgrade: LibraryConnection.Upgrade) {
        guard let session = TLSSession(connection.handle) else { return nil }
        self.connection = connection
        self.upgrade = upgrade
        records = session.records(on: connection.socket)
        connection.own.value.stream = self
    }

    var descriptor: Int32 { connection.socket }

    /// Takes the bytes that are decrypted already, which the library would find.
    func pending() -> [UInt8] { records.pending() }

    /// Reads a record, for which there must be room, as `recv` reads.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { records.read(into: buffer) }

    /// Sends as many bytes as fit a record, as `send` does; bytes that were not taken must come again.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int { records.write(bytes) }

    func finishSending() {
        records.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Lets the library close it, in one of its next runs.
    func close() { upgrade.end() }
}
