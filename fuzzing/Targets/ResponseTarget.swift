import HTTPTypes

@testable import HTTPClient

/// Heads of responses, an upstream's: what is taken is what it seems to be, also where lines are known already.
enum ResponseTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        var known = KnownLines()
        let heads = (0..<3).map { round in read(lines, &known, isForgetful: round == 0) }
        check(heads.allSatisfy { $0.count == heads[0].count }, "known lines are read otherwise")
        for (plain, again) in zip(heads[0], heads[2]) {
            check(plain.status == again.status && plain.fields == again.fields, "\(plain) is \(again)")
        }
        for head in heads[0] {
            check((100...999).contains(head.status.code), "\(head.status)")
            check(!head.isChunked || head.contentLength == nil, "two ends: \(head.fields)")
            check((head.contentLength ?? 0) >= 0, "\(head.fields)")
            checkBody(of: head)
            try? head.checkSwitch(to: "websocket")
        }
    }

    /// - Parameter isForgetful: whether each line is read as if none had been read before.
    private static func read(
        _ lines: [[UInt8]], _ known: inout KnownLines, isForgetful: Bool
    ) -> [ResponseHead] {
        var reader = ResponseHeadReader()
        var heads: [ResponseHead] = []
        do {
            for line in lines {
                if isForgetful { known = KnownLines() }
                if let head = try line.withUnsafeBytes({ try reader.read($0, known: &known) }) {
                    heads.append(head)
                }
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
