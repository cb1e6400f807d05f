import EventLoop
import Glibc
import TLS

/// One connection of a caller, over all its requests; its state belongs to its loop.
final class Connection: Loop.Guest {
    /// What it is waiting for, by which its time limit is chosen.
    enum Stage {
        case handshake
        /// Between two requests; `received` are the bytes at the last check, nil before the first.
        case idle(received: UInt64?)
        case head
        /// A body is coming; `count` bytes of it were received.
        case body(count: Int)
        /// The caller reads a body of known length; it had acknowledged so many bytes at the last check.
        case sending(acknowledged: UInt64?)
        /// The engine or a handler is at work, so that the caller has no time limit.
        case busy
    }

    /// The library's object, while the connection is open.
    let handle: LibraryConnection
    let socket: Int32
    /// Without a port.
    let address: String?
    /// The server's address to which a caller from another machine has connected, without a port.
    let localAddress: String?
    private let session: TLSSession?
    private unowned let worker: Worker
    let own: LoopBound<State>

    struct State {
        /// True until the first request is complete.
        var isNew = true
        /// The target of the request line that came last, as it was sent.
        var target: [UInt8] = []
        var exchange: Exchange?
        fileprivate(set) var stage: Stage
        /// When the stage began, in milliseconds.
        fileprivate(set) var since = Loop.now
        fileprivate(set) var isCut = false
        var isWatched = false
        /// True when the caller was seen to leave, which the library may not have noticed.
        fileprivate(set) var hasCallerLeft = false
        /// The received bytes of the body at the last check, if there were more then that the library had not read.
        fileprivate var stuckAt: Int?
        /// Of an upgraded connection: its session calls them for bytes, so they live as long.
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
        // Else the system takes megabytes at once, and a slow reader looks like one that reads nothing.
        var bytes: Int32 = 128 << 10
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, 4)
    }

    func enter(_ stage: Stage) {
        own.value.stage = stage
        own.value.since = Loop.now
        own.value.stuckAt = nil
    }

    /// Called by the loop when the caller has left, or when a suspended handshake can go on.
    ///
    /// A suspended exchange ends here, since the library does not notice it.
    func ready(_ socket: Int32, _ readiness: Readiness) {
        if case .handshake = own.value.stage { return worker.resumeHandshake(self) }
        own.value.hasCallerLeft = true
        guard let exchange = own.value.exchange, case .suspended = exchange.own.value.library else { return }
        exchange.leave()
    }

    func take(_ target: UnsafePointer<CChar>) {
        HeadLayout.take(target, into: &own.value.target)
        if case .head = own.value.stage { return }
        enter(.head)
    }

    /// A refusal of the request that is coming, with what its head has said so far.
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

    /// Ends the connection; the library sees it as closed by the peer.
    func cut() {
        own.value.isCut = true
        shutdown(socket, Int32(SHUT_RDWR))
        // The library may have no room to read on, and its epoll forgets a connection that was suspended until it
        // finds nothing to read: then only its clock ends it.
        visitOften()
    }

    /// Makes the library look at this connection in each of its runs.
    ///
    /// It does so with connections that have a time limit of their own. Of the others it looks at the oldest only, and
    /// one that it has not closed at once would have to wait behind that.
    func visitOften() { handle.setIdleSeconds(1) }

    /// Ends the connection with RST at once, before the library can end it in good order.
    func reset() {
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        connect(socket, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Whether the caller has sent what the library has not read: 1 for bytes, 0 for the end, -1 for nothing.
    private var unread: Int {
        if let session, session.hasUnread { return 1 }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    }

    /// Checks whether the caller is too slow, and cuts it off if so.
    ///
    /// Returns the reason where no answer has begun: then the caller is to be told before it is cut off.
    func check(_ limits: Limits) -> String? {
        let milliseconds = Loop.now - own.value.since
        let (seconds, time) = (milliseconds / 1000, Duration.milliseconds(milliseconds))
        let unread =
            switch own.value.stage {
            case .handshake, .idle, .head, .body: self.unread
            // The caller has to send nothing.
            case .sending, .busy: -1
            }
        // The library does not notice the caller's end where that comes together with the last bytes.
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
            // The library spins on a chunk's head, or on trailers, that do not fit its buffer.
            if unread > 0, count == own.value.stuckAt { cut() }
            own.value.stuckAt = unread > 0 ? count : nil
        case .sending(acknowledged: nil):
            let traffic = LibraryConnection.traffic(of: socket)
            own.value.stage = .sending(acknowledged: traffic?.acknowledged)
        case .sending(let before?):
            guard let traffic = LibraryConnection.traffic(of: socket) else { break }
            let taken = Int(clamping: traffic.acknowledged - before)
            if time >= limits.graceTime, taken < seconds * limits.readRate { cut() }
        }
        return nil
    }

    private func checkForHead(_ before: UInt64?) {
        // The first bytes of a head may come together with the end of the handshake.
        if own.value.isNew, session?.hasReceived == true { return enter(.head) }
        guard let traffic = LibraryConnection.traffic(of: socket) else { return }
        if let before, traffic.received > before {
            enter(.head)
        } else {
            own.value.stage = .idle(received: traffic.received)
        }
    }

    /// Sends an answer past the library, which has begun none, and cuts the caller off.
    func cut(saying answer: [UInt8]) {
        answer.withUnsafeBytes { bytes in
            // Bytes that do not fit the socket at once are dropped, as this caller would not read them.
            if let session {
                session.send(bytes)
            } else {
                _ = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
        }
        // Closed with bytes that nobody has read, it would be reset, and the answer lost (RFC 9112, section 9.6).
        recv(socket, nil, 1 << 20, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT))
        cut()
    }

    private static func text(_ address: UnsafePointer<sockaddr>) -> String? {
        let isLong = Int32(address.pointee.sa_family) == AF_INET6
        let size = isLong ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        return ListeningSocket.numbers(address, socklen_t(size))?.0
    }
}
