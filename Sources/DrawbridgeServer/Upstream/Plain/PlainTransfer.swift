import Curl
import Glibc
import HTTPTypes
import MicroHTTPD

/// One request without encryption and its answer, on a connection that libcurl has made.
///
/// It is its own because libcurl's share of a small request was as large as all the rest, and because whoever reads a
/// large answer can have it straight from the socket. It is touched on its loop's thread only.
final class PlainTransfer: UpstreamTransfer {
    /// What is read of an answer with its head.
    private static let firstPiece = 32 << 10
    private static let longestLine = 64 << 10

    private enum Sending {
        /// What `outgoing` has is the last.
        case last
        case body([UInt8])
        case stream(isChunked: Bool)
        /// The stream has nothing yet.
        case waiting(isChunked: Bool)
    }

    private enum Receiving {
        case head
        case length(left: Int)
        case chunks(ChunkReader)
        case toEnd
        case over
    }

    private let request: TransferRequest
    private let client: PlainClient
    /// Kept until the end.
    @exclusivity(unchecked) private var owner: UpstreamLoad?
    /// Where it stands among the client's.
    @exclusivity(unchecked) var place = -1

    @exclusivity(unchecked) private var connector: Connector?
    @exclusivity(unchecked) private var connection: PlainConnection?
    @exclusivity(unchecked) private var attempts = 0
    /// Whether another request had the connection before.
    @exclusivity(unchecked) private var isUsedAgain = false
    /// Whether another may have it afterwards.
    @exclusivity(unchecked) private var isReusable = true

    @exclusivity(unchecked) private var sending = Sending.last
    @exclusivity(unchecked) private var outgoing: [UInt8] = []
    @exclusivity(unchecked) private var sentCount = 0
    @exclusivity(unchecked) private var hasFilled = false
    /// When the other side was last given something, or had to be waited for.
    @exclusivity(unchecked) private var moved = 0

    @exclusivity(unchecked) private var receiving = Receiving.head
    @exclusivity(unchecked) private var reader: ResponseHeadReader
    /// A line whose end is still to come.
    @exclusivity(unchecked) private var line: [UInt8] = []
    @exclusivity(unchecked) private var hasHeard = false
    @exclusivity(unchecked) private var isAnswered = false

    init(_ request: TransferRequest, on client: PlainClient, for owner: UpstreamLoad) {
        self.request = request
        self.client = client
        self.owner = owner
        reader = ResponseHeadReader(known: client.knownLines)
    }

    func start() {
        client.add(self)
        moved = client.now
        if let known = client.take(to: request.origin) {
            isUsedAgain = true
            begin(on: known)
        } else {
            connect()
        }
    }

    func isAnsweredNow() { isAnswered = true }

    func cancel() {
        guard owner != nil else { return }
        owner = nil
        release()
    }

    /// Ends it when the head of its answer is too late.
    func check(at now: Int) {
        if case .waiting = sending { return }
        guard !isAnswered, now - moved > request.headLimit else { return }
        end(with: .noAnswer(of: request.host, within: request.headLimit))
    }

    // MARK: The connection

    private func connect() {
        let connector = Connector(
            to: request.origin, host: request.host, connectLimit: request.connectLimit, on: client.connecting)
        self.connector = connector
        connector.start { [self] result in
            self.connector = nil
            switch result {
            case .success(.plain(let socket)):
                do {
                    begin(on: try client.connection(socket, to: request.origin))
                } catch {
                    end(with: TransferError(.unreachable, "\(error)"))
                }
            case .success(.encrypted(let connection)): connection.close()
            case .failure(let error): end(with: error)
            }
        }
    }

    private func begin(on connection: PlainConnection) {
        self.connection = connection
        connection.serve(self)
        isReusable = true
        attempts += 1
        outgoing = request.head
        sentCount = 0
        switch request.body {
        case .none: sending = .last
        case .bytes: sending = .body(request.remainingBody)
        case .stream(let length): sending = .stream(isChunked: length == nil)
        }
        goOnSending()
    }

    /// The connection may be read, or written.
    func goOn() {
        if connection?.canWrite == true { goOnSending() }
        while connection?.canRead == true, case .head = receiving { readHead() }
        if connection?.canRead == true { owner?.bodyIsThere() }
    }

    /// The connection is of no more use.
    ///
    /// - Parameter code: nil where it has ended in good order.
    private func broke(_ code: Int32?) {
        connection?.close()
        connection = nil
        // A connection that was used before may have been closed before it had the request (RFC 9112, section 9.3.1).
        guard !isUsedAgain || hasHeard else {
            guard request.isIdempotent, attempts < 2, !hasFilled else {
                return end(
                    with: TransferError(
                        .malformed,
                        "\(request.host) closed the connection before it answered \(request.method)"))
            }
            isUsedAgain = false
            return connect()
        }
        let why = code.map { String(cString: strerror($0)) } ?? "the connection was closed"
        end(with: TransferError(.malformed, "the answer of \(request.host) broke off: \(why)"))
    }

    private func end(with error: TransferError?) {
        guard let owner else { return }
        self.owner = nil
        release(keeping: error == nil && isReusable)
        owner.ended(error)
    }

    private func release(keeping isKept: Bool = false) {
        client.remove(self)
        connector?.cancel()
        connector = nil
        guard let connection else { return }
        self.connection = nil
        if isKept { client.keep(connection) } else { connection.close() }
    }

    /// Ends it where the answer is whole, and all of the request has been sent.
    private func endIfOver() {
        if case .over = receiving, case .last = sending, outgoing.isEmpty { end(with: nil) }
    }

    // MARK: Sending

    func resumeSending() {
        guard case .waiting(let isChunked) = sending else { return }
        sending = .stream(isChunked: isChunked)
        moved = client.now
        goOnSending()
    }

    private func goOnSending() {
        while let connection {
            while sentCount < outgoing.count {
                let count = outgoing.withUnsafeBytes { bytes in
                    connection.write(UnsafeRawBufferPointer(rebasing: bytes[sentCount...]))
                }
                guard count >= 0 else {
                    // What it said before it went is still to be read.
                    if errno != EAGAIN { stopSending() }
                    return endIfOver()
                }
                sentCount += count
                moved = client.now
            }
            outgoing = []
            sentCount = 0
            guard fillOutgoing() else { return endIfOver() }
        }
    }

    /// Takes more of the body; returns false where there is none, or none yet.
    private func fillOutgoing() -> Bool {
        switch sending {
        case .last, .waiting: return false
        case .body(let bytes):
            outgoing = bytes
            sending = .last
        case .stream(let isChunked):
            guard let count = owner?.fill(client.buffer) else {
                sending = .waiting(isChunked: isChunked)
                return false
            }
            hasFilled = true
            if count == 0 { sending = .last }
            let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(client.buffer)[..<count])
            outgoing =
                isChunked
                ? Array("\(String(count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A] : Array(bytes)
        }
        return !outgoing.isEmpty
    }

    /// Nothing more is sent: the answer is no success, or nobody takes it.
    private func stopSending() {
        sending = .last
        outgoing = []
        sentCount = 0
        isReusable = false
    }

    // MARK: Receiving

    private func readHead() {
        guard let connection else { return }
        let buffer = UnsafeMutableRawBufferPointer(rebasing: client.buffer[..<Self.firstPiece])
        let count = connection.read(into: buffer)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { broke(count == 0 ? nil : errno) }
            return
        }
        hasHeard = true
        var rest = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        while case .head = receiving {
            guard let start = rest.baseAddress,
                let newline = memchr(start, Int32(UInt8(ascii: "\n")), rest.count)
            else { break }
            let end = newline - start
            read(line: UnsafeRawBufferPointer(rebasing: rest[..<end]))
            guard owner != nil else { return }
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[(end + 1)...])
        }
        if case .head = receiving {
            line += rest
            if line.count > Self.longestLine {
                end(with: .noHTTP(of: request.host, MalformedResponse("a line of the head has no end")))
            }
        } else {
            let taken = take(rest)
            if taken > 0 { _ = owner?.receive(body: UnsafeRawBufferPointer(rebasing: rest[..<taken])) }
            endIfOver()
        }
    }

    /// Reads a line, without the newline at its end.
    private func read(line end: UnsafeRawBufferPointer) {
        guard line.isEmpty else {
            let whole = line + end
            line = []
            return whole.withUnsafeBytes { read(line: $0) }
        }
        let isWithReturn = end.last == UInt8(ascii: "\r")
        do {
            let line = isWithReturn ? UnsafeRawBufferPointer(rebasing: end.dropLast()) : end
            if let head = try reader.read(line, from: request.host) { begin(head) }
        } catch {
            self.end(with: error)
        }
    }

    private func begin(_ head: ResponseHead) {
        receiving =
            if request.method == .head || head.status == .noContent || head.status == .notModified {
                .over
            } else if head.isChunked {
                .chunks(ChunkReader())
            } else if let length = head.contentLength {
                length == 0 ? .over : .length(left: length)
            } else {
                .toEnd
            }
        if !head.keepsConnection { isReusable = false }
        let isSent = if case .last = sending { outgoing.isEmpty } else { false }
        if head.status.code >= 300, !isSent { stopSending() }
        owner?.receive(head)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while let connection, connection.canRead {
            var target = buffer
            switch receiving {
            case .head, .over: return 0
            case .length(let left): target = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(left))
            case .chunks, .toEnd: break
            }
            let count = connection.read(into: target)
            guard count > 0 else {
                if count < 0, errno == EAGAIN { return 0 }
                if count == 0, case .toEnd = receiving {
                    receiving = .over
                    isReusable = false
                    endIfOver()
                } else {
                    broke(count == 0 ? nil : errno)
                }
                return 0
            }
            let taken = take(UnsafeMutableRawBufferPointer(rebasing: target[..<count]))
            endIfOver()
            if taken > 0 { return taken }
        }
        return 0
    }

    /// Moves what belongs to the body to the front of what was received, and says how much that is.
    private func take(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        var (read, taken) = (bytes.count, bytes.count)
        switch receiving {
        case .head, .toEnd: break
        case .over: (read, taken) = (0, 0)
        case .length(let left):
            taken = min(left, bytes.count)
            read = taken
            receiving = left == taken ? .over : .length(left: left - taken)
        case .chunks(var chunks):
            do {
                (read, taken) = try chunks.read(bytes)
            } catch {
                end(with: .noHTTP(of: request.host, error))
                return 0
            }
            receiving = chunks.isOver ? .over : .chunks(chunks)
        }
        // What nobody asked for is in nobody's answer.
        if read < bytes.count { isReusable = false }
        return taken
    }

    // Nothing comes that was not asked for.
    var isReceivingPaused: Bool { false }
    func resumeReceiving() {}
}

extension ResponseHead {
    /// Whether the server takes another request on the connection, if the body has an end of its own (RFC 9112, section
    /// 9.3).
    fileprivate var keepsConnection: Bool {
        var keeps = !isOldVersion
        for field in fields where field.name == .connection {
            // What nearly every server says.
            if field.value == "keep-alive" {
                keeps = true
                continue
            }
            for option in field.value.split(separator: ",") {
                let option = option.filter { $0 != " " && $0 != "\t" }.lowercased()
                if option == "close" { return false }
                if option == "keep-alive" { keeps = true }
            }
        }
        return keeps
    }
}
