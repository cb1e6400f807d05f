import EventLoop
import Glibc

/// The WebSockets and tunnels of one loop; used on its thread, but for the loop itself.
///
/// A silent one costs no more than an entry in a table and in a timer wheel: each tick checks only those that are
/// due.
final class Upgrades: Sendable {
    static let stopping = "the server is stopping"

    /// The seconds of the wheel; what is due later is checked too early, and put off again.
    private static let round = 64

    struct State {
        /// Called when one has ended, and its descriptor is free.
        var onEnd: () -> Void = {}
        fileprivate var upgraded: [ObjectIdentifier: Entry] = [:]
        /// Connections that the library is to close, and until when.
        fileprivate var leaving: [ObjectIdentifier: (connection: Connection, deadline: Int)] = [:]
        fileprivate var isExtraRun = false
        fileprivate(set) var isStopping = false
        fileprivate var wheel = [[ObjectIdentifier]](repeating: [], count: round)
        fileprivate let buffer = Buffer()
        /// The seconds so far, without those in which the process was stopped, which must not count as silence.
        fileprivate(set) var tick = 0
        /// How many descriptors they take in addition to those of the library's connections.
        fileprivate(set) var extraCount = 0
    }

    fileprivate struct Entry {
        let one: any Upgraded
        let transport: any TunnelEnd
        /// The library's connection, with its session; nil where the engine has the socket alone.
        let encrypted: Connection?
        /// The tick at which it is checked next, 0 for none.
        var due = 0

        /// How many descriptors it takes that are not counted as a connection of the library's.
        ///
        /// For an encrypted one the library has made a pair of sockets that nobody uses.
        var extraDescriptors: Int { encrypted == nil ? 1 : 2 }
    }

    fileprivate final class Buffer {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

        deinit { bytes.deallocate() }
    }

    let loop: Loop
    let own: LoopBound<State>

    init(_ loop: Loop) {
        self.loop = loop
        own = LoopBound(State(), to: loop)
    }

    /// One buffer for all: its bytes are parsed, or sent on, before the next read.
    var buffer: UnsafeMutableRawBufferPointer { own.value.buffer.bytes }

    var isEmpty: Bool { own.value.upgraded.isEmpty && own.value.leaving.isEmpty }

    /// Takes a connection that is handed over; called by the library.
    ///
    /// - Parameter encrypted: the library's connection, with its session; nil where the engine has the socket alone.
    func add(
        _ new: any Upgraded, _ transport: any TunnelEnd, of encrypted: Connection? = nil, extra: [UInt8]
    ) {
        let entry = Entry(one: new, transport: transport, encrypted: encrypted)
        own.value.extraCount += entry.extraDescriptors
        own.value.upgraded[ObjectIdentifier(new)] = entry
        // The library has just turned TCP_NODELAY off.
        var one: Int32 = 1
        setsockopt(transport.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        // Not from within the library, since the called code may do anything.
        loop.performSoon { [self] in
            guard let transport = own.value.upgraded[ObjectIdentifier(new)]?.transport else { return }
            do { try new.open(transport, extra) } catch { new.abort("\(error)") }
        }
    }

    /// Closes the connection of one that has ended.
    ///
    /// - Parameter seconds: how long the library may take to end an encrypted one before it is cut; 0 cuts it now.
    func remove(_ old: any Upgraded, within seconds: Int) {
        guard let entry = own.value.upgraded.removeValue(forKey: ObjectIdentifier(old)) else { return }
        loop.dismiss(entry.transport.descriptor)
        if let encrypted = entry.encrypted {
            own.value.leaving[ObjectIdentifier(encrypted)] = (encrypted, own.value.tick + seconds)
            if seconds == 0 { encrypted.cut() }
            loop.setRunDue()
        }
        entry.transport.close()
        own.value.extraCount -= entry.extraDescriptors
        own.value.onEnd()
    }

    func connectionClosed(_ connection: Connection) {
        connection.own.value.records = nil
        guard !own.value.leaving.isEmpty else { return }
        if own.value.leaving.removeValue(forKey: ObjectIdentifier(connection)) != nil { own.value.onEnd() }
    }

    // MARK: Driven by the loop

    /// Called after a run of the library; asks for another one, in which it closes what it has noticed in this one.
    func libraryHasRun() {
        own.value.isExtraRun = !own.value.leaving.isEmpty && !own.value.isExtraRun
        if own.value.isExtraRun { loop.setRunDue() }
    }

    func second() {
        own.value.tick += 1
        let place = own.value.tick % Self.round
        if !own.value.wheel[place].isEmpty {
            let due = own.value.wheel[place]
            own.value.wheel[place] = []
            for id in due {
                // The others were rescheduled meanwhile, or have closed.
                guard let entry = own.value.upgraded[id], entry.due == own.value.tick else { continue }
                own.value.upgraded[id]?.due = 0
                entry.one.check()
            }
        }
        guard !own.value.leaving.isEmpty else { return }
        loop.setRunDue()
        for (connection, deadline) in own.value.leaving.values
        where own.value.tick >= deadline && !connection.own.value.isCut {
            connection.cut()
        }
    }

    /// Lets ``Upgraded/check()`` be called in so many seconds at the latest.
    func look(at one: any Upgraded, in seconds: Int) {
        let due = own.value.tick + min(max(1, seconds), Self.round - 1)
        let id = ObjectIdentifier(one)
        guard let known = own.value.upgraded[id]?.due, known == 0 || due < known else { return }
        own.value.upgraded[id]?.due = due
        own.value.wheel[due % Self.round].append(id)
    }

    // MARK: Stopping

    func closeAll() {
        own.value.isStopping = true
        for entry in own.value.upgraded.values { entry.one.serverStops() }
    }

    func abortAll() {
        for entry in own.value.upgraded.values { entry.one.abort(Self.stopping) }
        for (connection, _) in own.value.leaving.values where !connection.own.value.isCut { connection.cut() }
    }
}

/// What a caller's connection becomes behind a 101 (RFC 9110, section 15.2.2): a WebSocket or a tunnel.
///
/// It belongs to the ``Upgrades`` of its loop from the 101 on, and all of this is called on the loop's thread.
protocol Upgraded: AnyObject, Sendable {
    /// Called when the connection is handed over, with the bytes behind the request; an error aborts it.
    ///
    /// - Parameter transport: closed by ``Upgrades/remove(_:within:)``.
    func open(_ transport: any TunnelEnd, _ extra: [UInt8]) throws

    /// Called when the time of ``Upgrades/look(at:in:)`` has come.
    func check()

    func serverStops()

    /// Ends it now, and tells its owner why; also when it never opened.
    func abort(_ message: String)
}
