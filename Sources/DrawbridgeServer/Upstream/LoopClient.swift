import Curl
import EventLoop
import Glibc
import MicroHTTPD
import Synchronization

/// The HTTP clients of one loop; made when they are first asked for.
///
/// It is touched on the loop's thread only: that makes it Sendable.
final class LoopClient: EventLoop, Loop.Guest, @unchecked Sendable {
    private(set) var client: HTTPClient!
    /// For what is not encrypted.
    let plain: PlainClient
    private unowned let loop: Loop

    private init(_ loop: Loop) {
        self.loop = loop
        let plain = PlainClient(on: loop)
        self.plain = plain
        client = HTTPClient(on: self)
        plain.connecting = client
    }

    /// That of a loop; on its thread.
    static func of(_ loop: Loop) -> LoopClient {
        // Nothing else is attached.
        if let known = loop.attachment { return unsafeDowncast(known, to: LoopClient.self) }
        let new = LoopClient(loop)
        loop.attachment = new
        return new
    }

    /// The loop whose thread this is; where there is none, one that all such callers share.
    static func loop() throws -> Loop {
        if let current = Loop.current { return current }
        return try shared.withLock { shared in
            if let shared { return shared }
            let new = try Loop.standalone()
            shared = new
            return new
        }
    }

    private static let shared = Mutex<Loop?>(nil)

    // MARK: For the client

    var now: Int { Loop.now }

    func watch(_ socket: Int32, for events: UInt32) { try? loop.watch(socket, for: events, self) }

    func forget(_ socket: Int32) { loop.dismiss(socket) }

    func setTimer(in milliseconds: Int?) { loop.setTimer(for: self, in: milliseconds) }

    // MARK: For the loop

    func ready(_ socket: Int32, _ events: UInt32) { client.ready(socket, events) }

    func timeIsUp() { client.timeIsUp() }
}
