import EngineSupport
import Foundation
import HTTPTypes
import MicroHTTPD
import TestSupport
import Testing

/// Heads that were changed at random: what reaches the handler is what a strict reader sees, in its order.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct MutatedHeadTests {
    private static let heads = [
        "GET /first?a=b HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nCookie: a=b; c=d\r\n\r\n",
        "POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-Y:  a b \r\nX:\r\n\r\nhello",
        "POST /first HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a:80\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "PUT /first HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok",
        "POST /first HTTP/1.0\r\nContent-Length: 3\r\nConnection: keep-alive\r\nHost: a\r\n\r\nabc",
    ]
    private static let isOld = HeadLayout.fault(of: .nothing) == nil
    private static let second = "GET /second HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n"
    private static let pieces: [[UInt8]] = [
        "\r", "\n", "\r\n", "\0", " ", "\t", ":", "\r\n ", "\0\0", "\0\n", "\r\n\r\n", "0", "5", "+5",
        "\u{FC}", "\u{7F}",
        "chunked", " chunked", "chunked ", "Host: c\r\n", "Content-Length: 5\r\n", "Content-Length: 3 \r\n",
        "Content-Length : 5\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\t\r\n",
        "Transfer-Encoding: gzip\r\n", "Transfer-Encoding:\r\n chunked\r\n", "X: y\0\0Content-Length\0 5\r\n",
        "X: y\nContent-Length: 5\r\n", "Expect: 100-continue \r\n", "no colon\r\n", ": no name\r\n",
        "X: y \n",
        "GET /inner HTTP/1.1\r\nHost: a\r\n\r\n",
    ].map { (text: String) in Array(text.utf8) }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func aHandlerSeesAHeadAsAStrictReaderDoes(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let all = (0..<250).map { _ in Self.mutated(&random) + Array(Self.second.utf8) }
        var limits = Limits()
        limits.headTime = .seconds(1)
        limits.graceTime = .seconds(1)
        try await withServer(limits: limits, loops: 1) { exchange in
            let request = exchange.request
            let body = String(decoding: exchange.body, as: UTF8.self)
            ok(exchange, "<<\(request.method.rawValue) \(request.path ?? "") \(body)>>")
        } test: { server in
            let port = server.port
            try await withThrowingTaskGroup(of: Void.self) { group in
                for part in 0..<25 {
                    group.addTask {
                        for index in 0..<10 {
                            let bytes = all[part * 10 + index]
                            let complaint = try await blocking { try Self.complaint(about: bytes, port) }
                            #expect(complaint == nil)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func complaint(about bytes: [UInt8], _ port: Int) throws -> String? {
        let client = try RawClient(port)
        // It may have refused the beginning already.
        try? client.send(bytes)
        client.finishSending()
        var came: [UInt8] = []
        while let byte = try? client.bytes(1) { came += byte }
        let answers = String(decoding: came, as: UTF8.self)
        let taken = answers.matches(of: /<<([^>]*)>>/).map { String($0.1) }
        var reader = StrictReader(bytes, isOld: isOld)
        let seen = Array(sequence(state: ()) { _ in reader.next() })
        guard taken.count > seen.count || !zip(taken, seen).allSatisfy(==) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).debugDescription
        return "\(text): \(taken), and a strict reader sees \(seen)"
    }

    private static func mutated(_ random: inout SeededRandom) -> [UInt8] {
        var bytes = Array(heads.randomElement(using: &random)!.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? bytes.count
            let place = Int.random(in: 0..<end, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.replaceSubrange(place..<place, with: pieces.randomElement(using: &random)!)
            case 1:
                bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...9, using: &random)))
            case 2: bytes[place] = UInt8.random(in: 0...255, using: &random)
            default:
                // A piece where a line begins: there it may be one.
                let line = bytes[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
                bytes.replaceSubrange(line..<line, with: pieces.randomElement(using: &random)!)
            }
        }
        return bytes
    }
}

/// Reads requests as RFC 9112 has them, and ends at the first that is not so.
private struct StrictReader {
    private var rest: [UInt8]
    private let isOld: Bool

    /// - Parameter isOld: with 0.9.75, which takes NUL LF for the end of a line, and bare LFs in front of a request
    ///   (SECURITY.md).
    init(_ bytes: [UInt8], isOld: Bool) {
        rest = bytes
        self.isOld = isOld
        while isOld, let found = rest.firstRange(of: [0, 0x0A]) {
            rest.replaceSubrange(found, with: [0x0D, 0x0A])
        }
    }

    /// The method, the target and the body of the next request.
    mutating func next() -> String? {
        while rest.starts(with: [0x0D, 0x0A]) || isOld && rest.first == 0x0A {
            rest.removeFirst(rest.first == 0x0A ? 1 : 2)
        }
        guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        // Every byte is a character of its own.
        let head = String(String.UnicodeScalarView(rest[..<end.lowerBound].map { Unicode.Scalar($0) }))
        rest.removeFirst(end.upperBound)
        let lines = head.components(separatedBy: "\r\n")
        guard !lines.contains(where: { $0.unicodeScalars.contains { "\r\n\0".unicodeScalars.contains($0) } }),
            let first = lines[0].wholeMatch(
                of: /([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~\u{80}-\u{FF}]+) HTTP\/1\.([01])/)
        else { return nil }
        var values: [String: [String]] = [:]
        for line in lines.dropFirst() {
            guard let field = line.wholeMatch(of: /([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\u{80}-\u{FF}]*)/)
            else { return nil }
            values[field.1.lowercased(), default: []].append(
                field.2.trimmingCharacters(in: .init(charactersIn: " \t")))
        }
        guard let body = body(values["content-length"] ?? [], values["transfer-encoding"] ?? []),
            values["host"]?.count ?? 0 <= 1, first.3 == "0" || values["host"] != nil
        else { return nil }
        return "\(first.1) \(first.2) \(String(decoding: body, as: UTF8.self))"
    }

    private mutating func body(_ lengths: [String], _ codings: [String]) -> [UInt8]? {
        guard lengths.count + codings.count <= 1 else { return nil }
        if let coding = codings.first { return coding.lowercased() == "chunked" ? chunks() : nil }
        guard let length = lengths.first else { return [] }
        guard length.allSatisfy({ "0"..."9" ~= $0 }), let count = Int(length), count <= rest.count else {
            return nil
        }
        defer { rest.removeFirst(count) }
        return Array(rest[..<count])
    }

    private mutating func chunks() -> [UInt8]? {
        var body: [UInt8] = []
        while let line = line() {
            guard let count = Int(line.prefix { $0 != ";" }, radix: 16), count >= 0 else { return nil }
            guard count > 0 else {
                while let trailer = self.line() { if trailer.isEmpty { return body } }
                return nil
            }
            guard count + 2 <= rest.count else { return nil }
            body += rest[..<count]
            rest.removeFirst(count)
            guard self.line()?.isEmpty == true else { return nil }
        }
        return nil
    }

    private mutating func line() -> String? {
        guard let end = rest.firstRange(of: [0x0D, 0x0A]) else { return nil }
        defer { rest.removeFirst(end.upperBound) }
        return String(decoding: rest[..<end.lowerBound], as: UTF8.self)
    }
}
