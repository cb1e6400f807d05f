@testable import MicroHTTPD

/// Frames of WebSockets: the same however they are cut, and nothing that a strict reader would not take (RFC 6455).
enum WebSocketTarget: FuzzTarget {
    private struct Result: Equatable {
        var events: [WebSocketParser.Event] = []
        var violation: WebSocketParser.Violation?
    }

    private static let limits = {
        var limits = WebSocketLimits()
        limits.message = 300
        limits.frames = 20
        return limits
    }()

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let frames = Array(bytes.dropFirst())
        let whole = parse(frames, piece: .max)
        check(
            parse(frames, piece: Int(first % 16) + 1) == whole,
            "pieces of \(first % 16 + 1) are not the whole")
        check(parse(frames, piece: 1) == whole, "single bytes are not the whole")
        for (place, event) in whole.events.enumerated() {
            switch event {
            case .text(let text):
                check(String(validating: text, as: UTF8.self) != nil, "\(text) is no text")
                check(text.count <= limits.message, "\(text.count) bytes")
            case .ping(let payload): check(payload.count <= 125, "\(payload.count) bytes")
            case .pong: break
            case .close(let code, let reason):
                check(code.isSendable || code == .none, "there is no code \(code)")
                check(reason.utf8.count <= 123, reason)
                check(place == whole.events.count - 1 && whole.violation == nil, "it goes on behind a close")
            }
        }
        if let violation = whole.violation {
            check(violation.code.isSendable && violation.code != .normal, "\(violation)")
            let payload = WebSocketFrame.closing(violation.code, violation.message)
            check(payload.count == violation.message.utf8.count + 2, "\(violation.message) is cut")
        }
    }

    private static func parse(_ bytes: [UInt8], piece: Int) -> Result {
        var parser = WebSocketParser(limits)
        var result = Result()
        var place = 0
        while place < bytes.count {
            var part = Array(bytes[place..<(place + min(piece, bytes.count - place))])
            place += part.count
            do {
                try part.withUnsafeMutableBytes { bytes in
                    try parser.parse(bytes) { result.events.append($0) }
                }
            } catch {
                result.violation = error as? WebSocketParser.Violation
                check(parser.isOver, "it goes on behind \(error)")
                return result
            }
            check(parser.keptBytes <= limits.message + 125 + 14, "\(parser.keptBytes) bytes are kept")
        }
        return result
    }
}
