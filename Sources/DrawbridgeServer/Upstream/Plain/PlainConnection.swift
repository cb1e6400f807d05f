import Curl
import EventLoop
import Glibc
import MicroHTTPD

/// A connection to a server, used for one transfer after the other; touched on its loop's thread only.
///
/// The loop tells it once when there is something to read, or room to write, and it remembers that until there is not:
/// so a reader who waits costs nothing, and neither does one who goes on.
final class PlainConnection: Loop.Guest {
    let origin: Origin
    private let socket: Int32
    private unowned let loop: Loop
    private let whenLost: (PlainConnection) -> Void
    /// Who uses it now.
    @exclusivity(unchecked) private var user: PlainTransfer?
    @exclusivity(unchecked) private(set) var idleSince = 0
    @exclusivity(unchecked) private(set) var canRead = false
    @exclusivity(unchecked) private(set) var canWrite = true
    /// True when the server has closed its side: behind what it sent there is an end to be read.
    @exclusivity(unchecked) private var hasPeerLeft = false
    @exclusivity(unchecked) private var isClosed = false

    /// - Parameters:
    ///   - socket: closed in the end, also where this throws.
    ///   - whenLost: told when the server ends it, or says something, while nobody uses it; it is closed then.
    init(
        _ socket: Int32, to origin: Origin, on loop: Loop, whenLost: @escaping (PlainConnection) -> Void
    ) throws {
        self.socket = socket
        self.origin = origin
        self.loop = loop
        self.whenLost = whenLost
        try loop.watch(socket, for: Loop.readable | Loop.writable | Loop.closed | Loop.onceEach, self)
    }

    deinit { if !isClosed { Glibc.close(socket) } }

    /// Belongs to a transfer from now on.
    func serve(_ user: PlainTransfer) {
        self.user = user
        canRead = false
    }

    /// Belongs to nobody.
    func rest(at now: Int) {
        user = nil
        idleSince = now
    }

    /// Whether it is neither closed nor has anything to read, which nobody has asked for.
    var isAlive: Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        user = nil
        loop.dismiss(socket)
        Glibc.close(socket)
    }

    /// Reads: how many bytes, 0 at the end; -1 with `errno`, `EAGAIN` where there is nothing yet.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        // Less than there is room for is all that there was.
        canRead = count == buffer.count || (hasPeerLeft && count > 0)
        return count
    }

    /// Writes: how many bytes; -1 with `errno`, `EAGAIN` where there is no room.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = send(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        canWrite = count == bytes.count
        return count
    }

    // MARK: For the loop

    func ready(_ socket: Int32, _ events: UInt32) {
        let isReadable = events & ~Loop.writable != 0
        if events & ~(Loop.readable | Loop.writable) != 0 { hasPeerLeft = true }
        if isReadable { canRead = true }
        if events & ~Loop.readable != 0 { canWrite = true }
        if let user {
            user.goOn()
        } else if isReadable {
            close()
            whenLost(self)
        }
    }

    func timeIsUp() {}
}
