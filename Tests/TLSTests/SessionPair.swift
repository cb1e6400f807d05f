import CGnuTLS
import Glibc
import TLS

/// Two TLS sessions on the ends of a pair of sockets; ours is read and written by `TLSRecords`.
///
/// They know each other without certificates: by nobody's keys (1.2), or by a key that both have (1.3).
final class SessionPair {
    struct Failure: Error { let message: String }

    enum Version: CaseIterable {
        case tls12, tls13

        fileprivate var priorities: String {
            switch self {
            case .tls12: "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+ANON-ECDH"
            case .tls13: "NORMAL:-VERS-ALL:+VERS-TLS1.3:-KX-ALL:+ECDHE-PSK:+PSK"
            }
        }
    }

    let records: TLSRecords
    /// The session that `records` reads.
    let ours: gnutls_session_t
    let theirs: gnutls_session_t
    /// The socket of `records`.
    let socket: Int32
    private(set) var theirSocket: Int32
    private let keys = Keys()

    /// - Parameter isConnected: false for sessions that have not agreed on keys yet.
    init(_ version: Version, isConnected: Bool = true) throws {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Failure(message: "no sockets") }
        (socket, theirSocket) = (ends[0], ends[1])
        ours = try Self.session(UInt32(GNUTLS_CLIENT.rawValue), version)
        theirs = try Self.session(UInt32(GNUTLS_SERVER.rawValue), version)
        try keys.set(on: ours, theirs, version)
        gnutls_transport_set_int2(theirs, theirSocket, theirSocket)
        records = TLSRecords(of: ours, on: socket)
        if isConnected { try connect() }
    }

    deinit {
        gnutls_deinit(ours)
        gnutls_deinit(theirs)
        close(socket)
        if theirSocket >= 0 { close(theirSocket) }
    }

    private static func session(_ role: UInt32, _ version: Version) throws -> gnutls_session_t {
        var session: gnutls_session_t?
        let flags = UInt32(GNUTLS_NONBLOCK.rawValue) | UInt32(GNUTLS_NO_SIGNAL.rawValue)
        gnutls_init(&session, role | flags)
        guard let session, gnutls_priority_set_direct(session, version.priorities, nil) == 0 else {
            throw Failure(message: "this GnuTLS does not have \(version.priorities)")
        }
        return session
    }

    /// Lets both take their steps in turn until they have agreed.
    private func connect() throws {
        var (our, their) = (Int32(GNUTLS_E_AGAIN), Int32(GNUTLS_E_AGAIN))
        for _ in 0..<100 where our != 0 || their != 0 {
            if our != 0 { our = records.whileReading { gnutls_handshake(ours) } }
            if their != 0 { their = gnutls_handshake(theirs) }
            for code in [our, their] where code < 0 && gnutls_error_is_fatal(code) != 0 {
                throw Failure(message: String(cString: gnutls_strerror(code)))
            }
        }
        guard our == 0, their == 0 else { throw Failure(message: "the handshake does not end") }
    }

    // MARK: Ours

    /// What one reading gives, or the error of the system.
    func read(atMost limit: Int = 64 << 10) -> Result<[UInt8], Errno> {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = bytes.withUnsafeMutableBytes { records.read(into: $0) }
        return count < 0 ? .failure(Errno(number: errno)) : .success(Array(bytes[..<count]))
    }

    /// How much one writing takes, or the error of the system.
    func write(_ bytes: ArraySlice<UInt8>) -> Result<Int, Errno> {
        let count = bytes.withUnsafeBytes { records.write($0) }
        return count < 0 ? .failure(Errno(number: errno)) : .success(count)
    }

    /// A number that the system says what failed by.
    struct Errno: Error, Equatable { let number: Int32 }

    // MARK: Theirs

    /// Sends a record to us.
    func theySend(_ text: String) {
        let bytes = Array(text.utf8)
        _ = gnutls_record_send(theirs, bytes, bytes.count)
    }

    /// Sends records to us that have no bytes.
    func theySendEmptyRecords(_ count: Int) {
        for _ in 0..<count { gnutls_alert_send(theirs, GNUTLS_AL_WARNING, GNUTLS_A_NO_RENEGOTIATION) }
    }

    /// All that they have got so far.
    func theyReceive() -> [UInt8] {
        var (all, piece) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
        while case let count = gnutls_record_recv(theirs, &piece, piece.count), count > 0 {
            all += piece[..<count]
        }
        return all
    }

    /// Closes their socket, without TLS's own word for it.
    func theyLeave() {
        close(theirSocket)
        theirSocket = -1
    }
}

/// What two sessions know each other by.
private final class Keys {
    private var ourAnonymous: gnutls_anon_client_credentials_t?
    private var theirAnonymous: gnutls_anon_server_credentials_t?
    private var ourShared: gnutls_psk_client_credentials_t?
    private var theirShared: gnutls_psk_server_credentials_t?

    deinit {
        if let ourAnonymous { gnutls_anon_free_client_credentials(ourAnonymous) }
        if let theirAnonymous { gnutls_anon_free_server_credentials(theirAnonymous) }
        if let ourShared { gnutls_psk_free_client_credentials(ourShared) }
        if let theirShared { gnutls_psk_free_server_credentials(theirShared) }
    }

    func set(
        on ours: gnutls_session_t, _ theirs: gnutls_session_t, _ version: SessionPair.Version
    ) throws {
        switch version {
        case .tls12:
            gnutls_anon_allocate_client_credentials(&ourAnonymous)
            gnutls_anon_allocate_server_credentials(&theirAnonymous)
            gnutls_credentials_set(ours, GNUTLS_CRD_ANON, ourAnonymous.map { UnsafeMutableRawPointer($0) })
            gnutls_credentials_set(
                theirs, GNUTLS_CRD_ANON, theirAnonymous.map { UnsafeMutableRawPointer($0) })
        case .tls13:
            gnutls_psk_allocate_client_credentials(&ourShared)
            gnutls_psk_allocate_server_credentials(&theirShared)
            var key = Array("00112233445566778899aabbccddeeff".utf8)
            let code = key.withUnsafeMutableBufferPointer { key in
                var datum = gnutls_datum_t(data: key.baseAddress, size: UInt32(key.count))
                return gnutls_psk_set_client_credentials(ourShared, "we", &datum, GNUTLS_PSK_KEY_HEX)
            }
            guard code == 0 else { throw SessionPair.Failure(message: "no shared key") }
            gnutls_psk_set_server_credentials_function(theirShared) { _, _, key in
                // GnuTLS frees it.
                let bytes = (0..<16).map { UInt8($0 * 0x11) }
                guard let copy = malloc(bytes.count) else { return -1 }
                memcpy(copy, bytes, bytes.count)
                key?.pointee = gnutls_datum_t(
                    data: copy.assumingMemoryBound(to: UInt8.self), size: UInt32(bytes.count))
                return 0
            }
            gnutls_credentials_set(ours, GNUTLS_CRD_PSK, ourShared.map { UnsafeMutableRawPointer($0) })
            gnutls_credentials_set(theirs, GNUTLS_CRD_PSK, theirShared.map { UnsafeMutableRawPointer($0) })
        }
    }
}
