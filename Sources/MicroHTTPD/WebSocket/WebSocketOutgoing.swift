import Glibc

struct WebSocketOutgoing {
    enum Outcome {
        case taken
        case full
        /// The close frame is queued, so no frame may follow.
        case shut
    }

    enum Progress {
        case drained
        case blocked
        case broken
    }

    /// Small frames are joined into chunks up to this size in bytes.
    private static let together = 16 << 10
    /// At most this many pongs are queued; of further pings only the last is answered (RFC 6455, section 5.5.3).
    private static let mostPongs = 64

    private var chunks: [[UInt8]] = []
    private var first = 0
    /// The number of bytes of the first chunk that are sent.
    private var sent = 0
    private var pongs = 0
    private var latePong: [UInt8]?
    private var isFlushDue = false

    private(set) var count = 0
    private(set) var isShut = false

    mutating func add(_ text: [UInt8], limit: Int) -> Outcome {
        guard !isShut else { return .shut }
        guard count == 0 || text.count <= limit - count else { return .full }
        append(.text, text)
        return .taken
    }

    mutating func ping() { if !isShut { append(.ping, []) } }

    mutating func pong(_ payload: [UInt8]) {
        guard !isShut else { return }
        if pongs < Self.mostPongs {
            pongs += 1
            append(.pong, payload)
        } else {
            latePong = payload
        }
    }

    /// Queues the close frame, after which no frame is accepted; returns false if one is queued already.
    mutating func shut(_ code: WebSocketCloseCode, _ reason: String) -> Bool {
        guard !isShut else { return false }
        append(.close, WebSocketFrame.closing(code, reason))
        isShut = true
        latePong = nil
        return true
    }

    mutating func drop() {
        self = WebSocketOutgoing()
        isShut = true
    }

    /// Returns true if the caller must schedule a flush, false if one is already scheduled.
    mutating func askForFlush() -> Bool {
        defer { isFlushDue = true }
        return !isFlushDue
    }

    /// Sends frames until the queue is empty or the socket is full.
    ///
    /// - Parameter send: works like `send(2)`; the flag says whether these are the last bytes for now.
    mutating func write(
        _ send: (UnsafeRawBufferPointer, Bool) -> Int
    ) -> (progress: Progress, sent: Int) {
        isFlushDue = false
        let before = count
        while true {
            while first < chunks.count {
                let isLast = first == chunks.count - 1
                let written = chunks[first].withUnsafeBytes {
                    send(UnsafeRawBufferPointer(rebasing: $0[sent...]), isLast)
                }
                guard written >= 0 else {
                    if errno == EINTR { continue }
                    return (errno == EAGAIN ? .blocked : .broken, before - count)
                }
                count -= written
                sent += written
                guard sent == chunks[first].count else { continue }
                chunks[first] = []
                first += 1
                sent = 0
            }
            chunks = []
            first = 0
            pongs = 0
            guard let pong = latePong else { return (.drained, before - count) }
            latePong = nil
            append(.pong, pong)
        }
    }

    private mutating func append(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) {
        let before = chunks.last?.count ?? 0
        if chunks.isEmpty || before > Self.together { chunks.append([]) }
        let last = chunks.count - 1
        let start = chunks[last].count
        WebSocketFrame.addHead(opcode, count: payload.count, to: &chunks[last])
        count += chunks[last].count - start + payload.count
        if payload.count > Self.together {
            chunks.append(payload)
        } else {
            chunks[last] += payload
        }
    }
}

/// Encoding of frames (RFC 6455, section 5.2).
enum WebSocketFrame {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    static let mostOfControl = 125

    /// The size in bytes of the head of a masked frame with a 64-bit length.
    static let longestHead = 14

    /// Appends the head of an unfragmented frame; a server does not mask its frames.
    static func addHead(_ opcode: Opcode, count: Int, to bytes: inout [UInt8]) {
        bytes.append(0x80 | opcode.rawValue)
        switch count {
        case ..<126:
            bytes.append(UInt8(count))
        case ..<65_536:
            bytes.append(126)
            bytes.append(UInt8(count >> 8))
            bytes.append(UInt8(count & 0xFF))
        default:
            bytes.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: count >> shift))
            }
        }
    }

    /// The payload of a close frame: the code, and the reason truncated to fit.
    static func closing(_ code: WebSocketCloseCode, _ reason: String) -> [UInt8] {
        guard code != .none else { return [] }
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        for scalar in reason.unicodeScalars {
            let bytes = UTF8.encode(scalar)
            guard let bytes, payload.count + bytes.count <= mostOfControl else { break }
            payload += bytes
        }
        return payload
    }
}
