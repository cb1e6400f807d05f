import EventLoop
import Glibc

/// One connection of a caller, over all its requests; what changes of it belongs to its loop.
final class Connection {
    /// Where it stands, and what it may take how long for.
    enum Stage {
        /// The keys of a TLS connection are not agreed on.
        case handshake
        /// Between two requests; `received` are the bytes at the last look, nil before the first.
        case idle(received: UInt64?)
        /// The first bytes of a head have come.
        case head
        /// A body is coming; `count` bytes of it are here.
        case body(count: Int)
        /// A reader takes a body with an end; it had taken `acknowledged` bytes at the last look.
        case sending(acknowledged: UInt64?)
        /// The next move is ours.
        case busy
    }

    /// The library's object, while the connection is open.
    let handle: LibraryConnection
    let socket: Int32
    /// Without a port.
    let address: String?
    /// The address of ours that a caller from another machine came to, without a port.
    let localAddress: String?
    private let session: TLSSession?
    private let box: LoopBound<State>

    private struct State {
        var isNew = true
        var target: [UInt8] = []
        var exchange: Exchange?
        var stage: Stage
        var since = Loop.now
        var isCut = false
        var isWatched = false
        var hasCallerLeft = false
        /// The bytes of the body that were here when the last look found more that the library had not read.
        var stuckAt: Int?
        var stream: TLSStream?
    }

    /// To be asked for on the loop.
    private var state: State {
        unsafeAddress { UnsafePointer(box.address) }
        unsafeMutableAddress { box.address }
    }

    /// True until the first request is complete.
    var isNew: Bool {
        get { state.isNew }
        set { state.isNew = newValue }
    }

    /// The target of the request line that came last, as it was sent.
    var target: [UInt8] {
        get { state.target }
        set { state.target = newValue }
    }

    /// The one that is being answered.
    var exchange: Exchange? {
        get { state.exchange }
        set { state.exchange = newValue }
    }

    var stage: Stage { state.stage }

    /// When the stage began, in milliseconds.
    var since: Int { state.since }

    var isCut: Bool { state.isCut }

    /// Whether the loop watches for the caller to leave.
    var isWatched: Bool {
        get { state.isWatched }
        set { state.isWatched = newValue }
    }

    /// True when it was seen to leave, which the library may not have noticed.
    var hasCallerLeft: Bool { state.hasCallerLeft }

    /// Its encryption, when the library has handed it over.
    var stream: TLSStream? {
        get { state.stream }
        set { state.stream = newValue }
    }

    init(_ connection: LibraryConnection, of loop: Loop) {
        handle = connection
        session = TLSSession(connection)
        box = LoopBound(State(stage: session == nil ? .idle(received: 0) : .handshake), to: loop)
        socket = connection.socket
        address = connection.peer.flatMap(Self.text)
        let isNear = address == "127.0.0.1" || address == "::1"
        localAddress = isNear ? nil : (try? ListeningSocket.name(socket))?.0
        // Else the system takes megabytes at once, and a slow reader looks like one that stands still.
        var bytes: Int32 = 128 << 10
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, 4)
    }

    func enter(_ stage: Stage) {
        state.stage = stage
        state.since = Loop.now
        state.stuckAt = nil
    }

    /// The caller sends nothing more: what the library does not read, it cannot end.
    func callerLeft() {
        state.hasCallerLeft = true
        if let exchange = state.exchange, exchange.isSuspended { exchange.leave() }
    }

    /// Lets the time for the handshake end if that is over.
    func endHandshake() {
        guard case .handshake = state.stage, let session, session.isEstablished else { return }
        enter(.idle(received: nil))
    }

    /// A part of a body came.
    func received(_ count: Int) {
        if case .body(let before) = state.stage { state.stage = .body(count: before + count) }
    }

    /// Ends the connection; the library sees it as closed by the peer.
    func cut() {
        state.isCut = true
        shutdown(socket, Int32(SHUT_RDWR))
        // The library may have no room to read on, and its epoll forgets a connection that was suspended until it
        // finds nothing to read: then only its clock ends it.
        visitOften()
    }

    /// Makes the library look at this connection in each of its runs.
    ///
    /// It does so with those that have a time limit of their own. Of the others it looks at the oldest only, and one
    /// that it has not ended at once waits behind that for its clock.
    func visitOften() { handle.setIdleSeconds(1) }

    /// Ends the connection with RST at once, before the library can end it in good order.
    func reset() {
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        connect(socket, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// True while the next move is the caller's, and is sending.
    private var isReading: Bool {
        switch state.stage {
        case .handshake, .idle, .head, .body: true
        case .sending, .busy: false
        }
    }

    /// What there is of what the caller sent, and the library has not read: 1 for bytes, 0 for its end, -1 for nothing.
    private var unread: Int {
        if let session, session.hasUnread { return 1 }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    }

    /// Looks whether the caller is slower than it may be, and cuts it off if so.
    ///
    /// Returns what it is too slow with where no answer has begun: then it is to be told before it is cut off.
    func check(_ limits: Limits) -> String? {
        let milliseconds = Loop.now - state.since
        let (seconds, time) = (milliseconds / 1000, Duration.milliseconds(milliseconds))
        let unread = isReading ? unread : -1
        // The library misses an end that comes together with the last bytes.
        if unread == 0 {
            cut()
            return nil
        }
        switch state.stage {
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
            if unread > 0, count == state.stuckAt { cut() }
            state.stuckAt = unread > 0 ? count : nil
        case .sending(let before):
            guard let traffic = traffic() else { break }
            guard let before else {
                state.stage = .sending(acknowledged: traffic.acknowledged)
                break
            }
            let taken = Int(clamping: traffic.acknowledged - before)
            if time >= limits.graceTime, taken < seconds * limits.readRate { cut() }
        }
        return nil
    }

    /// Looks whether a head has begun to come.
    private func checkForHead(_ before: UInt64?) {
        // The first bytes of a head may come together with the end of the handshake.
        if state.isNew, session?.hasReceived == true { return enter(.head) }
        guard let traffic = traffic() else { return }
        if let before, traffic.received > before {
            enter(.head)
        } else {
            state.stage = .idle(received: traffic.received)
        }
    }

    /// Sends an answer past the library, which has begun none, and cuts the caller off.
    func cut(saying answer: [UInt8]) {
        answer.withUnsafeBytes { bytes in
            // What does not fit the socket at once is nothing that this caller would wait for.
            if let session {
                session.send(bytes)
            } else {
                _ = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
        }
        cut()
    }

    private func traffic() -> (received: UInt64, acknowledged: UInt64)? {
        LibraryConnection.traffic(of: socket)
    }

    private static func text(_ address: UnsafePointer<sockaddr>) -> String? {
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let length = socklen_t(
            Int32(address.pointee.sa_family) == AF_INET6
                ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        guard getnameinfo(address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
        else {
            return nil
        }
        return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
