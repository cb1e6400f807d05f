import Dispatch
import Glibc

/// A TCP client that sends exactly the bytes it is given and parses replies strictly.
///
/// All calls block, with a timeout; from a test they are made inside ``blocking(_:)``. One thread at a time uses it:
/// that makes it Sendable.
package final class RawClient: @unchecked Sendable {
    package enum Failure: Error, Equatable {
        case system(String, Int32)
        case timeout
        /// The peer closed before a whole reply was there.
        case closed(after: Int)
        case malformed(String)
    }

    /// The version of TLS, nil for plain text.
    package var tlsVersion: String? { session?.version }

    package private(set) var descriptor: Int32
    private var buffer: [UInt8] = []
    private var first = 0
    private var wasReset = false
    private var session: SecureSession?

    package init(_ port: Int, receiveBuffer: Int32? = nil, timeout: Double = 60) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure.system("socket", errno) }
        if let receiveBuffer { set(SO_RCVBUF, receiveBuffer) }
        self.timeout(timeout)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let reason = errno
            Glibc.close(descriptor)
            descriptor = -1
            throw Failure.system("connect", reason)
        }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Agrees on keys, trusting whoever is there; what is sent and read from here on is encrypted.
    ///
    /// - Parameter priorities: what to offer, as GnuTLS takes it.
    package func secure(_ priorities: String = "NORMAL", inPieces: Bool = false) throws {
        session = try SecureSession(descriptor, priorities, inPieces: inPieces)
    }

    /// The first message of a handshake.
    package static func hello(_ priorities: String = "NORMAL") throws -> [UInt8] {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Failure.system("socketpair", errno) }
        defer { for end in ends { Glibc.close(end) } }
        // Nobody answers.
        do { _ = try SecureSession(ends[0], priorities) } catch Failure.timeout {}
        var hello = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(ends[1], &hello, hello.count, 0)
        return Array(hello.prefix(max(0, count)))
    }

    /// Parses what was read before.
    package init(reading bytes: [UInt8]) {
        descriptor = -1
        buffer = bytes
    }

    deinit { close() }

    /// How long a read or a write may wait.
    package func timeout(_ seconds: Double) {
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(seconds * 1_000_000) % 1_000_000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Sending

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count { sent += try sendSome(bytes[sent...]) }
    }

    /// Sends what fits, and returns how much that was.
    package func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
        if let session { return try session.send(bytes) }
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count >= 0 else { throw errno == EAGAIN ? Failure.timeout : Failure.system("send", errno) }
        return count
    }

    /// Sends as much as the peer takes without a pause of half a second, and returns how much that was.
    package func sendUntilBlocked(_ piece: [UInt8], atMost limit: Int) throws -> Int {
        timeout(0.5)
        defer { timeout(60) }
        var sent = 0
        while sent < limit {
            do { sent += try sendSome(piece[...]) } catch Failure.timeout { break }
        }
        return sent
    }

    /// Says that nothing more will be sent.
    package func finishSending() {
        session?.finishSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    package func close() {
        session?.finishSending()
        session = nil
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Closes with RST.
    package func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        session = nil
        close()
    }

    // MARK: Reading

    /// Bytes that have come and were not parsed.
    package var unread: Int { buffer.count - first }

    /// Reads once more; false at the end.
    private func fill() throws -> Bool {
        guard descriptor >= 0 else { return false }
        if first > 0, first * 2 >= buffer.count {
            buffer.removeFirst(first)
            first = 0
        }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count: Int
        do {
            count = try receive(&piece)
        } catch Failure.system("recv", ECONNRESET) {
            wasReset = true
            return false
        }
        buffer += piece[..<count]
        return count > 0
    }

    private func receive(_ piece: inout [UInt8]) throws -> Int {
        if let session { return try session.receive(&piece) }
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count >= 0 else { throw errno == EAGAIN ? Failure.timeout : Failure.system("recv", errno) }
        return count
    }

    private func line() throws -> String {
        var scanned = first
        while true {
            if let end = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
                guard end > first, buffer[end - 1] == UInt8(ascii: "\r") else {
                    throw Failure.malformed("a line without CR")
                }
                let line = buffer[first..<end - 1]
                guard line.allSatisfy({ $0 >= 0x20 || $0 == 9 }) else {
                    throw Failure.malformed("a control character in the head")
                }
                first = end + 1
                return String(decoding: line, as: UTF8.self)
            }
            let distance = buffer.count - first
            guard try fill() else { throw Failure.closed(after: buffer.count - first) }
            scanned = first + distance
        }
    }

    /// The next bytes of a body.
    package func bytes(_ count: Int) throws -> [UInt8] {
        while buffer.count - first < count {
            guard try fill() else { throw Failure.closed(after: buffer.count - first) }
        }
        defer { first += count }
        return Array(buffer[first..<first + count])
    }

    /// Reads the head of a reply.
    package func head() throws -> RawAnswer {
        let status = try line()
        let parts = status.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            let code = Int(parts[1])
        else { throw Failure.malformed("the status line: \(status)") }
        var reply = RawAnswer(status: code)
        while true {
            let line = try line()
            if line.isEmpty { return reply }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                !line[..<colon].contains(where: \.isWhitespace)
            else { throw Failure.malformed("a header: \(line)") }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            reply.headers.append((String(line[..<colon]), String(value)))
        }
    }

    /// Reads one whole reply; one to a `HEAD` request has no body.
    package func reply(toHead: Bool = false) throws -> RawAnswer {
        var reply = try head()
        if toHead || reply.status < 200 || reply.status == 204 || reply.status == 304 { return reply }
        reply.body = try wholeBody(of: reply)
        return reply
    }

    /// Reads the body behind a head that has one.
    package func wholeBody(of reply: RawAnswer) throws -> [UInt8] {
        var body: [UInt8] = []
        let lengths = reply.all("Content-Length")
        let codings = reply.all("Transfer-Encoding")
        guard lengths.count + codings.count <= 1 else { throw Failure.malformed("two framings") }
        if let length = lengths.first {
            guard let count = Int(length) else { throw Failure.malformed("the length \(length)") }
            body = try bytes(count)
        } else if let coding = codings.first {
            guard coding == "chunked" else { throw Failure.malformed("the coding \(coding)") }
            while let chunk = try chunk() { body += chunk }
        } else {
            while try fill() {}
            // The end of the connection is that of the body, but not any end.
            guard !wasReset else { throw Failure.closed(after: unread) }
            body = try bytes(unread)
        }
        return body
    }

    /// The next chunk of a chunked body; nil after the last.
    package func chunk() throws -> [UInt8]? {
        let size = try line()
        guard size.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let count = Int(size, radix: 16)
        else {
            throw Failure.malformed("the chunk size \(size)")
        }
        let chunk = count > 0 ? try bytes(count) : []
        guard try line().isEmpty else { throw Failure.malformed("no CRLF behind a chunk") }
        return count > 0 ? chunk : nil
    }

    /// Reads what is there until the peer closes.
    package func readToEnd() throws -> [UInt8] {
        while try fill() {}
        return try bytes(unread)
    }

    /// Reads and drops until the peer closes; returns how many bytes came.
    package func drainToEnd() throws -> Int {
        var count = unread
        buffer = []
        first = 0
        while try fill() {
            count += buffer.count
            buffer = []
        }
        return count
    }

    /// Reads and drops at most `count` bytes; returns how many came.
    package func readSome(_ count: Int) throws -> Int {
        var piece = [UInt8](repeating: 0, count: count)
        return try receive(&piece)
    }

    /// Ends both directions, while another thread may be reading.
    package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Reads all replies until the peer closes.
    ///
    /// Throws when it does not, or when a byte is left over.
    package func repliesToEnd() throws -> [RawAnswer] {
        var replies: [RawAnswer] = []
        while try unread > 0 || fill() { replies.append(try reply()) }
        return replies
    }

    /// True when the peer closes within the timeout, whatever it sent before.
    package func isClosedByPeer() throws -> Bool {
        do {
            while try fill() {}
            return true
        } catch Failure.timeout {
            return false
        }
    }
}

/// One reply as it was read.
package struct RawAnswer: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []

    package init(status: Int) { self.status = status }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    package subscript(name: String) -> String? { all(name).first }
}
