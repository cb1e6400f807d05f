import Glibc
import TLS

/// One client connection over all its requests; its state belongs to its loop.
final class Connection: Loop.Guest {
    /// The phase that the connection is in; it selects the time limit.
    enum Stage {
        case handshake
        /// Between two requests. `received` is the byte count at the last check, nil before the first check.
        case idle(received: UInt64?)
        case head
        /// Receiving a request body; `count` bytes have arrived.
        case body(count: Int)
        /// Sending a response of known length. `acknowledged`: bytes at the last check, nil before the first.
        case sending(acknowledged: UInt64?)
        /// The engine or a handler is working, so there is no time limit for the client.
        case busy
    }

    /// libmicrohttpd's object, valid while the connection is open.
    let handle: LibraryConnection
    let socket: Int32
    let address: String?
    /// The server's IP address that the client connected to, without a port; nil for a client on this machine.
    let localAddress: String?
    private let session: TLSSession?
    private unowned let worker: Worker
    let own: LoopBound<State>

    struct State {
        var isNew = true
        var target: [UInt8] = []
        var exchange: Exchange?
        fileprivate(set) var stage: Stage
        /// When the stage began, by ``Loop/now``.
        fileprivate(set) var since = Loop.now
        fileprivate(set) var isCut = false
        var isWatched = false
        /// True after the loop has reported that the client disconnected; the library may not know it yet.
        fileprivate(set) var hasCallerLeft = false
        /// The body's byte count at the last check, if the library had left bytes unread in the socket then; else nil.
        fileprivate var stuckAt: Int?
        fileprivate var belongings: (any AnyObject)?
        /// The records of an upgraded TLS connection; retained here, because the session calls them until it is freed.
        var records: TLSRecords?
    }

    init(_ connection: LibraryConnection, of worker: Worker) {
        self.worker = worker
        handle = connection
        session = TLSSession(connection)
        own = LoopBound(State(stage: session == nil ? .idle(received: 0) : .handshake), to: worker.loop)
        socket = connection.socket
        address = connection.peer.flatMap(Self.text)
        let isNear = address == "127.0.0.1" || address == "::1"
        localAddress = isNear ? nil : (try? ListeningSocket.name(socket))?.0
        // Limits the kernel's send buffer. With megabytes in it, a client that reads slowly would seem to read nothing.
        var bytes: Int32 = 128 << 10
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, 4)
    }

    func enter(_ stage: Stage) {
        own.value.stage = stage
        own.value.stuckAt = nil
        // Nobody asks since when a connection is busy, and most of its changes are to that.
        if case .busy = stage { return }
        own.value.since = Loop.now
    }

    /// Called by the loop when the client has disconnected, or when a suspended handshake can continue.
    ///
    /// A suspended exchange ends here, because the library does not notice the disconnect.
    func ready(_ socket: Int32, _ readiness: Readiness) {
        if case .handshake = own.value.stage { return worker.resumeHandshake(self) }
        own.value.hasCallerLeft = true
        guard let exchange = own.value.exchange, case .suspended = exchange.own.value.library else { return }
        exchange.leave()
    }

    /// What is released with the connection; nothing is kept for a client that has left.
    var belongings: (any AnyObject)? {
        get { own.value.belongings }
        set { own.value.belongings = own.value.hasCallerLeft ? nil : newValue }
    }

    func closed() {
        own.value.hasCallerLeft = true
        belongings = nil
    }

    func take(_ target: UnsafePointer<CChar>) {
        HeadLayout.take(target, into: &own.value.target)
        if case .head = own.value.stage { return }
        enter(.head)
    }

    /// Adds path and kind of the current request to a refusal, as far as its head was parsed.
    func refused(_ refusal: consuming Refusal) -> Refusal {
        if case .idle = own.value.stage { return refusal }
        let path = own.value.target.prefix(200).prefix { $0 != UInt8(ascii: "?") }
        refusal.path = String(decoding: path, as: UTF8.self)
        refusal.isForPage = handle.isForPage
        return refusal
    }

    func endHandshake() {
        guard case .handshake = own.value.stage, let session, session.isEstablished else { return }
        enter(.idle(received: nil))
    }

    func received(_ count: Int) {
        if case .body(let before) = own.value.stage { own.value.stage = .body(count: before + count) }
    }

    /// Shuts the socket down, which the library treats as a disconnect by the client.
    func cut() {
        own.value.isCut = true
        shutdown(socket, Int32(SHUT_RDWR))
        // The library does not always notice it: its buffer may be full, and its epoll ignores a suspended connection
        // until a read returns EAGAIN. Then only its idle timeout closes the connection.
        visitOften()
    }

    /// Makes the library check this connection in each run, by giving it an idle timeout of its own.
    ///
    /// Of connections with the default timeout the library checks only the oldest; this one would have to wait.
    func visitOften() { handle.setIdleSeconds(1) }

    /// Closes the connection with a reset (RST), before the library can shut it down properly.
    func reset() {
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        connect(socket, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// What the library has not read yet from the socket or TLS session: 1 for bytes, 0 for the end, -1 for nothing.
    private var unread: Int {
        if let session, session.hasUnread { return 1 }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    }

    /// Checks the client against its time limit, and disconnects it if it is too slow.
    ///
    /// If no response has begun, it returns the reason instead: then the caller must send a response and disconnect.
    func check(_ limits: Limits) -> String? {
        let milliseconds = Loop.now - own.value.since
        let (seconds, time) = (milliseconds / 1000, Duration.milliseconds(milliseconds))
        let unread =
            switch own.value.stage {
            case .handshake, .idle, .head, .body: self.unread
            // No input is expected.
            case .sending, .busy: -1
            }
        // The library does not notice the end of the stream if it arrives with the last bytes.
        if unread == 0 {
            cut()
            return nil
        }
        switch own.value.stage {
        case .busy:
            break
        case .handshake:
            if time >= limits.headTime { cut() }
        case .idle(let before):
            checkForHead(before)
        case .head:
            if time >= limits.headTime { return "the head took more than \(limits.headTime)" }
        case .body(let count):
            if time >= limits.graceTime, count < seconds * limits.bodyRate {
                return "the body came with less than \(limits.bodyRate) bytes a second"
            }
            // libmicrohttpd spins if the head of a chunk, or trailers, do not fit its buffer, and reads no more bytes.
            if unread > 0, count == own.value.stuckAt { cut() }
            own.value.stuckAt = unread > 0 ? count : nil
        case .sending(acknowledged: nil):
            let traffic = LibraryConnection.traffic(of: socket)
            own.value.stage = .sending(acknowledged: traffic?.acknowledged)
        case .sending(let before?):
            // The library would wait for the rest.
            if !own.value.isCut, let exchange = own.value.exchange,
                case .queued(let answer?) = exchange.own.value.answering,
                answer.isOfShortenedFile
            {
                worker.server.logger.error(
                    "\(exchange.head.target): its file became shorter while it was sent; replace files as a whole (mv)"
                )
                cut()
                return nil
            }
            guard let traffic = LibraryConnection.traffic(of: socket) else { break }
            let taken = Int(clamping: traffic.acknowledged - before)
            if time >= limits.graceTime, taken < seconds * limits.readRate { cut() }
        }
        return nil
    }

    private func checkForHead(_ before: UInt64?) {
        // The first bytes of a head may arrive with the last message of the handshake.
        if own.value.isNew, session?.hasReceived == true { return enter(.head) }
        guard let traffic = LibraryConnection.traffic(of: socket) else { return }
        if let before, traffic.received > before {
            enter(.head)
        } else {
            own.value.stage = .idle(received: traffic.received)
        }
    }

    /// Sends a response without the library, which must not have begun one, and disconnects.
    func cut(saying answer: [UInt8]) {
        answer.withUnsafeBytes { bytes in
            // Bytes that do not fit the socket's buffer are dropped; such a slow client would not read them.
            if let session {
                session.send(bytes)
            } else {
                _ = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
        }
        // Discards unread input. Closing with unread bytes would send a reset, and the response could be lost (RFC
        // 9112, section 9.6).
        recv(socket, nil, 1 << 20, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT))
        cut()
    }

    private static func text(_ address: UnsafePointer<sockaddr>) -> String? {
        let isLong = Int32(address.pointee.sa_family) == AF_INET6
        let size = isLong ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        return ListeningSocket.numbers(address, socklen_t(size))?.0
    }
}
