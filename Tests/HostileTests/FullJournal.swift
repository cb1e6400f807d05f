import TestSupport
import Testing

/// Fills the journal of the command, so that what comes later takes the place of what is there: from then on it neither
/// takes memory nor gives any back.
enum FullJournal {
    /// With as many records as it keeps, all small, and twice as many, for which it has places at times.
    static func ofRecords(_ port: Int) async throws {
        try await blocking {
            let client = try RawClient(port, timeout: 60)
            let request = "GET /echo?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for _ in 0..<210 {
                try client.send(String(repeating: request, count: 100))
                for _ in 0..<100 { try #require(try client.reply().status == 200) }
            }
        }
    }

    /// With as many bytes as it keeps, 64 MB: of each call the first 64 KB that it sends, and the first that it gets.
    ///
    /// A body of 64 KB would be kept as it is, and be the same that goes out.
    static func ofBytes(_ port: Int) async throws {
        try await blocking {
            let client = try RawClient(port, timeout: 60)
            let body = String(repeating: "a", count: 70 << 10)
            for _ in 0..<600 {
                try client.send(
                    """
                    POST /takes?_mobile_bridge=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n\
                    Content-Length: \(body.utf8.count)\r\n\r\n\(body)
                    """)
                try #require(try client.reply().status == 200)
            }
        }
    }
}
