import Curl

/// One request to a server and its answer, whoever speaks HTTP there; touched on its loop's thread only.
protocol UpstreamTransfer: AnyObject {
    /// Sends the request.
    func start()
    /// Copies what there is of the body to whoever reads it: 0 for nothing, here or yet.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Wants again what ``TransferOwner/receive(body:)`` did not take.
    func resumeReceiving()
    /// True where that has to be said.
    var isReceivingPaused: Bool { get }
    /// There is more of a streamed body, or its end.
    func resumeSending()
    /// The answer has begun, and may take its time.
    func isAnsweredNow()
    /// Ends it; the owner hears nothing more.
    func cancel()
}

extension Transfer: UpstreamTransfer {
    // Libcurl gives what comes, and is told to wait.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
}
