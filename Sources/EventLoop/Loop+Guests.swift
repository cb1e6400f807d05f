// Whom a loop calls.
extension Loop {
    /// The server that a loop runs; every method is called on the loop's thread.
    package protocol Driven: AnyObject {
        /// Serves the connections that are ready.
        func run()
        /// Milliseconds until `run` is due without an event, -1 for never.
        var timeout: Int32 { get }
        /// Accepts connections that wait on the listening socket.
        func accept()
        /// Called when a watched socket has lost its peer, or is ready for what it is watched for.
        func changed(_ socket: Int32)
        func tick()
    }

    /// An object with sockets or a timer on a loop; every method is called on the loop's thread.
    package protocol Guest: AnyObject {
        /// Called when a socket is ready for something that it is watched for, or has failed.
        func ready(_ socket: Int32, _ readiness: Readiness)
        /// Called at the time that was set by ``Loop/setTimer(for:in:)``.
        func timeIsUp()
    }

    /// A loop without a server, for guests that are used outside of any loop; it runs as long as the process.
    package static func standalone() throws -> Loop {
        let loop = try Loop()
        try loop.start(nil, socket: nil)
        return loop
    }
}

extension Loop.Guest {
    /// For those that set no timer.
    package func timeIsUp() {}
}
