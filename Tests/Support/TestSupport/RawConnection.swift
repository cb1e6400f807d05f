import Glibc
import Synchronization

/// A connection to a ``RawUpstream``, as its script has it; all calls block, with a timeout.
///
/// Its script alone reads; what others may ask is behind locks: that makes it Sendable.
package final class RawConnection: @unchecked Sendable {
    let socket: Int32
    private let isOpen = Mutex(true)
    private var session: ServerSession?
    private let kept = Mutex<[UInt8]>([])
    private var buffer: [UInt8] = []
    private var first = 0

    /// True when the script is over, or has closed it.
    package let isOver = Observed(false)

    init(_ socket: Int32) {
        self.socket = socket
        var time = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }

    deinit { close() }

    /// Goes on encrypted; before anything is read or sent.
    func secure(_ identity: RawUpstream.Identity) throws { session = try ServerSession(socket, identity) }

    /// Ends the connection without the word by which TLS ends, as one does that is cut.
    package func cutOff() {
        session = nil
        close()
    }

    /// What came, as it came, but what ``drain(_:)`` drops.
    package var received: [UInt8] { kept.withLock { $0 } }

    // MARK: Reading

    /// Reads up to the empty line that ends a head, which is given with it.
    package func readHead() throws -> String {
        var text: [UInt8] = []
        repeat { text += try readLine() } while !text.hasSuffix("\r\n\r\n")
        return String(decoding: text, as: UTF8.self)
    }

    /// The next so many bytes.
    package func read(_ count: Int) throws -> [UInt8] {
        while buffer.count - first < count {
            guard try fill() else { throw RawClient.Failure.closed(after: buffer.count - first) }
        }
        defer { first += count }
        return Array(buffer[first..<first + count])
    }

    /// The next chunk of a chunked body; nil after the last.
    package func readChunk() throws -> [UInt8]? {
        let line = String(decoding: try readLine(), as: UTF8.self)
        guard line.hasSuffix("\r\n"), let count = Int(line.dropLast(1), radix: 16) else {
            throw RawClient.Failure.malformed("the chunk size \(line)")
        }
        let chunk = try read(count)
        guard try read(2) == [0x0D, 0x0A] else { throw RawClient.Failure.malformed("no CRLF behind a chunk") }
        return count > 0 ? chunk : nil
    }

    /// The whole body that a head announces.
    package func readBody(after head: String) throws -> [UInt8] {
        if let length = head.field("Content-Length") { return try read(Int(length) ?? 0) }
        guard head.field("Transfer-Encoding") == "chunked" else { return [] }
        var body: [UInt8] = []
        while let chunk = try readChunk() { body += chunk }
        return body
    }

    /// Reads and drops until the peer closes, or until so many bytes came; returns how many did.
    @discardableResult package func drain(_ limit: Int = .max) throws -> Int {
        var count = buffer.count - first
        buffer = []
        first = 0
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while count < limit {
            let more = receive(&piece, atMost: limit - count)
            if more < 0, errno == EAGAIN { throw RawClient.Failure.timeout }
            guard more > 0 else { break }
            count += more
        }
        return count
    }

    /// The next line, with its end.
    package func readLine() throws -> [UInt8] {
        var scanned = 0
        while true {
            if let end = buffer[(first + scanned)...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { first = end + 1 }
                return Array(buffer[first...end])
            }
            scanned = buffer.count - first
            guard try fill() else { throw RawClient.Failure.closed(after: scanned) }
        }
    }

    private func receive(_ piece: inout [UInt8], atMost limit: Int) -> Int {
        let limit = min(piece.count, limit)
        return session?.receive(&piece, atMost: limit) ?? recv(socket, &piece, limit, 0)
    }

    private func fill() throws -> Bool {
        guard isOpen.withLock({ $0 }) else { return false }
        if first == buffer.count {
            buffer = []
            first = 0
        }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = receive(&piece, atMost: .max)
        if count < 0, errno == EAGAIN { throw RawClient.Failure.timeout }
        guard count > 0 else { return false }
        buffer += piece[..<count]
        kept.withLock { $0 += piece[..<count] }
        return true
    }

    // MARK: Sending

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        if let session {
            guard isOpen.withLock({ $0 }) else { throw RawClient.Failure.closed(after: 0) }
            return try session.send(bytes)
        }
        var sent = 0
        while sent < bytes.count {
            guard isOpen.withLock({ $0 }) else { throw RawClient.Failure.closed(after: sent) }
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count >= 0 else {
                throw errno == EAGAIN ? RawClient.Failure.timeout : RawClient.Failure.system("send", errno)
            }
            sent += count
        }
    }

    // MARK: Ending

    package func close() {
        let isFirst = isOpen.withLock { isOpen in
            defer { isOpen = false }
            if isOpen {
                session?.finishSending()
                Glibc.close(socket)
            }
            return isOpen
        }
        if isFirst { isOver.change { $0 = true } }
    }

    /// Closes with RST.
    package func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        session = nil
        close()
    }

    /// Ends both directions, while the script may be reading.
    package func shutDown() { isOpen.withLock { if $0 { shutdown(socket, Int32(SHUT_RDWR)) } } }
}

extension String {
    /// The value of a field in the text of a head; nil where there is none.
    package func field(_ name: String) -> String? { fields(name).first }

    /// The values of all fields of that name, in their order.
    package func fields(_ name: String) -> [String] {
        split(separator: "\r\n").dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased()
            else {
                return nil
            }
            return String(line[colon...].dropFirst().drop { $0 == " " })
        }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
