import CGnuTLS
import Glibc
import TLS

/// The GnuTLS session of one connection; for the loop's thread only, while the connection is open.
struct TLSSession {
    private let session: gnutls_session_t

    /// Nil for plain HTTP.
    init?(_ connection: LibraryConnection) {
        guard let session = connection.session else { return nil }
        self.session = session
    }

    /// Takes over reading and writing from libmicrohttpd, for an upgraded connection.
    ///
    /// The library would forward bytes through a socket pair. But 0.9.75 does so through eight bytes of memory, makes a
    /// record of every four, and never reports that the peer has closed. It still tries to read from the session; since
    /// that gets bytes only during reads of the returned object, it finds none.
    func records(on socket: Int32) -> TLSRecords { TLSRecords(of: session, on: socket) }

    /// Whether the handshake is finished.
    ///
    /// GnuTLS has no function for that, but the channel binding is available only after the handshake.
    var isEstablished: Bool {
        var binding = gnutls_datum_t()
        defer { free(binding.data) }
        return gnutls_session_channel_binding(session, GNUTLS_CB_TLS_SERVER_END_POINT, &binding)
            != GNUTLS_E_CHANNEL_BINDING_NOT_AVAILABLE
    }

    var hasReceived: Bool {
        var number: [UInt8] = Array(repeating: 0, count: 8)
        guard gnutls_record_get_state(session, 1, nil, nil, nil, &number) >= 0 else { return true }
        // In TLS 1.2 the last message of the handshake is counted as a record too.
        let own: UInt8 = gnutls_protocol_get_version(session) == GNUTLS_TLS1_2 ? 1 : 0
        return number.dropLast().contains { $0 != 0 } || number[7] > own
    }

    /// Sends bytes without waiting; what the socket does not take is lost.
    func send(_ bytes: UnsafeRawBufferPointer) {
        gnutls_record_send(session, bytes.baseAddress, bytes.count)
    }

    /// Whether there are decrypted bytes that the library has not read.
    var hasUnread: Bool { gnutls_record_check_pending(session) > 0 }
}
