import CCurl
import Glibc

/// Sends requests to other servers, many at a time, on one thread: libcurl, driven by an event loop.
///
/// Connections are kept and used again. It is touched on its loop's thread only.
package final class HTTPClient {
    /// Connections that libcurl keeps, those among them that are used as they are.
    private static let keptConnections = 16384
    /// Handles that are kept for later.
    private static let keptHandles = 256
    /// How often transfers are looked at that wait for their answer, in milliseconds.
    private static let round = 500

    private let loop: any EventLoop
    private let multi: UnsafeMutableRawPointer
    private var idle: [Easy] = []
    private var transfers: [Transfer] = []
    /// What libcurl wants of its sockets, and what they are watched for; that may be more.
    private var sockets: [Int32: (wanted: UInt32, watched: UInt32)] = [:]
    /// When libcurl wants to be called, and when the transfers are looked at.
    private var libraryDue: Int?
    private var nextRound: Int?
    private var timer: Int?
    /// True within libcurl, where no call of it may be made.
    private var isInside = false

    /// Makes a client on a loop, which it keeps.
    package init(on loop: any EventLoop) {
        _ = Self.library
        self.loop = loop
        multi = curl_multi_init()!
        dbc_multi_set_callbacks(
            multi, socketChanged, timerChanged, Unmanaged.passUnretained(self).toOpaque())
        dbc_multi_set_number(multi, CURLMOPT_MAXCONNECTS, Self.keptConnections)
        dbc_multi_set_number(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
    }

    deinit {
        idle = []
        curl_multi_cleanup(multi)
    }

    private static let library: Void = { curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()

    // MARK: Called by the loop

    /// A socket is ready.
    package func ready(_ socket: Int32, _ events: UInt32) {
        guard let state = sockets[socket], state.wanted != 0 else { return unwatch(socket) }
        var mask: Int32 = 0
        let failed = EPOLLERR.rawValue | EPOLLHUP.rawValue
        if events & (EPOLLIN.rawValue | failed) != 0 { mask |= CURL_CSELECT_IN }
        if events & (EPOLLOUT.rawValue | failed) != 0 { mask |= CURL_CSELECT_OUT }
        act(socket, mask)
    }

    /// The time has come that the loop was told.
    package func timeIsUp() {
        timer = nil
        let now = loop.now
        if let due = libraryDue, due <= now {
            libraryDue = nil
            act(CURL_SOCKET_TIMEOUT, 0)
        }
        if let due = nextRound, due <= now {
            nextRound = nil
            for transfer in transfers { transfer.check(at: now) }
            if !transfers.isEmpty { nextRound = now + Self.round }
        }
        arm()
    }

    // MARK: Called by transfers

    var now: Int { loop.now }

    func takeEasy() -> Easy { idle.popLast() ?? Easy(of: self) }

    func add(_ transfer: Transfer, _ easy: Easy) {
        transfer.place = transfers.count
        transfers.append(transfer)
        if nextRound == nil { nextRound = now + Self.round }
        start(easy)
    }

    /// Lets libcurl begin.
    func start(_ easy: Easy) {
        curl_multi_add_handle(multi, easy.handle)
        libraryDue = nil
        act(CURL_SOCKET_TIMEOUT, 0)
        arm()
    }

    func remove(_ transfer: Transfer, _ easy: Easy) {
        let last = transfers.removeLast()
        if last !== transfer {
            transfers[transfer.place] = last
            last.place = transfer.place
        }
        remove(easy)
        if idle.count < Self.keptHandles { idle.append(easy) }
    }

    /// Takes a handle away from libcurl, with the connection that is its own.
    func remove(_ easy: Easy) {
        curl_multi_remove_handle(multi, easy.handle)
        easy.reset()
    }

    /// Lets a transfer go on in the directions that are not said to wait.
    func go(on easy: Easy, isReceivingPaused: Bool = false, isSendingPaused: Bool = false) {
        let bits =
            (isReceivingPaused ? CURLPAUSE_RECV : 0) | (isSendingPaused ? CURLPAUSE_SEND : 0)
        isInside = true
        curl_easy_pause(easy.handle, bits)
        isInside = false
        act(CURL_SOCKET_TIMEOUT, 0)
        arm()
    }

    func watchClosing(of handle: UnsafeMutableRawPointer) {
        dbc_set_closing(handle, closeSocket, Unmanaged.passUnretained(self).toOpaque())
    }

    private func act(_ socket: Int32, _ mask: Int32) {
        precondition(!isInside)
        isInside = true
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, mask, &running)
        isInside = false
        var code = CURLE_OK
        while let done = dbc_next_done(multi, &code) {
            guard let box = dbc_owner(done) else { continue }
            Unmanaged<Easy>.fromOpaque(box).takeUnretainedValue().user?.isDone(code)
        }
    }

    // MARK: Called by libcurl

    /// Libcurl wants to hear of a socket, or no more.
    ///
    /// A connection that waits for its next request stays watched: most are asked again before anything happens.
    func watch(_ socket: Int32, _ what: Int32) {
        let wanted: UInt32 =
            switch what {
            case CURL_POLL_IN: EPOLLIN.rawValue
            case CURL_POLL_OUT: EPOLLOUT.rawValue
            case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
            default: 0
            }
        let watched = sockets[socket]?.watched ?? 0
        guard wanted != 0, wanted != watched else {
            sockets[socket] = (wanted, watched)
            return
        }
        sockets[socket] = (wanted, wanted)
        loop.watch(socket, for: wanted)
    }

    /// Libcurl closes a socket.
    func isClosing(_ socket: Int32) { unwatch(socket) }

    /// Libcurl wants to be called in so many milliseconds; -1 for not at all.
    func setTimer(_ milliseconds: Int) {
        libraryDue = milliseconds < 0 ? nil : now + milliseconds
        if !isInside { arm() }
    }

    /// A socket is somebody else's to watch.
    func unwatch(_ socket: Int32) {
        if sockets.removeValue(forKey: socket) != nil { loop.forget(socket) }
    }

    /// Sets the loop's timer if it is later than what is due; one that is too early does no harm.
    private func arm() {
        guard let due = [libraryDue, nextRound].compactMap(\.self).min() else { return }
        if let timer, timer <= due { return }
        timer = due
        loop.setTimer(in: max(0, due - now))
    }
}
