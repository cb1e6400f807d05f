import Curl
import Drawbridge
import EventLoop
import Glibc
import HTTPTypes
import MicroHTTPD

/// Asks a server to go on with bytes both ways, and waits for its word (RFC 9110, section 7.8).
///
/// It is touched on its loop's thread only: that makes it Sendable.
final class UpstreamOpening: Loop.Guest, @unchecked Sendable {
    /// The answer of the server.
    struct Beginning: Sendable {
        var head: ResponseHead
        /// Nil where the server does not agree.
        var tunnel: UpstreamTunnel?
        /// What it says then, as far as its head gives the length.
        var body: [UInt8] = []
    }

    /// More of a body is not waited for.
    private static let bodyLimit = 64 << 10

    private let loop: Loop
    private let origin: Origin
    private let host: String
    private let connectLimit: Int
    private let headLimit: Int
    private let guardian: UpstreamLoad.Guardian?

    private var connector: Connector?
    private var end: (any TunnelEnd)?
    private var outgoing: [UInt8] = []
    private var received: [UInt8] = []
    private var parsed = 0
    private var reader = ResponseHeadReader()
    private var head: ResponseHead?
    private var isOver = false
    private var continuation: CheckedContinuation<Beginning, any Error>?

    init(
        on loop: Loop, _ origin: Origin, host: String, connectLimit: Int, headLimit: Int,
        guardian: UpstreamLoad.Guardian?
    ) {
        self.loop = loop
        self.origin = origin
        self.host = host
        self.connectLimit = connectLimit
        self.headLimit = headLimit
        self.guardian = guardian
    }

    /// Connects, asks and waits.
    ///
    /// - Parameters:
    ///   - fields: with `Connection` and `Upgrade`, without `Host`.
    /// - Throws: a `TransferError`, or a `CancellationError`.
    func open(_ target: String, host: String, _ fields: HTTPFields) async throws -> Beginning {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loop.perform { [self] in
                    guard !isOver else { return continuation.resume(throwing: CancellationError()) }
                    self.continuation = continuation
                    outgoing = Self.head(target, host, fields)
                    connect()
                }
            }
        } onCancel: {
            loop.perform { self.finish(.failure(CancellationError())) }
        }
    }

    private static func head(_ target: String, _ host: String, _ fields: HTTPFields) -> [UInt8] {
        var head = Array("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n".utf8)
        for field in fields {
            head += Array("\(field.name.rawName): ".utf8)
            field.withUnsafeBytesOfValue { head += $0 }
            head += [0x0D, 0x0A]
        }
        return head + [0x0D, 0x0A]
    }

    private func connect() {
        let connector = Connector(
            to: origin, host: self.host, connectLimit: connectLimit, on: LoopClient.of(loop).client,
            guardian: guardian)
        self.connector = connector
        connector.start { [self] result in
            self.connector = nil
            switch result {
            case .success(.plain(let socket)): begin(with: PlainEnd(socket))
            case .success(.encrypted(let connection)): begin(with: EncryptedEnd(connection))
            case .failure(let error): finish(.failure(error))
            }
        }
    }

    private func begin(with end: any TunnelEnd) {
        self.end = end
        loop.setTimer(for: self, in: headLimit)
        goOn()
    }

    // MARK: For the loop

    func ready(_ socket: Int32, _ events: UInt32) { goOn() }

    func timeIsUp() {
        finish(.failure(TransferError.noAnswer(of: host, within: headLimit)))
    }

    private func goOn() {
        guard let end else { return }
        while !outgoing.isEmpty {
            let count = outgoing.withUnsafeBytes { end.write($0) }
            guard count >= 0 else {
                if errno == EAGAIN { break }
                return fail(.malformed, "\(host) closed the connection before it answered")
            }
            outgoing.removeFirst(count)
        }
        read(from: end)
        guard !isOver else { return }
        do {
            try loop.watch(
                end.descriptor, for: outgoing.isEmpty ? Loop.readable : Loop.readable | Loop.writable, self)
        } catch {
            fail(.unreachable, "\(error)")
        }
    }

    private func read(from end: any TunnelEnd) {
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        while !isOver {
            let count = buffer.withUnsafeMutableBytes { end.read(into: $0) }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                if head != nil { return complete() }
                return fail(.malformed, "\(host) closed the connection before it answered")
            }
            received += buffer[..<count]
            parse()
        }
    }

    private func parse() {
        while head == nil, let end = received[parsed...].firstIndex(of: UInt8(ascii: "\n")) {
            let isWithReturn = end > parsed && received[end - 1] == UInt8(ascii: "\r")
            let line = received[parsed..<(isWithReturn ? end - 1 : end)]
            parsed = end + 1
            do {
                head = try line.withUnsafeBytes { bytes in try reader.read(bytes) }
            } catch {
                return fail(.malformed, "the answer of \(host) is no HTTP: \(error)")
            }
            // What it says while it thinks about it.
            if let status = head?.status, status.kind == .informational, status != .switchingProtocols {
                head = nil
            }
        }
        guard let head else {
            if received.count > 256 << 10 { fail(.malformed, "the head of \(host)'s answer has no end") }
            return
        }
        if head.status == .switchingProtocols { return complete() }
        let body = received.count - parsed
        if body >= min(head.contentLength ?? 0, Self.bodyLimit) { complete() }
    }

    private func complete() {
        guard let head, let end else { return }
        let rest = Array(received[parsed...])
        loop.dismiss(end.descriptor)
        if head.status == .switchingProtocols {
            self.end = nil
            finish(.success(Beginning(head: head, tunnel: UpstreamTunnel(end, rest, on: loop))))
        } else {
            let body = Array(rest.prefix(min(head.contentLength ?? 0, Self.bodyLimit)))
            finish(.success(Beginning(head: head, body: body)))
        }
    }

    private func fail(_ kind: TransferError.Kind, _ text: String) {
        finish(.failure(TransferError(kind, text)))
    }

    private func finish(_ result: Result<Beginning, any Error>) {
        guard !isOver else { return }
        isOver = true
        connector?.cancel()
        connector = nil
        loop.setTimer(for: self, in: nil)
        if let end {
            loop.dismiss(end.descriptor)
            end.close()
        }
        end = nil
        continuation?.resume(with: result)
        continuation = nil
    }
}
