import CGnuTLS
import CMicroHTTPD

/// libmicrohttpd's object for an open connection; for its loop's thread only.
struct LibraryConnection {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    var socket: Int32 { dbr_socket(pointer) }

    var peer: UnsafePointer<sockaddr>? { dbr_peer(pointer) }

    /// The object that `connectionChanged` has stored in the connection; nil before.
    var caller: Unmanaged<Connection>? { dbr_connection_context(pointer).map { .fromOpaque($0) } }

    /// The GnuTLS session, owned by the connection; nil for plain HTTP.
    var session: gnutls_session_t? { dbr_tls_session(pointer) }

    var headSize: Int { dbr_head_size(pointer) }

    var fieldCount: Int { Int(MHD_get_connection_values(pointer, .HEADER_KIND, nil, nil)) }

    /// Whether the request is a navigation, by the header fields parsed so far.
    var isForPage: Bool { dbr_is_for_page(pointer) != 0 }

    /// Passes a response to the library; if it returns false, the connection must be closed.
    func queue(_ response: LibraryResponse, status: Int) -> Bool {
        MHD_queue_response(pointer, UInt32(status), response.pointer) == .YES
    }

    func suspend() { MHD_suspend_connection(pointer) }

    /// The library continues with the connection in its next run.
    func resume() { MHD_resume_connection(pointer) }

    func setIdleSeconds(_ seconds: UInt32) { dbr_set_idle_seconds(pointer, seconds) }

    /// The bytes received from the peer and the bytes it has acknowledged, by the kernel's statistics; nil if unknown.
    static func traffic(of socket: Int32?) -> (received: UInt64, acknowledged: UInt64)? {
        guard let socket else { return nil }
        var traffic: (received: UInt64, acknowledged: UInt64) = (0, 0)
        return dbr_traffic(socket, &traffic.received, &traffic.acknowledged) == 0 ? traffic : nil
    }
}
