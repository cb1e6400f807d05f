@testable import HTTPClient

/// Chunked bodies of an upstream: the same body, however the bytes come.
enum ChunksTarget: FuzzTarget {
    private struct Outcome: Equatable {
        var body: [UInt8] = []
        var read = 0
        var isOver = false
        var isBroken = false
    }

    static func run(_ bytes: [UInt8]) {
        guard let step = bytes.first.map({ Int($0) % 7 + 1 }) else { return }
        let body = Array(bytes.dropFirst())
        let whole = outcome(of: body, in: max(1, body.count))
        let pieces = outcome(of: body, in: step)
        // What is wrong is found with the byte that is wrong; what came before it in the same piece is nobody's.
        check(whole.isBroken == pieces.isBroken, "\(whole) in pieces of \(step) is \(pieces)")
        if !whole.isBroken { check(whole == pieces, "\(whole) in pieces of \(step) is \(pieces)") }
        check(whole.body.count <= body.count, "a body of more bytes than came")
    }

    private static func outcome(of bytes: [UInt8], in step: Int) -> Outcome {
        var reader = ChunkReader()
        var outcome = Outcome()
        var rest = bytes[...]
        while !rest.isEmpty, !reader.isOver {
            var piece = Array(rest.prefix(step))
            let count = piece.count
            do {
                let (read, taken) = try piece.withUnsafeMutableBytes { try reader.read($0) }
                check(taken <= read && read <= count, "\(taken) of \(read) of \(count)")
                check(read == count || reader.isOver, "bytes are left over before the end")
                outcome.body += piece[..<taken]
                outcome.read += read
                rest = rest.dropFirst(read)
            } catch {
                outcome.isBroken = true
                return outcome
            }
        }
        outcome.isOver = reader.isOver
        return outcome
    }
}
