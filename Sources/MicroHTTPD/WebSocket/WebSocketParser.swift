/// Parses a client's frames into messages (RFC 6455, section 5).
///
/// It does no input or output, and buffers only the current message. A violation is reported at the first byte that
/// shows it, except invalid UTF-8, which is reported at the end of the message.
package struct WebSocketParser {
    package enum Event: Equatable, Sendable {
        case text([UInt8])
        case ping([UInt8])
        case pong
        /// A close frame, after which nothing is parsed.
        case close(WebSocketCloseCode, reason: String)
    }

    /// A violation of the protocol or of a limit; it ends the connection.
    package struct Violation: Error, Equatable {
        package let code: WebSocketCloseCode
        package let message: String
    }

    private let limits: WebSocketLimits

    /// The bytes of the current frame's head that have arrived.
    private var head = InlineArray<14, UInt8>(repeating: 0)
    private var headCount = 0

    // The current frame, after its head.
    private var isInPayload = false
    private var opcode = WebSocketFrame.Opcode.continuation
    private var isFinal = false
    private var mask: UInt32 = 0
    /// The bytes of the payload that have arrived, and those that are missing.
    private var taken = 0
    private var left = 0
    private var control: [UInt8] = []

    // The current message, over all its frames.
    private var isInMessage = false
    private var message: [UInt8] = []
    private var frames = 0

    /// True after a close frame or a violation; further input is ignored.
    package private(set) var isOver = false

    package init(_ limits: WebSocketLimits = WebSocketLimits()) { self.limits = limits }

    package var keptBytes: Int { message.count + control.count + headCount }

    /// Parses received bytes; they are unmasked in place.
    package mutating func parse(
        _ bytes: UnsafeMutableRawBufferPointer, _ deliver: (Event) -> Void
    ) throws(Violation) {
        do throws(Violation) {
            var position = 0
            while !isOver {
                if !isInPayload {
                    try readHead(bytes, &position)
                    // False if the head is incomplete. An empty payload continues below even if no bytes are left.
                    guard isInPayload else { return }
                }
                let end = position + min(left, bytes.count - position)
                try take(UnsafeMutableRawBufferPointer(rebasing: bytes[position..<end]), deliver)
                position = end
                guard !isInPayload else { return }
            }
        } catch {
            drop()
            throw error
        }
    }

    package mutating func drop() {
        isOver = true
        message = []
    }

    private mutating func readHead(
        _ bytes: UnsafeMutableRawBufferPointer, _ position: inout Int
    ) throws(Violation) {
        while position < bytes.count {
            head[headCount] = bytes[position]
            headCount += 1
            position += 1
            if headCount == 2 { try checkStart() }
            guard headCount >= 2 else { continue }
            // A length is judged before the mask, which might never come.
            if headCount == headSize - 4 { try beginFrame() }
            if headCount == headSize { return beginPayload() }
        }
    }

    /// The size of the head, which depends on the length of the payload; known from the second byte on.
    private var headSize: Int {
        switch head[1] & 0x7F {
        case 126: 8
        case 127: WebSocketFrame.longestHead
        default: 6
        }
    }

    private mutating func checkStart() throws(Violation) {
        guard head[0] & 0x70 == 0 else { throw .wrong("a reserved bit is set") }
        guard let opcode = WebSocketFrame.Opcode(rawValue: head[0] & 0x0F) else {
            throw .wrong("unknown opcode \(head[0] & 0x0F)")
        }
        guard head[1] & 0x80 != 0 else { throw .wrong("a frame has no mask") }
        isFinal = head[0] & 0x80 != 0
        self.opcode = opcode
        switch opcode {
        case .close, .ping, .pong:
            guard isFinal else { throw .wrong("a control frame is in fragments") }
            guard Int(head[1] & 0x7F) <= WebSocketFrame.mostOfControl else {
                throw .wrong("a control frame is too long")
            }
        case .continuation:
            guard isInMessage else { throw .wrong("a message begins with a continuation") }
        case .text, .binary:
            guard !isInMessage else { throw .wrong("a message begins within another") }
            guard opcode == .text else {
                throw Violation(code: .unsupported, message: "only text messages are accepted here")
            }
        }
    }

    private mutating func beginPayload() {
        mask = 0
        for place in (headSize - 4..<headSize).reversed() { mask = mask << 8 | UInt32(head[place]) }
        headCount = 0
        isInPayload = true
        taken = 0
    }

    private mutating func beginFrame() throws(Violation) {
        left = try payloadLength(headSize)
        guard !opcode.isControl else { return }
        if opcode != .continuation {
            isInMessage = true
            frames = 0
        }
        frames += 1
        guard frames <= limits.frames else {
            throw Violation(code: .tooLarge, message: "a message has more than \(limits.frames) frames")
        }
        guard left <= limits.message - message.count else {
            throw Violation(code: .tooLarge, message: "a message has more than \(limits.message) bytes")
        }
    }

    private func payloadLength(_ size: Int) throws(Violation) -> Int {
        guard size > 6 else { return Int(head[1] & 0x7F) }
        var length: UInt64 = 0
        for place in 2..<size - 4 { length = length << 8 | UInt64(head[place]) }
        guard length >> 63 == 0 else { throw .wrong("a 64-bit length has its highest bit set") }
        guard length > (size == 8 ? 125 : 65_535) else {
            throw .wrong("a length is not in its shortest form")
        }
        return Int(length)
    }

    private mutating func take(
        _ bytes: UnsafeMutableRawBufferPointer, _ deliver: (Event) -> Void
    ) throws(Violation) {
        Self.unmask(bytes, mask, from: taken)
        taken += bytes.count
        left -= bytes.count
        if opcode.isControl {
            control += bytes
            guard left == 0 else { return }
            isInPayload = false
            defer { control = [] }
            return try endControl(deliver)
        }
        let isWhole = left == 0 && isFinal
        if left == 0 { isInPayload = false }
        guard isWhole else {
            if message.isEmpty { message.reserveCapacity(min(taken + left, 64 << 10)) }
            message += bytes
            return
        }
        isInMessage = false
        var whole: [UInt8] = []
        if message.isEmpty {
            whole = Array(bytes)
        } else {
            swap(&whole, &message)
            whole += bytes
        }
        do { _ = try UTF8Span(validating: whole.span) } catch { throw .noText }
        deliver(.text(whole))
    }

    private mutating func endControl(_ deliver: (Event) -> Void) throws(Violation) {
        switch opcode {
        case .ping: deliver(.ping(control))
        case .pong: deliver(.pong)
        default:
            let end = try end()
            drop()
            deliver(end)
        }
    }

    private func end() throws(Violation) -> Event {
        guard !control.isEmpty else { return .close(.none, reason: "") }
        guard control.count >= 2 else { throw .wrong("a close frame has an incomplete code") }
        let code = WebSocketCloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
        guard code.isSendable else { throw .wrong("invalid close code \(code.rawValue)") }
        guard let reason = String(validating: control.dropFirst(2), as: UTF8.self) else { throw .noText }
        return .close(code, reason: reason)
    }

    /// Unmasks bytes, eight at a time.
    ///
    /// - Parameters:
    ///   - mask: in little-endian order.
    ///   - start: the number of earlier payload bytes of the frame.
    private static func unmask(_ bytes: UnsafeMutableRawBufferPointer, _ mask: UInt32, from start: Int) {
        let turn = UInt32(start & 3) * 8
        let turned = turn == 0 ? mask : mask >> turn | mask << (32 - turn)
        let wide = (UInt64(turned) << 32 | UInt64(turned)).littleEndian
        var place = 0
        while place + 8 <= bytes.count {
            let masked = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            bytes.storeBytes(of: masked ^ wide, toByteOffset: place, as: UInt64.self)
            place += 8
        }
        while place < bytes.count {
            bytes[place] ^= UInt8(truncatingIfNeeded: turned >> (UInt32(place & 3) * 8))
            place += 1
        }
    }
}

extension WebSocketParser.Violation {
    fileprivate static func wrong(_ message: String) -> Self { Self(code: .protocolError, message: message) }

    fileprivate static var noText: Self { Self(code: .invalidText, message: "a text is not UTF-8") }
}
