/// The format of frames (RFC 6455, section 5.2).
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

    /// The most that a control frame may carry.
    static let mostOfControl = 125

    /// The longest head: that of a long frame with its mask.
    static let longestHead = 14

    /// Adds the head of a frame that is a whole message; a server's frames have no mask.
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

    /// The payload of a close frame: a code, and a reason that is cut where it is too long.
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
