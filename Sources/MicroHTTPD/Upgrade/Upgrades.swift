import CMicroHTTPD
import EventLoop
import Glibc

/// The connections of one loop that go on as something else; touched on its thread only, and before it starts: that
/// makes it Sendable.
///
/// Of one that is silent nothing is kept here but a place in a table and in the wheel of what is due: each tick looks
/// at those alone whose time has come.
final class Upgrades: @unchecked Sendable {
    /// Who has the socket of a connection.
    enum Transport {
        /// It is ours.
        case own(PlainEnd)
        /// The library keeps it, with what encrypts it.
        case encrypted(TLSStream)

        var end: any TunnelEnd {
            switch self {
            case .own(let end): end
            case .encrypted(let stream): stream
            }
        }
    }

    static let stopping = "the server is stopping"

    /// Seconds that the wheel knows; what is due later is looked at too early, and put off.
    private static let round = 64

    let loop: Loop
    /// One is gone, and its descriptor is free.
    var onEnd: () -> Void = {}
    private var upgraded: [Int32: any Upgraded] = [:]
    /// Connections that the library is to close, and until when.
    private var leaving: [ObjectIdentifier: (connection: Connection, deadline: Int)] = [:]
    private var isExtraRun = false
    private(set) var isStopping = false
    private var wheel = [[Int32]](repeating: [], count: round)
    /// One for all: what is read is parsed, or sent on, before the next is.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Seconds, but for those in which the process was stopped: nobody is found silent for them.
    private(set) var tick = 0
    /// Descriptors that they take beside those of the library's connections.
    private(set) var extraCount = 0

    init(_ loop: Loop) { self.loop = loop }

    deinit { buffer.deallocate() }

    var isEmpty: Bool { upgraded.isEmpty && leaving.isEmpty }

    /// Takes a connection that is handed over; called by the library.
    func add(_ new: any Upgraded, _ transport: Transport, extra: [UInt8]) {
        let descriptor = transport.end.descriptor
        new.transport = transport
        extraCount += transport.extraDescriptors
        upgraded[descriptor] = new
        // The library has just turned it off.
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        // Not from within the library: who is told may do anything.
        loop.performSoon {
            guard new.transport != nil else { return }
            do { try new.open(extra) } catch { new.abort("\(error)") }
        }
    }

    /// Closes the connection of one that has ended.
    ///
    /// - Parameter seconds: how long the library may take to end an encrypted one before it is cut; 0 cuts it now.
    func remove(_ old: any Upgraded, within seconds: Int) {
        guard let transport = old.transport else { return }
        old.transport = nil
        upgraded[transport.end.descriptor] = nil
        loop.dismiss(transport.end.descriptor)
        if case .encrypted(let stream) = transport {
            leaving[ObjectIdentifier(stream.connection)] = (stream.connection, tick + seconds)
            if seconds == 0 { stream.connection.cut() }
            loop.setRunDue()
        }
        transport.end.close()
        extraCount -= transport.extraDescriptors
        onEnd()
    }

    /// The library has closed a connection.
    func connectionClosed(_ connection: Connection) {
        connection.stream = nil
        guard !leaving.isEmpty, leaving.removeValue(forKey: ObjectIdentifier(connection)) != nil else {
            return
        }
        onEnd()
    }

    // MARK: Driven by the loop

    /// What the library finds out in one run about a connection that is to close, it acts upon in the next.
    func libraryHasRun() {
        isExtraRun = !leaving.isEmpty && !isExtraRun
        if isExtraRun { loop.setRunDue() }
    }

    /// A second has passed.
    func second() {
        tick += 1
        let place = tick % Self.round
        if !wheel[place].isEmpty {
            let due = wheel[place]
            wheel[place] = []
            for descriptor in due {
                // Others have been put off or brought forward, or have closed.
                guard let one = upgraded[descriptor], one.due == tick else { continue }
                one.due = 0
                one.check()
            }
        }
        guard !leaving.isEmpty else { return }
        loop.setRunDue()
        for (connection, deadline) in leaving.values where tick >= deadline && !connection.isCut {
            connection.cut()
        }
    }

    /// Lets ``Upgraded/check()`` be called in so many seconds at the latest.
    func look(at one: any Upgraded, in seconds: Int) {
        let due = tick + min(max(1, seconds), Self.round - 1)
        guard one.due == 0 || due < one.due, let descriptor = one.transport?.end.descriptor else { return }
        one.due = due
        wheel[due % Self.round].append(descriptor)
    }

    // MARK: Stopping

    /// Says to all that the server stops.
    func closeAll() {
        isStopping = true
        for one in upgraded.values { one.serverStops() }
    }

    /// Waits for none of them any more.
    func abortAll() {
        for one in upgraded.values { one.abort(Self.stopping) }
        for (connection, _) in leaving.values where !connection.isCut { connection.cut() }
    }
}

extension Upgrades.Transport {
    /// Descriptors of one beside that of the library's connection, which a socket of our own does not have.
    fileprivate var extraDescriptors: Int {
        switch self {
        case .own: 1
        // The library has made a pair of sockets that nobody uses.
        case .encrypted: 2
        }
    }
}
