import Glibc
import HTTPTypes

@testable import EventLoop
@testable import HTTPClient
@testable import TLS

/// All that an upstream may send on a connection, upgrades included: a request has one end, and no byte too many.
///
/// The first byte of an input says how it is asked for and in what pieces it comes; the rest is what the server sends.
enum TransferTarget: FuzzTarget {
    /// What became of a request; on the loop's thread.
    private final class Owner: TransferOwner {
        var transfer: Transfer?
        var head: ResponseHead?
        var body = 0
        var ends = 0
        let tell: () -> Void

        init(_ tell: @escaping () -> Void) { self.tell = tell }

        func receive(_ head: ResponseHead) {
            check(self.head == nil, "two heads")
            self.head = head
        }

        func bodyIsThere() {
            var buffer = [UInt8](repeating: 0, count: 1000)
            while let count = buffer.withUnsafeMutableBytes({ transfer?.read(into: $0) }), count > 0 {
                body += count
            }
        }

        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int? { 0 }

        func sendingStopped() {}

        func ended(_ error: TransferError?) {
            ends += 1
            check(error != nil || head != nil, "an end without a head")
            bodyIsThere()
            tell()
        }
    }

    private static let loop: Loop = {
        guard let loop = try? Loop.standalone() else { fatalError("no loop") }
        return loop
    }()

    private static let path = "/tmp/drawbridge-fuzz-\(getpid())"

    private static let listener: Int32 = {
        unlink(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0, listen(listener, 8) == 0 else { fatalError("no socket") }
        return listener
    }()

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let (isUpgrade, isHead) = (first & 1 == 1, first & 2 == 2)
        let answer = Array(bytes.dropFirst())
        let server = listener
        let request = TransferRequest(
            Origin(.socket(path)), isHead ? .head : .get, "/", host: "fuzz", body: .none,
            connectLimit: 5000, silenceLimit: 5000, upgrade: isUpgrade && !isHead ? "websocket" : nil)
        let sent = wait { await transfer(request, answer, Int(first >> 2) + 1, server) }
        check(sent <= answer.count, "\(sent) bytes of a body of \(answer.count)")
    }

    /// Sends a request, and gives the number of bytes of its body.
    private static func transfer(
        _ request: TransferRequest, _ answer: [UInt8], _ step: Int, _ server: Int32
    ) async -> Int {
        await withCheckedContinuation { continuation in
            loop.perform {
                let owner = Owner {}
                let box = LoopBound(owner, to: loop)
                let transfer = Transfer(request, on: loop, for: owner)
                owner.transfer = transfer
                transfer.start()
                serve(answer, step, server) {
                    loop.perform { finish(box.value, continuation) }
                }
            }
        }
    }

    /// The server has closed: the transfer ends by that, or has ended, or waits for whoever takes its connection.
    private static func finish(_ owner: Owner, _ continuation: CheckedContinuation<Int, Never>) {
        let box = LoopBound(owner, to: loop)
        // The end is an event of the loop's, which comes after what it does now.
        loop.performSoon {
            let owner = box.value
            if owner.ends == 0 {
                owner.bodyIsThere()
                if let (transport, first) = owner.transfer?.takeConnection() {
                    check(owner.head?.status == .switchingProtocols, "a connection without a 101")
                    owner.body += first.count
                    transport.close()
                } else if owner.ends == 0 {
                    return finish(owner, continuation)
                }
            }
            check(owner.ends <= 1, "\(owner.ends) ends")
            owner.transfer = nil
            continuation.resume(returning: owner.body)
        }
    }

    /// Takes one connection, sends an answer in pieces and closes.
    private static func serve(
        _ answer: [UInt8], _ step: Int, _ server: Int32, _ tell: @escaping @Sendable () -> Void
    ) {
        BlockingCalls.run { () throws(TransferError) in
            let socket = accept(server, nil, nil)
            var rest = answer[...]
            while !rest.isEmpty {
                let count = rest.prefix(step).withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            close(socket)
        } _: { _ in
            tell()
        }
    }
}
