import CGnuTLS
import Glibc

/// The encryption of a client's connection; it trusts everybody.
final class SecureSession {
    private var session: gnutls_session_t?
    private var credentials: gnutls_certificate_credentials_t?

    /// Agrees on keys over a connected socket.
    ///
    /// - Parameter inPieces: every message in many small ones, with pauses.
    init(_ descriptor: Int32, _ priorities: String, inPieces: Bool = false) throws {
        gnutls_certificate_allocate_credentials(&credentials)
        gnutls_init(&session, UInt32(GNUTLS_CLIENT.rawValue) | UInt32(GNUTLS_NO_SIGNAL.rawValue))
        try check("priorities", gnutls_priority_set_direct(session, priorities, nil))
        gnutls_credentials_set(
            session, GNUTLS_CRD_CERTIFICATE, credentials.map { UnsafeMutableRawPointer($0) })
        gnutls_transport_set_int2(session, descriptor, descriptor)
        if inPieces { gnutls_transport_set_push_function(session, sendPiece) }
        var code: Int32
        repeat {
            code = gnutls_handshake(session)
        } while code < 0 && code != GNUTLS_E_AGAIN
            && gnutls_error_is_fatal(code) == 0
        try check("handshake", code)
    }

    deinit {
        gnutls_deinit(session)
        gnutls_certificate_free_credentials(credentials)
    }

    /// The version that was agreed on.
    var version: String {
        gnutls_protocol_get_name(gnutls_protocol_get_version(session)).map { String(cString: $0) } ?? ""
    }

    /// Sends what fits one record, and returns how much that was.
    func send(_ bytes: ArraySlice<UInt8>) throws -> Int {
        var count = bytes.withUnsafeBytes { gnutls_record_send(session, $0.baseAddress, $0.count) }
        // It says so for a peer that has just gone, too; the record is in its buffer by now.
        if count == Int(GNUTLS_E_AGAIN) { count = gnutls_record_send(session, nil, 0) }
        try check("send", Int32(clamping: count))
        return count
    }

    /// Reads into the front of `piece`; 0 at the end.
    func receive(_ piece: inout [UInt8]) throws -> Int {
        var count: Int
        repeat {
            count = gnutls_record_recv(session, &piece, piece.count)
        } while count < 0
            && count != GNUTLS_E_AGAIN && gnutls_error_is_fatal(Int32(count)) == 0
        try check("recv", Int32(clamping: count))
        return count
    }

    /// Says that nothing more will be sent.
    func finishSending() { gnutls_bye(session, GNUTLS_SHUT_WR) }

    private func check(_ action: String, _ code: Int32) throws {
        switch code {
        case 0...: break
        case GNUTLS_E_AGAIN, GNUTLS_E_TIMEDOUT: throw RawClient.Failure.timeout
        // The server has gone without a word.
        case GNUTLS_E_PREMATURE_TERMINATION, GNUTLS_E_PULL_ERROR, GNUTLS_E_PUSH_ERROR,
            GNUTLS_E_INVALID_SESSION:
            throw RawClient.Failure.system(action, ECONNRESET)
        default: throw RawClient.Failure.malformed("\(action): \(String(cString: gnutls_strerror(code)))")
        }
    }
}

/// Sends a few bytes of what GnuTLS has.
private func sendPiece(_ socket: gnutls_transport_ptr_t?, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    usleep(2_000)
    return send(Int32(Int(bitPattern: socket)), bytes, min(count, 40), Int32(MSG_NOSIGNAL))
}
