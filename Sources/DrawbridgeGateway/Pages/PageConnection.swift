/// The channel of a page, as the core needs it: a WebSocket of the engine's, or a test.
package protocol PageConnection: AnyObject, Sendable {
    /// Sends a text to the page, in order, from any thread; never blocks.
    func send(_ text: [UInt8])

    func close()

    /// Where the page's calls are answered.
    var tasks: HandlerTasks? { get }

    /// Called when a call of the page is over, for the access log.
    ///
    /// - Parameter bytes: of the answer that the page is sent; nil where it is sent none.
    func answered(_ request: Request, _ response: Response, bytes: Int?, took: Duration)
}
