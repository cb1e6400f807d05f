import HTTPTypes

@testable import HTTPClient

/// Heads of responses, an upstream's: what is taken is what it seems to be.
enum ResponseTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        for head in read(lines) {
            check((100...999).contains(head.status.code), "\(head.status)")
            check(!head.isChunked || head.contentLength == nil, "two ends: \(head.fields)")
            check((head.contentLength ?? 0) >= 0, "\(head.fields)")
            checkBody(of: head)
            try? head.checkSwitch(to: "websocket")
        }
    }

    private static func read(_ lines: [[UInt8]]) -> [ResponseHead] {
        var reader = ResponseHeadReader()
        var heads: [ResponseHead] = []
        do {
            for line in lines {
                if let head = try line.withUnsafeBytes({ try reader.read($0) }) { heads.append(head) }
            }
        } catch let error as MalformedResponse {
            check(!error.description.isEmpty, "no reason")
        } catch {
            fatalError("\(error) is no MalformedResponse")
        }
        return heads
    }

    private static func checkBody(of head: ResponseHead) {
        if case .over = head.body(of: .head) {} else { fatalError("an answer to HEAD has a body") }
        switch (head.body(of: .get), head.isChunked, head.contentLength) {
        case (.over, _, _), (.chunks, true, _), (.toEnd, false, nil): break
        case (.length(let left), false, let length?): check(left == length, "\(left) of \(length)")
        default: fatalError("the body does not end as the head says: \(head.fields)")
        }
    }
}
