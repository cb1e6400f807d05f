/// What a caller's connection becomes behind a 101 (RFC 9110, section 15.2.2): a WebSocket or a tunnel.
///
/// It belongs to the ``Upgrades`` of its loop from the 101 on, and all of this is called on the loop's thread.
protocol Upgraded: AnyObject, Sendable {
    /// The connection; nil before it is handed over, and once it is released.
    var transport: Upgrades.Transport? { get set }

    /// The tick at which ``check()`` is called next, 0 for none.
    var due: Int { get set }

    /// Called when the connection is handed over, with the bytes behind the request; an error aborts it.
    func open(_ extra: [UInt8]) throws

    /// Called at the tick ``due``.
    func check()

    func serverStops()

    /// Ends it now, and tells its owner why; also when it never opened.
    func abort(_ message: String)
}
