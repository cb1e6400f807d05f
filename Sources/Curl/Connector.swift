import CCurl
import Glibc

/// Makes a connection on which the bytes are somebody else's business.
///
/// It is touched on the client's thread only.
package final class Connector {
    /// What was made.
    package enum Connection {
        /// A socket, which whoever gets it closes.
        case plain(Int32)
        case encrypted(EncryptedConnection)
    }

    private let origin: Origin
    private let host: String
    private let connectLimit: Int
    private let client: HTTPClient
    private let guardian: ((_ address: [UInt8], _ port: Int) throws(TransferError) -> Void)?
    private var easy: Easy?
    private var failure: TransferError?
    /// Kept until the end.
    private var completion: ((Result<Connection, TransferError>) -> Void)?

    /// Makes a connector.
    ///
    /// - Parameters:
    ///   - host: what the other side is called in errors.
    ///   - connectLimit: milliseconds.
    ///   - guardian: asked whether an address may be reached.
    package init(
        to origin: Origin, host: String, connectLimit: Int, on client: HTTPClient,
        guardian: ((_ address: [UInt8], _ port: Int) throws(TransferError) -> Void)? = nil
    ) {
        self.origin = origin
        self.host = host
        self.connectLimit = connectLimit
        self.client = client
        self.guardian = guardian
    }

    /// Connects, and says how that went, once, unless it is cancelled.
    package func start(_ completion: @escaping (Result<Connection, TransferError>) -> Void) {
        let easy = Easy(of: client)
        easy.setToConnect(origin, connectLimit: connectLimit)
        easy.user = self
        self.easy = easy
        self.completion = completion
        client.start(easy)
    }

    /// Gives up.
    package func cancel() {
        completion = nil
        guard let easy else { return }
        self.easy = nil
        client.remove(easy)
    }

    private func connected() -> Result<Connection, TransferError> {
        guard let easy else { return .failure(TransferError(.unreachable, "no connection")) }
        let socket = dbc_active_socket(easy.handle)
        client.unwatch(socket)
        if origin.isSecure { return .success(.encrypted(EncryptedConnection(easy, socket, client))) }
        // Libcurl closes its own, and knows nothing of the duplicate.
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        let code = errno
        client.remove(easy)
        guard own >= 0 else {
            return .failure(
                TransferError(.unreachable, "cannot connect to \(host): \(String(cString: strerror(code)))"))
        }
        return .success(.plain(own))
    }
}

extension Connector: EasyUser {
    var isGuarded: Bool { guardian != nil }

    func mayReach(_ address: [UInt8], port: Int) -> Bool {
        do {
            try guardian?(address, port)
            return true
        } catch {
            failure = error
            return false
        }
    }

    func isDone(_ code: CURLcode) {
        guard let easy, let completion else { return }
        self.completion = nil
        let result: Result<Connection, TransferError>
        if code == CURLE_OK {
            result = connected()
        } else {
            result = .failure(failure ?? easy.error(code, from: host))
            client.remove(easy)
        }
        self.easy = nil
        completion(result)
    }

    // Nothing is sent or received by libcurl itself.

    func receive(line: UnsafeRawBufferPointer) -> Bool { false }

    func receive(body: UnsafeRawBufferPointer) -> Bool { true }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? { 0 }

    func rewind(to offset: Int) -> Bool { false }

    func isPrepared(for address: [UInt8], port: Int) -> Bool { mayReach(address, port: port) }
}
