/// Parses the messages in the bytes of a client (RFC 6455, section 5).
///
/// It knows nothing of sockets, and keeps no more than the message under way. An error is found with the first
/// byte that shows it; but whether a text is UTF-8 is known at its end.
package struct WebSocketParser {
    package enum Event: Equatable, Sendable {
        case text([UInt8])
        case binary([UInt8])
        case ping([UInt8])
        case pong
        /// Nothing is read behind it.
        case close(WebSocketCloseCode, reason: String)
    }

    /// A violation of the protocol, which ends the connection.
    package struct Violation: Error, Equatable {
        package let code: WebSocketCloseCode
        package let message: String
    }

    private let limits: WebSocketLimits

    /// The head of a frame, as far as it has come.
    private var head = InlineArray<14, UInt8>(repeating: 0)
    private var headCount = 0

    // The frame under way, from the end of its head on.
    private var isInPayload = false
    private var opcode = WebSocketFrame.Opcode.continuation
    private var isFinal = false
    private var mask: UInt32 = 0
    /// How many bytes of its payload have come, and how many are left.
    private var taken = 0
    private var left = 0
    private var control: [UInt8] = []

    // The message under way, over all its frames.
    private var isInMessage = false
    private var isText = false
    private var message: [UInt8] = []
    private var frames = 0

    /// True after a close frame, and after a violation.
    package private(set) var isOver = false

    package init(_ limits: WebSocketLimits = WebSocketLimits()) { self.limits = limits }

    /// How many bytes are kept until their message is complete.
    package var keptBytes: Int { message.count + control.count + headCount }

    /// Parses received bytes, which are unmasked in place.
    package mutating func parse(
        _ bytes: UnsafeMutableRawBufferPointer, _ deliver: (Event) -> Void
    ) throws(Violation) {
        do throws(Violation) {
            var position = 0
            while !isOver {
                if !isInPayload {
                    try readHead(bytes, &position)
                    // A frame without a payload is complete by now.
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

    // MARK: Heads

    private mutating func readHead(
        _ bytes: UnsafeMutableRawBufferPointer, _ position: inout Int
    ) throws(Violation) {
        while position < bytes.count {
            head[headCount] = bytes[position]
            headCount += 1
            position += 1
            if headCount == 2 { try checkStart() }
            if headCount >= 2, headCount == headSize { return try beginPayload() }
        }
    }

    /// The size of the head, known from its second byte on: a long length and the mask follow.
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
            throw .wrong("there is no opcode \(head[0] & 0x0F)")
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
        }
    }

    private mutating func beginPayload() throws(Violation) {
        let size = headSize
        let length = try payloadLength(size)
        mask = 0
        for place in (size - 4..<size).reversed() { mask = mask << 8 | UInt32(head[place]) }
        headCount = 0
        isInPayload = true
        taken = 0
        left = length
        guard !opcode.isControl else { return }
        if opcode != .continuation {
            isInMessage = true
            isText = opcode == .text
            frames = 0
        }
        frames += 1
        guard frames <= limits.frames else {
            throw Violation(code: .tooLarge, message: "a message has more than \(limits.frames) frames")
        }
        guard length <= limits.message - message.count else {
            throw Violation(code: .tooLarge, message: "a message has more than \(limits.message) bytes")
        }
    }

    private func payloadLength(_ size: Int) throws(Violation) -> Int {
        guard size > 6 else { return Int(head[1] & 0x7F) }
        var length: UInt64 = 0
        for place in 2..<size - 4 { length = length << 8 | UInt64(head[place]) }
        guard length >> 63 == 0 else { throw .wrong("a length has its first bit set") }
        guard length > (size == 8 ? 125 : 65_535) else { throw .wrong("a length is longer than it must be") }
        return Int(length)
    }

    // MARK: Payloads

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
        guard isText else { return deliver(.binary(whole)) }
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
        guard control.count >= 2 else { throw .wrong("a close frame has half a code") }
        let code = WebSocketCloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
        guard code.isSendable else { throw .wrong("there is no close code \(code.rawValue)") }
        guard let reason = String(validating: control.dropFirst(2), as: UTF8.self) else { throw .noText }
        return .close(code, reason: reason)
    }

    /// Takes the mask off, eight bytes at a time.
    ///
    /// - Parameters:
    ///   - mask: its first byte is the lowest.
    ///   - start: how many bytes of the frame came before.
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
