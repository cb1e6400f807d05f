import CCurl
import Glibc

/// A connection to another server that libcurl encrypts; on the client's thread.
///
/// For every call libcurl looks for it among all connections that it has: thousands of them at a time cost more than
/// so many without TLS.
package final class EncryptedConnection {
    /// The socket, to be watched; reading it is for libcurl.
    package let socket: Int32
    private let easy: Easy
    private let client: HTTPClient
    private var isClosed = false

    init(_ easy: Easy, _ socket: Int32, _ client: HTTPClient) {
        self.easy = easy
        self.socket = socket
        self.client = client
    }

    deinit { close() }

    /// Reads as `recv` does: -1 with `errno`, 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        switch curl_easy_recv(easy.handle, buffer.baseAddress, buffer.count, &count) {
        case CURLE_OK: return count
        case CURLE_AGAIN: errno = EAGAIN
        default: errno = EPROTO
        }
        return -1
    }

    /// Writes as `send` does.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        switch curl_easy_send(easy.handle, bytes.baseAddress, bytes.count, &count) {
        case CURLE_OK: return count
        case CURLE_AGAIN: errno = EAGAIN
        default: errno = EPROTO
        }
        return -1
    }

    /// Says that nothing more will be sent; libcurl cannot say it within TLS.
    package func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Closes the connection; it must not be watched any more.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        client.remove(easy)
    }
}
