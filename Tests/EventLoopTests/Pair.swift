import EventLoop
import Glibc

/// Two sockets that are connected, and are closed when nobody knows them any more.
final class Pair {
    let near: Int32
    let far: Int32
    private var isFarOpen = true

    init() throws { (near, far) = try pair() }

    deinit {
        close(near)
        closeFar()
    }

    func closeFar() {
        if isFarOpen { close(far) }
        isFarOpen = false
    }

    /// Sends to the near one.
    func say(_ text: String) {
        let count = write(far, text, text.utf8.count)
        precondition(count == text.utf8.count)
    }

    /// Reads all that was sent to the near one.
    func hear() {
        var byte: UInt8 = 0
        while read(near, &byte, 1) == 1 {}
    }
}

/// Two sockets that are connected.
func pair() throws -> (Int32, Int32) {
    var sockets: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &sockets) == 0 else {
        throw SystemError("socketpair")
    }
    return (sockets[0], sockets[1])
}
