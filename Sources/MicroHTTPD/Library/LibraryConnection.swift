import CGnuTLS
import CMicroHTTPD
import Glibc

/// The library's object for one connection, while that is open; used on its loop's thread.
struct LibraryConnection {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    var socket: Int32 { dbr_socket(pointer) }

    var peer: UnsafePointer<sockaddr>? { dbr_peer(pointer) }

    /// The object that `connectionChanged` has attached to it; nil before that.
    var caller: Unmanaged<Connection>? { dbr_connection_context(pointer).map { .fromOpaque($0) } }

    /// The session of GnuTLS, which the connection owns; nil for plain HTTP.
    var session: gnutls_session_t? { dbr_tls_session(pointer) }

    /// Bytes of the head that is being read.
    var headSize: Int { dbr_head_size(pointer) }

    /// How many header fields the library has found in it.
    var fieldCount: Int { Int(MHD_get_connection_values(pointer, .HEADER_KIND, nil, nil)) }

    /// Whether the head, as far as it was read, says that a browser waits for a page.
    var isForPage: Bool { dbr_is_for_page(pointer) != 0 }

    /// Hands the library an answer; returns false where it does not take it, and the connection must close.
    func queue(_ response: LibraryResponse, status: Int) -> Bool {
        MHD_queue_response(pointer, UInt32(status), response.pointer) == .YES
    }

    /// Lets the library leave it alone until ``resume()``.
    func suspend() { MHD_suspend_connection(pointer) }

    /// Lets the library go on with it, in its next run.
    func resume() { MHD_resume_connection(pointer) }

    /// How long the library lets it be silent.
    func setIdleSeconds(_ seconds: UInt32) { dbr_set_idle_seconds(pointer, seconds) }

    /// How many bytes the peer of a socket has sent, and how many it has acknowledged.
    static func traffic(of socket: Int32?) -> (received: UInt64, acknowledged: UInt64)? {
        guard let socket else { return nil }
        var traffic: (received: UInt64, acknowledged: UInt64) = (0, 0)
        return dbr_traffic(socket, &traffic.received, &traffic.acknowledged) == 0 ? traffic : nil
    }
}
