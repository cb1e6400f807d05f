import Curl
import MicroHTTPD

/// A connection of libcurl's as a tunnel has it.
final class EncryptedEnd: TunnelEnd {
    private let connection: EncryptedConnection

    init(_ connection: EncryptedConnection) { self.connection = connection }

    var descriptor: Int32 { connection.socket }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { connection.read(into: buffer) }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int { connection.write(bytes) }

    func finishSending() { connection.finishSending() }

    func close() { connection.close() }
}
