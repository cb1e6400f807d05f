import CGnuTLS
import Glibc
import TLS

/// The GnuTLS session of one connection; used on the loop's thread, and while the connection is open.
struct TLSSession {
    private let session: gnutls_session_t

    /// Nil for plain HTTP.
    init?(_ connection: LibraryConnection) {
        guard let session = connection.session else { return nil }
        self.session = session
    }

    /// Its records, which from now on are read and written without the library.
    ///
    /// libmicrohttpd would forward between the connection and a pair of sockets. But 0.9.75 does that through eight
    /// bytes of memory, each four a record of its own, and never says that the peer has gone. It would read from the
    /// session: so the session gets bytes only during reads of this object, and the library finds none to forward.
    func records(on socket: Int32) -> TLSRecords { TLSRecords(of: session, on: socket) }

    /// True once the handshake is over.
    ///
    /// GnuTLS has no function for that. But the channel binding is unavailable before, and not afterwards.
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
        // In TLS 1.2 the handshake's last message counts as a record too.
        let own: UInt8 = gnutls_protocol_get_version(session) == GNUTLS_TLS1_2 ? 1 : 0
        return number.dropLast().contains { $0 != 0 } || number[7] > own
    }

    /// Sends bytes at once, or not at all.
    func send(_ bytes: UnsafeRawBufferPointer) {
        gnutls_record_send(session, bytes.baseAddress, bytes.count)
    }

    /// True while there are decrypted bytes that the library has not read.
    var hasUnread: Bool { gnutls_record_check_pending(session) > 0 }
}
