import TestSupport
import Testing

@testable import MicroHTTPD

/// Frames without sockets: however they are cut, the same events.
struct WebSocketParserTests {
    /// All events, and what ended them.
    private static func events(
        _ bytes: [UInt8], piece: Int = .max, limits: WebSocketLimits = WebSocketLimits()
    ) -> (events: [WebSocketParser.Event], code: WebSocketCloseCode?) {
        var parser = WebSocketParser(limits)
        var events: [WebSocketParser.Event] = []
        var place = 0
        while place < bytes.count {
            var part = Array(bytes[place..<(place + min(piece, bytes.count - place))])
            place += part.count
            do {
                try part.withUnsafeMutableBytes { bytes in try parser.parse(bytes) { events.append($0) } }
            } catch {
                return (events, (error as? WebSocketParser.Violation)?.code)
            }
        }
        return (events, nil)
    }

    private static func frame(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true) -> [UInt8] {
        WebSocketClient.frame(opcode, payload, flags: isFinal ? 0x80 : 0)
    }

    @Test(arguments: [1, 2, 3, 5, 7, 8, 64, 1000, .max]) func piecesOfAnySizeGiveTheSameMessages(_ piece: Int)
    {
        let text = String(repeating: "aß€😀", count: 70)
        let cut = Array(text.utf8)
        let long = pattern(70_000).map { $0 & 0x7F }
        let bytes =
            Self.frame(1, cut) + Self.frame(1, long) + Self.frame(1)
            + Self.frame(1, Array(cut[..<2]), isFinal: false) + Self.frame(9, [1, 2, 3])
            + Self.frame(0, Array(cut[2..<9]), isFinal: false) + Self.frame(0, isFinal: false)
            + Self.frame(10, [9]) + Self.frame(0, Array(cut[9...])) + Self.frame(8, [0x0F, 0xA0, 0x61])
            + Self.frame(1, cut)
        let (events, code) = Self.events(bytes, piece: piece)
        #expect(code == nil)
        #expect(
            events == [
                .text(cut), .text(long), .text([]), .ping([1, 2, 3]), .pong, .text(cut),
                .close(WebSocketCloseCode(rawValue: 4000), reason: "a"),
            ])
    }

    @Test(arguments: WebSocketFaultTests.faults.indices) func aFaultIsFoundHoweverTheBytesAreSplit(
        _ index: Int
    ) {
        var limits = WebSocketLimits()
        limits.message = 200_000
        limits.frames = 1000
        let (bytes, code) = WebSocketFaultTests.faults[index]
        for piece in [1, 2, 3, 7, .max] {
            let result = Self.events(bytes, piece: piece, limits: limits)
            #expect(result.code?.rawValue == UInt16(code))
            #expect(result.events.isEmpty)
        }
    }

    @Test func aMessageOfExactlyTheLimitIsTaken() {
        var limits = WebSocketLimits()
        limits.message = 1000
        limits.frames = 3
        let text = pattern(1001).map { $0 & 0x7F }
        let whole = Self.frame(1, Array(text[..<1000]))
        #expect(Self.events(whole, limits: limits).events == [.text(Array(text[..<1000]))])
        let cut =
            Self.frame(1, Array(text[..<400]), isFinal: false)
            + Self.frame(0, Array(text[400..<1000]), isFinal: false)
            + Self.frame(0)
        #expect(Self.events(cut + cut, limits: limits).events.count == 2)
        #expect(Self.events(Self.frame(1, text), limits: limits).code == .tooLarge)
    }

    /// The mask behind it might never come.
    @Test(arguments: [
        ([0x80, 0, 0, 0, 0, 0, 0, 0], WebSocketCloseCode.protocolError),
        ([0x40, 0, 0, 0, 0, 0, 0, 0], .tooLarge),
        ([0, 0, 0, 0, 0, 0, 0, 1], .protocolError),
    ]) func aLengthThatNobodyTakesIsRefusedBeforeTheMask(_ length: [UInt8], _ code: WebSocketCloseCode) {
        #expect(Self.events([0x81, 0xFF] + length.dropLast()).code == nil)
        #expect(Self.events([0x81, 0xFF] + length).code == code)
    }

    @Test func anAnnouncedLengthAloneTakesNoMemory() throws {
        var parser = WebSocketParser()
        var bytes = WebSocketClient.frame(1, pattern(10), length: 16 << 20)
        try bytes.withUnsafeMutableBytes { try parser.parse($0) { _ in } }
        #expect(parser.keptBytes == 10)
    }
}
