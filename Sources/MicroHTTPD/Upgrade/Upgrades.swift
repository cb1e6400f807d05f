import Glibc

/// The WebSockets and tunnels of one loop; for its thread only, except the `loop` property.
final class Upgrades: Sendable {
    static let stopping = "the server is stopping"

    struct State {
        /// Called when a WebSocket or tunnel has ended and its descriptor is free.
        var onEnd: () -> Void = {}
        fileprivate var upgraded: [ObjectIdentifier: Entry] = [:]
        /// Connections that the library is closing, with the tick at which they are disconnected.
        fileprivate var leaving: [ObjectIdentifier: (connection: Connection, deadline: Int)] = [:]
        fileprivate var isExtraRun = false
        fileprivate(set) var isStopping = false
        fileprivate let buffer = Buffer()
        /// The number of ticks: seconds of running time; pauses of the process are not counted as silence of a peer.
        fileprivate(set) var tick = 0
        /// The number of descriptors used in addition to those of the library's connections.
        fileprivate(set) var extraCount = 0
    }

    fileprivate struct Entry {
        let one: any Upgraded
        let transport: any TunnelEnd
        /// The library's connection, which owns the TLS session; nil without TLS.
        let encrypted: Connection?

        /// The number of descriptors besides the one of a library connection; under TLS the library has made an unused
        /// socket pair.
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

    /// One read buffer for all: its bytes are parsed or forwarded before the next read.
    var buffer: UnsafeMutableRawBufferPointer { own.value.buffer.bytes }

    var isEmpty: Bool { own.value.upgraded.isEmpty && own.value.leaving.isEmpty }

    /// Takes a connection over; called by the library.
    ///
    /// - Parameter encrypted: under TLS the library's connection, which owns the session; nil if the engine owns the
    ///   socket.
    func add(
        _ new: any Upgraded, _ transport: any TunnelEnd, of encrypted: Connection? = nil, extra: [UInt8]
    ) {
        let entry = Entry(one: new, transport: transport, encrypted: encrypted)
        own.value.extraCount += entry.extraDescriptors
        own.value.upgraded[ObjectIdentifier(new)] = entry
        // TCP_NODELAY is set again, because the library has just turned it off.
        var one: Int32 = 1
        setsockopt(transport.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        // Later, because this is called inside the library, where `open` must not run.
        loop.performSoon { [self] in
            guard let transport = own.value.upgraded[ObjectIdentifier(new)]?.transport else { return }
            do { try new.open(transport, extra) } catch { new.abort("\(error)") }
        }
    }

    /// Closes the connection of a WebSocket or tunnel that has ended.
    ///
    /// - Parameter seconds: under TLS, how long the library may take to close the connection; 0 disconnects it now.
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

    /// Called after each run of the library; asks for one more run, which closes connections that have ended.
    func libraryHasRun() {
        own.value.isExtraRun = !own.value.leaving.isEmpty && !own.value.isExtraRun
        if own.value.isExtraRun { loop.setRunDue() }
    }

    func second() {
        own.value.tick += 1
        for entry in own.value.upgraded.values { entry.one.check() }
        guard !own.value.leaving.isEmpty else { return }
        loop.setRunDue()
        for (connection, deadline) in own.value.leaving.values
        where own.value.tick >= deadline && !connection.own.value.isCut {
            connection.cut()
        }
    }

    func closeAll() {
        own.value.isStopping = true
        for entry in own.value.upgraded.values { entry.one.serverStops() }
    }

    func abortAll() {
        for entry in own.value.upgraded.values { entry.one.abort(Self.stopping) }
        for (connection, _) in own.value.leaving.values where !connection.own.value.isCut { connection.cut() }
    }
}

/// A connection after a 101 (RFC 9110, section 15.2.2): a WebSocket or a tunnel.
///
/// The ``Upgrades`` of its loop owns it, and everything is called on the loop's thread.
protocol Upgraded: AnyObject, Sendable {
    /// Called when the connection is handed over, with the bytes after the request. If it throws, the connection is
    /// aborted.
    ///
    /// - Parameter transport: closed by ``Upgrades/remove(_:within:)``.
    func open(_ transport: any TunnelEnd, _ extra: [UInt8]) throws

    /// Called every second.
    func check()

    func serverStops()

    /// Closes the connection now and reports the reason to the owner, also if it was never opened.
    func abort(_ message: String)
}
