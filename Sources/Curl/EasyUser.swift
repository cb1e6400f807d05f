import CCurl

/// Who does something with an ``Easy``; every method is called by libcurl, or by the client for it.
protocol EasyUser: AnyObject {
    /// A line of a head; returns false to end.
    func receive(line: UnsafeRawBufferPointer) -> Bool
    /// A part of a body; returns false to wait.
    func receive(body: UnsafeRawBufferPointer) -> Bool
    /// Copies a part of what is sent: how many bytes, 0 at the end, nil to wait.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int?
    /// What is sent begins anew there; returns false where it cannot.
    func rewind(to offset: Int) -> Bool
    /// Whether addresses are looked at.
    var isGuarded: Bool { get }
    /// A connection to this address is about to be made; returns false to end.
    func mayReach(_ address: [UInt8], port: Int) -> Bool
    /// A request is about to be sent on a connection to this address; returns false to end.
    func isPrepared(for address: [UInt8], port: Int) -> Bool
    /// Libcurl is done.
    func isDone(_ code: CURLcode)
}
