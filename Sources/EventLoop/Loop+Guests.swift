// Whom a loop calls.
extension Loop {
    /// What the loop drives; every method is called on the loop's thread.
    package protocol Driven: AnyObject {
        /// Serves what is ready.
        func run()
        /// Milliseconds until `run` is due without an event, -1 for never.
        var timeout: Int32 { get }
        /// Connections wait to be taken.
        func accept()
        /// A watched socket lost its peer, or is ready for what it was watched for.
        func changed(_ socket: Int32)
        /// A second has passed.
        func tick()
    }

    /// Who has sockets of its own on a loop; every method is called on the loop's thread.
    package protocol Guest: AnyObject {
        /// A socket is ready for something that it is watched for, or has failed.
        func ready(_ socket: Int32, _ readiness: Readiness)
        /// The time has come that was set by ``Loop/setTimer(for:in:)``.
        func timeIsUp()
    }

    /// A loop without a server, for guests that are asked where no loop is; it runs as long as the process.
    package static func standalone() throws -> Loop {
        let loop = try Loop()
        try loop.start(Nobody(), socket: nil)
        return loop
    }
}

extension Loop.Guest {
    /// For those that set no timer.
    package func timeIsUp() {}
}

/// What a loop drives that is there for its guests alone.
private final class Nobody: Loop.Driven {
    func run() {}
    var timeout: Int32 { -1 }
    func accept() {}
    func changed(_ socket: Int32) {}
    func tick() {}
}
