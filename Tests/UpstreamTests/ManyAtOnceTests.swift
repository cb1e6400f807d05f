import DrawbridgeServer
import Foundation
import TestSupport
import Testing

/// All kinds of trouble at the same time on one loop, in an order that is always the same.
@Suite("Many upstreams' faults at once", .serialized, .timeLimit(.minutes(5)))
struct ManyAtOnceTests {
    private enum Kind: Int, CaseIterable {
        case small, large, chunked, diesBefore, diesInHead, diesInBody, resets, refusesUpload, callerLeaves
        case upload
    }

    private static let large = pattern(300_000)

    /// What the server does with a request whose path is the kind's number.
    private static let answering: Answering = { connection, head in
        let number = Int(head.split(separator: " ")[1].dropFirst()) ?? 0
        switch Kind.allCases[number] {
        case .small: try connection.send(ok("small"))
        case .large:
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(large.count)\r\n\r\n")
            try connection.send(large)
        case .chunked:
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<50 { try connection.send("5\r\nchunk\r\n") }
            try connection.send("0\r\n\r\n")
        case .diesBefore: connection.close()
        case .diesInHead:
            try connection.send("HTTP/1.1 200 OK\r\nX-A")
            connection.close()
        case .diesInBody:
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf")
            connection.close()
        case .resets:
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
            connection.reset()
        case .refusesUpload:
            try connection.send("HTTP/1.1 413 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            try connection.drain()
            connection.close()
        case .callerLeaves:
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true { try connection.send("4\r\nmore\r\n") }
        case .upload: try connection.send(ok(String(try connection.readBody(after: head).count)))
        }
    }

    /// Asks on a connection of its own; returns what is wrong with what came.
    private static func ask(_ kind: Kind, _ port: Int) throws -> String? {
        let client = try RawClient(port, timeout: 30)
        let target = "/\(kind.rawValue)"
        switch kind {
        case .upload, .refusesUpload:
            try client.send(request("PUT", target, "Content-Length: \(large.count)") + large)
        default: try client.send(get(target))
        }
        let reply = Result { try client.reply() }
        let got = try? reply.get()
        let isRight =
            switch kind {
            case .small: got?.text == "small"
            case .large: got?.body == large
            case .chunked: got?.text == String(repeating: "chunk", count: 50)
            case .diesBefore, .diesInHead: got?.status == 502
            case .diesInBody, .resets: got == nil || got?.status == 502
            case .refusesUpload: got?.text == "no"
            case .callerLeaves: false
            case .upload: got?.text == String(large.count)
            }
        return isRight ? nil : "\(kind): \(reply)".prefix(200).description
    }

    @Test func manyRequestsAtOnceGetTheirOwnAnswers() async throws {
        try await proxying(to: Self.answering) { port, upstream in
            let wrong = try await withThrowingTaskGroup(of: [String].self) { group in
                for caller in 0..<8 {
                    group.addTask {
                        try await blocking {
                            try (0..<50).compactMap { round in
                                let kind = Kind.allCases[(caller * 3 + round * 7) % Kind.allCases.count]
                                guard kind == .callerLeaves else { return try Self.ask(kind, port) }
                                let client = try RawClient(port)
                                try client.send(get("/\(kind.rawValue)"))
                                _ = try client.head()
                                return nil
                            }
                        }
                    }
                }
                return try await group.reduce([], +)
            }
            #expect(wrong == [])
            // What nobody reads is not kept open: some connections wait for their next request, as many as were busy.
            let isEnough = await eventually {
                upstream.connections.value.count { !$0.isOver.value } <= 16
            }
            #expect(isEnough)
        }
    }
}
