/// The wire to a page, as the core needs it: a WebSocket of the engine's, or a test.
package protocol PageConnection: AnyObject, Sendable {
    /// Sends a text to the page, in order, from any thread; never blocks.
    func send(_ text: [UInt8])

    /// Ends the connection.
    func close()

    /// Where the page's calls are answered.
    var loop: (any HandlerLoop)? { get }

    /// A call of the page's was answered; for the access log.
    func answered(_ request: Request, _ response: Response, took: Duration)
}
