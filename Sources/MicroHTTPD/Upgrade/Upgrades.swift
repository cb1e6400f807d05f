import EventLoop
import Glibc

/// The WebSockets and tunnels of one loop; used on its thread, but for the loop itself.
///
/// A silent one costs no more than an entry in a table and in a timer wheel: each tick checks only those that are
/// due.
final class Upgrades: Sendable {
    /// Who owns the socket of a connection.
    enum Transport {
        /// The engine owns it.
        case own(PlainEnd)
        /// The library owns it, together with its TLS session.
        case encrypted(TLSStream)

        var end: any TunnelEnd {
            switch self {
            case .own(let end): end
            case .encrypted(let stream): stream
            }
        }
    }

    static let stopping = "the server is stopping"

    /// The seconds of the wheel; what is due later is checked too early, and put off again.
    private static let round = 64

    private struct State {
        /// Called when one has ended, and its descriptor is free.
        var onEnd: () -> Void = {}
        var upgraded: [Int32: any Upgraded] = [:]
        /// Connections that the library is to close, and until when.
        var leaving: [ObjectIdentifier: (connection: Connection, deadline: Int)] = [:]
        var isExtraRun = false
        var isStopping = false
        var wheel = [[Int32]](repeating: [], count: round)
        let buffer = Buffer()
        var tick = 0
        var extraCount = 0
    }

    /// Memory that is freed with its owner.
    private final class Buffer {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

        deinit { bytes.deallocate() }
    }

    private let box: LoopBound<State>

    /// The state, for the loop's thread only.
    private var state: State {
        unsafeAddress { UnsafePointer(box.address) }
        unsafeMutableAddress { box.address }
    }

    init(_ loop: Loop) { box = LoopBound(State(), to: loop) }

    var loop: Loop { box.loop }

    var isStopping: Bool { state.isStopping }

    /// The seconds so far, without those in which the process was stopped, which must not count as silence.
    var tick: Int { state.tick }

    /// How many descriptors they take beside those of the library's connections.
    var extraCount: Int { state.extraCount }

    /// One buffer for all: its bytes are parsed, or sent on, before the next read.
    var buffer: UnsafeMutableRawBufferPointer { state.buffer.bytes }

    /// Sets what is called when one has ended, and its descriptor is free.
    func onEnd(_ call: @escaping () -> Void) { state.onEnd = call }

    var isEmpty: Bool { state.upgraded.isEmpty && state.leaving.isEmpty }

    /// Takes a connection that is handed over; called by the library.
    func add(_ new: any Upgraded, _ transport: Transport, extra: [UInt8]) {
        let descriptor = transport.end.descriptor
        new.transport = transport
        state.extraCount += transport.extraDescriptors
        state.upgraded[descriptor] = new
        // The library has just turned TCP_NODELAY off.
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        // Not from within the library, since the called code may do anything.
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
        state.upgraded[transport.end.descriptor] = nil
        loop.dismiss(transport.end.descriptor)
        if case .encrypted(let stream) = transport {
            state.leaving[ObjectIdentifier(stream.connection)] = (stream.connection, state.tick + seconds)
            if seconds == 0 { stream.connection.cut() }
            loop.setRunDue()
        }
        transport.end.close()
        state.extraCount -= transport.extraDescriptors
        state.onEnd()
    }

    /// Called when the library has closed a connection.
    func connectionClosed(_ connection: Connection) {
        connection.stream = nil
        guard !state.leaving.isEmpty,
            state.leaving.removeValue(forKey: ObjectIdentifier(connection)) != nil
        else {
            return
        }
        state.onEnd()
    }

    // MARK: Driven by the loop

    /// Called after a run of the library; asks for another one, in which it closes what it has noticed in this one.
    func libraryHasRun() {
        state.isExtraRun = !state.leaving.isEmpty && !state.isExtraRun
        if state.isExtraRun { loop.setRunDue() }
    }

    /// Called once a second.
    func second() {
        state.tick += 1
        let place = state.tick % Self.round
        if !state.wheel[place].isEmpty {
            let due = state.wheel[place]
            state.wheel[place] = []
            for descriptor in due {
                // The others were rescheduled meanwhile, or have closed.
                guard let one = state.upgraded[descriptor], one.due == state.tick else { continue }
                one.due = 0
                one.check()
            }
        }
        guard !state.leaving.isEmpty else { return }
        loop.setRunDue()
        for (connection, deadline) in state.leaving.values
        where state.tick >= deadline && !connection.isCut {
            connection.cut()
        }
    }

    /// Lets ``Upgraded/check()`` be called in so many seconds at the latest.
    func look(at one: any Upgraded, in seconds: Int) {
        let due = state.tick + min(max(1, seconds), Self.round - 1)
        guard one.due == 0 || due < one.due, let descriptor = one.transport?.end.descriptor else {
            return
        }
        one.due = due
        state.wheel[due % Self.round].append(descriptor)
    }

    // MARK: Stopping

    /// Tells all that the server stops.
    func closeAll() {
        state.isStopping = true
        for one in state.upgraded.values { one.serverStops() }
    }

    /// Ends all of them now.
    func abortAll() {
        for one in state.upgraded.values { one.abort(Self.stopping) }
        for (connection, _) in state.leaving.values where !connection.isCut { connection.cut() }
    }
}

extension Upgrades.Transport {
    /// How many descriptors it takes that are not counted as a connection of the library's.
    fileprivate var extraDescriptors: Int {
        switch self {
        case .own: 1
        // The library has made a pair of sockets that nobody uses.
        case .encrypted: 2
        }
    }
}
