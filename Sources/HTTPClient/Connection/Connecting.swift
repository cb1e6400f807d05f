import EventLoop
import Glibc
import TLS

/// Opens a connection to a server: reads certificates and looks up the host if needed, tries its addresses one after
/// another, and does the TLS handshake.
///
/// For its loop's thread only. The socket is closed with its last owner: a stage, or the new connection.
final class Connecting: Loop.Guest, Sendable {
    /// The time in milliseconds for one address if others are left; that is enough for TCP to repeat its first packet
    /// once; more would delay every connection to a host with an unreachable address.
    private static let addressLimit = 2000
    /// The delay in milliseconds before another attempt, if the queue of a Unix socket's server is full.
    private static let queueDelay = 10

    /// The data needed before a socket is made.
    private typealias Preparation = (certificates: TrustedCertificates?, addresses: [SocketAddress])

    private enum Stage {
        case preparing
        case dialling(WatchedSocket, SocketAddress)
        case handshaking(ClientTLSSession, WatchedSocket, SocketAddress)
        case over
    }

    private struct State {
        var stage = Stage.preparing
        var certificates: TrustedCertificates?
        var untried: ArraySlice<SocketAddress> = []
        var problem: TransferError
        var completion: ((Result<ClientConnection, TransferError>) -> Void)?
    }

    private let request: TransferRequest
    private let guardian: Transfer.Guardian?
    private let due: Int
    private let loop: Loop
    private let own: LoopBound<State>

    /// - Parameter guardian: called with each address before it is tried; throws for a forbidden one.
    init(for request: TransferRequest, _ guardian: Transfer.Guardian?, on client: HTTPClient) {
        self.request = request
        self.guardian = guardian
        due = Loop.now + request.connectLimit
        let problem = TransferError(.unreachable, "\(request.host) has no address that can be connected to")
        loop = client.loop
        own = LoopBound(State(problem: problem), to: loop)
    }

    private var origin: Origin { request.origin }

    /// Connects, and calls back once with the result; never after ``cancel()``.
    func start(_ completion: @escaping (Result<ClientConnection, TransferError>) -> Void) {
        own.value.completion = completion
        loop.setTimer(for: self, in: request.connectLimit)
        let prepare = { @Sendable [origin] () throws(TransferError) -> Preparation in
            (try origin.trust.map(TrustedCertificates.of), try origin.place.addresses())
        }
        if origin.place.isKnown, origin.trust.map(TrustedCertificates.isKnown) ?? true {
            dial(Result(catching: prepare))
        } else {
            BlockingCalls.run(prepare) { result in self.loop.perform { self.dial(result) } }
        }
    }

    func cancel() {
        own.value.stage = .over
        own.value.completion = nil
        loop.setTimer(for: self, in: nil)
    }

    private func finish(_ result: Result<ClientConnection, TransferError>) {
        let completion = own.value.completion
        cancel()
        completion?(result)
    }

    private func attempt(_ step: () throws -> Void) {
        do {
            try step()
        } catch {
            finish(.failure(error as? TransferError ?? TransferError(.unreachable, "\(error)")))
        }
    }

    private func dial(_ preparation: Result<Preparation, TransferError>) {
        guard case .preparing = own.value.stage else { return }
        attempt {
            let (certificates, addresses) = try preparation.get()
            own.value.certificates = certificates
            own.value.untried = addresses[...]
            try tryNext()
        }
    }

    private func tryNext() throws {
        while let address = own.value.untried.popFirst() {
            do throws(TransferError) {
                try guardian?(address.bytes, address.port)
                guard let socket = try begin(address) else {
                    own.value.untried = [address]
                    return setTimer(in: Self.queueDelay)
                }
                own.value.stage = .dialling(socket, address)
                let others = own.value.untried.count
                let left = due - Loop.now
                return setTimer(in: others == 0 ? left : min(left / (others + 1), Self.addressLimit))
            } catch {
                own.value.problem = error
            }
        }
        throw own.value.problem
    }

    /// Starts connecting to an address; nil for a Unix socket whose server has a full queue: unlike TCP, it is not
    /// retried by the kernel.
    private func begin(_ address: SocketAddress) throws(TransferError) -> WatchedSocket? {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(address.family, kind, 0)
        guard descriptor >= 0 else { throw refusal(errno) }
        let socket = WatchedSocket(descriptor, on: loop)
        let code = address.connect(descriptor)
        if code == EAGAIN, address.family == AF_UNIX { return nil }
        guard code == 0 || code == EINPROGRESS else { throw refusal(code) }
        if address.family != AF_UNIX {
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        }
        do {
            // A socket that is connected already is writable too, so the loop reports it in both cases.
            try socket.watch(for: .writable, self)
        } catch {
            throw refusal(EMFILE)
        }
        return socket
    }

    private func refusal(_ code: Int32) -> TransferError {
        TransferError(.unreachable, "cannot connect to \(request.host): \(String(cString: strerror(code)))")
    }

    private func dialled(_ socket: WatchedSocket, _ address: SocketAddress) throws {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else {
            own.value.problem = refusal(code)
            return try tryNext()
        }
        guard case .host(let host, _) = origin.place, let certificates = own.value.certificates else {
            return try connected(Transport(socket.descriptor), socket, address)
        }
        let session = try ClientTLSSession(socket.descriptor, host: host, certificates)
        own.value.stage = .handshaking(session, socket, address)
        setTimer(in: due - Loop.now)
        try shakeHands(session, socket, address)
    }

    private func shakeHands(
        _ session: ClientTLSSession, _ socket: WatchedSocket, _ address: SocketAddress
    ) throws {
        switch session.handshake() {
        case .done:
            let transport = Transport(socket.descriptor, session.records, of: session)
            try connected(transport, socket, address)
        case .wantsToRead: try socket.watch(for: .readable, self)
        case .wantsToWrite: try socket.watch(for: .writable, self)
        case .failed(let why):
            throw TransferError(.unreachable, "no trusted connection to \(request.host): \(why)")
        }
    }

    private func connected(
        _ transport: Transport, _ socket: WatchedSocket, _ address: SocketAddress
    ) throws {
        let connection = try ClientConnection(
            transport, socket, to: origin, at: address, on: loop)
        finish(.success(connection))
    }

    // MARK: For the loop

    func ready(_ socket: Int32, _ readiness: Readiness) {
        attempt {
            switch own.value.stage {
            case .dialling(let socket, let address): try dialled(socket, address)
            case .handshaking(let session, let socket, let address):
                try shakeHands(session, socket, address)
            case .preparing, .over: break
            }
        }
    }

    func timeIsUp() {
        guard Loop.now < due else {
            let limit = Duration.milliseconds(request.connectLimit)
            let problem = "\(request.host) accepted no connection within \(limit)"
            return finish(.failure(TransferError(.late, problem)))
        }
        // The timer fires before `due` only if there is another address to try.
        attempt(tryNext)
    }

    private func setTimer(in milliseconds: Int) {
        loop.setTimer(for: self, in: max(1, min(milliseconds, due - Loop.now)))
    }
}

extension Origin.Place {
    /// Whether its addresses are known without a lookup: a socket path, an IP address, or `localhost`.
    fileprivate var isKnown: Bool {
        switch self {
        case .socket: true
        case .host(let name, let port): SocketAddress.known(name, port: port) != nil
        }
    }

    /// Its addresses; blocks for a lookup if they are not known.
    fileprivate func addresses() throws(TransferError) -> [SocketAddress] {
        switch self {
        case .socket(let path):
            if let address = SocketAddress(path: path) { return [address] }
            let problem = "\(path) is too long for the path of a Unix socket; move the socket, or link to it"
            throw TransferError(.unreachable, problem)
        case .host(let name, let port):
            if let known = SocketAddress.known(name, port: port) { return known }
            return try SocketAddress.lookUp(name, port: port)
        }
    }
}
