import EventLoop
import Glibc

/// Makes a connection to a server.
///
/// It reads certificates and looks up the name where needed, tries the addresses by "happy eyeballs" (RFC 8305), and
/// does the TLS handshake. It belongs to its loop's thread.
final class Connecting: Loop.Guest, Sendable {
    /// How long one address may take before the next is tried beside it, in milliseconds (RFC 8305, section 5).
    private static let attemptDelay = 250
    /// How soon a Unix socket is tried again whose server has a full queue, in milliseconds.
    private static let queueDelay = 10

    private enum Stage {
        /// Certificates are being read, or the name is being looked up.
        case preparing
        case dialling(Dialling)
        case handshaking(TLSSession, WatchedSocket, SocketAddress)
        case over
    }

    /// The addresses and the attempts to connect to them.
    private struct Dialling {
        var untried: ArraySlice<SocketAddress>
        var attempts: [(socket: WatchedSocket, address: SocketAddress)] = []
        /// When the next address is tried, whatever the others do.
        var nextTry = 0
        /// Why the last address failed.
        var problem: TransferError
    }

    private struct State {
        var stage = Stage.preparing
        var certificates: TrustedCertificates?
        var completion: ((Result<ClientConnection, TransferError>) -> Void)?
    }

    private let origin: Origin
    private let name: String
    private let limit: Int
    private let due: Int
    private let guardian: Transfer.Guardian?
    private let loop: Loop
    private let pool: ConnectionPool
    private let own: LoopBound<State>

    /// Prepares a connection.
    ///
    /// - Parameters:
    ///   - name: the server's name in errors.
    ///   - limit: how many milliseconds all of it may take.
    ///   - guardian: called before each address is tried; throws for one that is not allowed.
    init(
        to origin: Origin, name: String, limit: Int, guardian: Transfer.Guardian?, on loop: Loop,
        for pool: ConnectionPool
    ) {
        self.origin = origin
        self.name = name
        self.limit = limit
        self.guardian = guardian
        self.loop = loop
        self.pool = pool
        due = Loop.now + limit
        own = LoopBound(State(), to: loop)
    }

    /// Connects, and calls back once with the result, unless it is cancelled.
    func start(_ completion: @escaping (Result<ClientConnection, TransferError>) -> Void) {
        own.value.completion = completion
        loop.setTimer(for: self, in: limit)
        guard let trust = origin.trust else { return resolve() }
        TrustedCertificates.get(trust) { result in
            self.loop.perform { self.got(result) }
        }
    }

    /// Cancels it, without a callback.
    func cancel() { end() }

    private func got(_ certificates: Result<TrustedCertificates, TransferError>) {
        guard case .preparing = own.value.stage else { return }
        switch certificates {
        case .success(let certificates):
            own.value.certificates = certificates
            resolve()
        case .failure(let error): finish(.failure(error))
        }
    }

    private func resolve() {
        switch origin.place {
        case .socket(let path):
            guard let address = SocketAddress(path: path) else {
                let problem = "\(path) is longer than the path of a socket may be; move it, or link to it"
                return finish(.failure(TransferError(.unreachable, problem)))
            }
            dial([address])
        case .host(let host, let port):
            if let known = Names.known(host, port: port) { return dial(known) }
            Names.shared.addresses(of: host, port: port) { answer in
                self.loop.perform { self.found(answer) }
            }
        }
    }

    private func found(_ answer: Names.Answer) {
        guard case .preparing = own.value.stage else { return }
        switch answer {
        case .success(let addresses): dial(addresses)
        case .failure(let error): finish(.failure(error))
        }
    }

    // MARK: Dialling

    private func dial(_ addresses: [SocketAddress]) {
        let problem = TransferError(.unreachable, "\(name) has no address that can be connected to")
        own.value.stage = .dialling(
            Dialling(untried: Self.inTurns(addresses)[...], problem: problem))
        tryNext()
    }

    /// The addresses with alternating families, and else in their order (RFC 8305, section 4).
    static func inTurns(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        var (same, other) = (
            addresses.filter { $0.family == first.family }[...],
            addresses.filter { $0.family != first.family }[...]
        )
        var all: [SocketAddress] = []
        while !same.isEmpty || !other.isEmpty {
            if let next = same.popFirst() { all.append(next) }
            if let next = other.popFirst() { all.append(next) }
        }
        return all
    }

    private func tryNext() {
        guard case .dialling(var dialling) = own.value.stage else { return }
        while let address = dialling.untried.popFirst() {
            do {
                try guardian?(address.bytes, address.port)
            } catch {
                dialling.problem = error
                continue
            }
            switch begin(address) {
            case .success(let socket):
                dialling.attempts.append((socket, address))
                dialling.nextTry = Loop.now + Self.attemptDelay
                own.value.stage = .dialling(dialling)
                return setTimer()
            case .failure(EAGAIN) where address.family == AF_UNIX:
                // The server's queue is full. With TCP the system tries again itself, with a Unix socket it does not.
                dialling.untried = [address]
                dialling.nextTry = Loop.now + Self.queueDelay
                own.value.stage = .dialling(dialling)
                return setTimer()
            case .failure(let code): dialling.problem = refusal(code)
            }
        }
        own.value.stage = .dialling(dialling)
        if dialling.attempts.isEmpty { finish(.failure(dialling.problem)) }
    }

    private enum Begun {
        case success(WatchedSocket)
        case failure(Int32)
    }

    private func begin(_ address: SocketAddress) -> Begun {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(address.family, kind, 0)
        guard descriptor >= 0 else { return .failure(errno) }
        let socket = WatchedSocket(descriptor, on: loop)
        let code = address.connect(descriptor)
        guard code == 0 || code == EINPROGRESS else {
            socket.close()
            return .failure(code)
        }
        if address.family != AF_UNIX {
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        }
        do {
            // A socket that is connected already is writable too, so the loop tells of it in either case.
            try socket.watch(for: .writable, self)
        } catch {
            socket.close()
            return .failure(EMFILE)
        }
        return .success(socket)
    }

    private func refusal(_ code: Int32) -> TransferError {
        TransferError(.unreachable, "cannot connect to \(name): \(String(cString: strerror(code)))")
    }

    private func dialled(_ descriptor: Int32) {
        guard case .dialling(var dialling) = own.value.stage,
            let place = dialling.attempts.firstIndex(where: { $0.socket.descriptor == descriptor })
        else { return }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        let (socket, address) = dialling.attempts.remove(at: place)
        guard code == 0 else {
            socket.close()
            dialling.problem = refusal(code)
            own.value.stage = .dialling(dialling)
            return tryNext()
        }
        for (socket, _) in dialling.attempts { socket.close() }
        guard case .host(let host, _) = origin.place, let certificates = own.value.certificates else {
            return finish(connection(Transport(descriptor, nil), socket, address))
        }
        do {
            let session = try TLSSession(descriptor, host: host, certificates)
            own.value.stage = .handshaking(session, socket, address)
            setTimer()
            shakeHands()
        } catch {
            socket.close()
            finish(.failure(error))
        }
    }

    // MARK: TLS handshake

    private func shakeHands() {
        guard case .handshaking(let session, let socket, let address) = own.value.stage else { return }
        do {
            switch session.handshake() {
            case .done:
                finish(connection(Transport(socket.descriptor, session), socket, address))
            case .wantsToRead: try socket.watch(for: .readable, self)
            case .wantsToWrite: try socket.watch(for: .writable, self)
            case .failed(let why):
                socket.close()
                finish(.failure(TransferError(.unreachable, "no trusted connection to \(name): \(why)")))
            }
        } catch {
            socket.close()
            finish(.failure(TransferError(.unreachable, "\(error)")))
        }
    }

    private func connection(
        _ transport: Transport, _ socket: WatchedSocket, _ address: SocketAddress
    ) -> Result<ClientConnection, TransferError> {
        do {
            return .success(
                try ClientConnection(transport, socket, to: origin, at: address, on: loop, for: pool))
        } catch {
            socket.close()
            return .failure(TransferError(.unreachable, "\(error)"))
        }
    }

    // MARK: For the loop

    func ready(_ socket: Int32, _ readiness: Readiness) {
        switch own.value.stage {
        case .dialling: dialled(socket)
        case .handshaking: shakeHands()
        case .preparing, .over: break
        }
    }

    func timeIsUp() {
        guard Loop.now < due else { return finish(.failure(.noConnection(to: name, within: limit))) }
        if case .dialling(let dialling) = own.value.stage, !dialling.untried.isEmpty,
            Loop.now >= dialling.nextTry
        {
            tryNext()
        } else {
            setTimer()
        }
    }

    private func setTimer() {
        var next = due
        if case .dialling(let dialling) = own.value.stage, !dialling.untried.isEmpty {
            next = min(due, dialling.nextTry)
        }
        loop.setTimer(for: self, in: max(1, next - Loop.now))
    }

    // MARK: The end

    private func finish(_ result: Result<ClientConnection, TransferError>) {
        // The socket belongs to the new connection now, and `end()` must not close it.
        if case .success = result { own.value.stage = .over }
        let completion = end()
        completion?(result)
    }

    @discardableResult
    private func end() -> ((Result<ClientConnection, TransferError>) -> Void)? {
        switch own.value.stage {
        case .dialling(let dialling): for (socket, _) in dialling.attempts { socket.close() }
        case .handshaking(_, let socket, _): socket.close()
        case .preparing, .over: break
        }
        own.value.stage = .over
        loop.setTimer(for: self, in: nil)
        defer { own.value.completion = nil }
        return own.value.completion
    }
}
