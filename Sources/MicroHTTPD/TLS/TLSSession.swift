import CGnuTLS
import Glibc
import TLS

/// The encryption of one connection, for a look at it; on the loop's thread, and while the connection is there.
struct TLSSession {
    private let session: gnutls_session_t

    /// Nil for plain HTTP.
    init?(_ connection: LibraryConnection) {
        guard let session = connection.session else { return nil }
        self.session = session
    }

    /// Its records, which are read and written past the library from now on.
    func records(on socket: Int32) -> TLSRecords { TLSRecords(of: session, on: socket) }

    /// True once the handshake is over.
    ///
    /// GnuTLS has no question for that. But this one it cannot answer before, and afterwards it says another thing.
    var isEstablished: Bool {
        var binding = gnutls_datum_t()
        defer { free(binding.data) }
        return gnutls_session_channel_binding(session, GNUTLS_CB_TLS_SERVER_END_POINT, &binding)
            != GNUTLS_E_CHANNEL_BINDING_NOT_AVAILABLE
    }

    /// True when a record has come since the handshake.
    var hasReceived: Bool {
        var number: [UInt8] = Array(repeating: 0, count: 8)
        guard gnutls_record_get_state(session, 1, nil, nil, nil, &number) >= 0 else { return true }
        // In 1.2 the handshake's last message is a record of the same numbering.
        let own: UInt8 = gnutls_protocol_get_version(session) == GNUTLS_TLS1_2 ? 1 : 0
        return number.dropLast().contains { $0 != 0 } || number[7] > own
    }

    /// Sends bytes that must not wait.
    func send(_ bytes: UnsafeRawBufferPointer) {
        gnutls_record_send(session, bytes.baseAddress, bytes.count)
    }

    /// True while there are decrypted bytes that the library has not read.
    var hasUnread: Bool { gnutls_record_check_pending(session) > 0 }
}
