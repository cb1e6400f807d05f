import TestSupport

/// What an upstream does that dies or lies: the path says which.
enum BrokenUpstream: String, CaseIterable {
    case closes, halfAHead, halfABody, noChunk, twoLengths, noHTTP, more, earlyHints, closesAfterwards
    case refusesBodies, answersWhileItReads

    /// How a caller sees it.
    enum Outcome {
        /// This status, and this body if any.
        case answer(Int, String?)
        /// The gateway says that the upstream is at fault, or breaks off what it has begun: never a clean end.
        case fault
    }

    var outcome: Outcome {
        switch self {
        case .closes, .halfAHead, .twoLengths, .noHTTP: .answer(502, nil)
        case .halfABody, .noChunk: .fault
        case .more, .earlyHints, .closesAfterwards: .answer(200, "hello")
        case .refusesBodies: .answer(413, "too large")
        // With the body of the request.
        case .answersWhileItReads: .answer(200, nil)
        }
    }

    var takesBodies: Bool { self == .refusesBodies || self == .answersWhileItReads }

    /// The script of all of them.
    @Sendable static func answer(_ connection: RawConnection, _ head: String) throws {
        let path = head.split(separator: " ").dropFirst().first ?? ""
        guard let kind = BrokenUpstream(rawValue: String(path.dropFirst())) else {
            return try connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        }
        let sound = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        switch kind {
        case .closes: connection.close()
        case .halfAHead: try connection.send("HTTP/1.1 200 OK\r\nContent-Le")
        case .halfABody: try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")
        case .noChunk:
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n")
        case .twoLengths:
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello")
        case .noHTTP: try connection.send("SSH-2.0-OpenSSH_9.2\r\n")
        case .more: return try connection.send(sound + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad")
        case .earlyHints:
            for _ in 0..<3 { try connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n") }
            return try connection.send(sound)
        case .closesAfterwards: try connection.send(sound)
        case .refusesBodies:
            _ = try connection.readBody(after: head)
            return try connection.send(
                "HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large")
        case .answersWhileItReads:
            var left = head.field("Content-Length").flatMap { Int($0) } ?? 0
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(left)\r\n\r\n")
            while left > 0 {
                let piece = try connection.read(min(left, 64 << 10))
                left -= piece.count
                try connection.send(piece)
            }
            return
        }
        connection.close()
    }
}
