/// What drives an ``HTTPClient``; every method is called on the client's thread.
package protocol EventLoop: AnyObject {
    /// Milliseconds of the monotonic clock; some behind will do.
    var now: Int { get }
    /// Calls ``HTTPClient/ready(_:_:)`` as long as the socket is ready; watched anew it is for these events alone.
    func watch(_ socket: Int32, for events: UInt32)
    /// Ends that.
    func forget(_ socket: Int32)
    /// Calls ``HTTPClient/timeIsUp()`` once, in place of what was set before; nil for not at all.
    func setTimer(in milliseconds: Int?)
}
