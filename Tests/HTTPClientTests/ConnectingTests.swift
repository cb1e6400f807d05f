import EventLoop
import Glibc
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(5)))
struct ConnectingTests {
    /// A server whose queue is full is tried again after a while: not by whoever has given up meanwhile.
    @Test func aConnectCancelledWhenItsTimerIsDueIsNotTriedAgain() async throws {
        let folder = try Folder()
        let server = try FullServer(at: "\(folder.path)/socket")
        let loop = try Loop.standalone()
        let tries = Atomic<Int>(0)
        let origin = Origin(.socket(server.path))
        let request = TransferRequest(
            origin, .get, "/", host: "localhost", body: .none, connectLimit: 3_600_000,
            silenceLimit: 3_600_000)
        await withCheckedContinuation { continuation in
            loop.perform {
                let connecting = Connecting(
                    for: request, { _, _ in tries.add(1, ordering: .relaxed) }, on: HTTPClient.of(loop))
                let leaving = Leaving {
                    connecting.cancel()
                    // Comes behind the round.
                    loop.performSoon { continuation.resume() }
                }
                loop.setTimer(for: leaving, in: 0)
                connecting.start { _ in }
                // Until both are due.
                let begin = Loop.now
                while Loop.now < begin + 20 {}
            }
        }
        #expect(tries.load(ordering: .relaxed) == 1)
    }
}

/// A Unix socket with a full queue, of which nobody takes any.
private final class FullServer: Sendable {
    let path: String
    private let sockets: [Int32]

    init(at path: String) throws {
        self.path = path
        var sockets: [Int32] = []
        func new() -> Int32 {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            sockets.append(socket(AF_UNIX, kind, 0))
            return sockets[sockets.count - 1]
        }
        let listening = new()
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let isBound = withUnsafeBytes(of: &name) { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return bind(listening, address, socklen_t(bytes.count)) == 0
        }
        guard isBound, listen(listening, 0) == 0 else { throw SystemError("listen") }
        let address = try #require(SocketAddress(path: path))
        while address.connect(new()) == 0 {}
        self.sockets = sockets
    }

    deinit { for socket in sockets { close(socket) } }
}

private final class Leaving: Loop.Guest, Sendable {
    private let act: @Sendable () -> Void

    init(_ act: @escaping @Sendable () -> Void) { self.act = act }

    func ready(_ socket: Int32, _ readiness: Readiness) {}

    func timeIsUp() { act() }
}
