@testable import Drawbridge
@testable import DrawbridgeDocuments

/// Documents that get a tag: a first byte that says where to cut, then the document.
enum HTMLTarget: FuzzTarget {
    private static let tag: [UInt8] = Array("<tag>".utf8)

    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let document = Array(bytes.dropFirst())
        for isPage in [true, false] {
            let whole = rewritten([document], isPage: isPage) { _ in nil }
            checkTag(in: whole, document)
            let cut = document.count * Int(first) / 256
            let pieces = [Array(document[..<cut]), Array(document[cut...])]
            check(rewritten(pieces, isPage: isPage) { _ in nil } == whole, "cut at \(cut)")
            check(rewritten(document.map { [$0] }, isPage: isPage) { _ in nil } == whole, "in single bytes")

            // Policies that change do not depend on the pieces either.
            let shout: @Sendable ([UInt8]) -> [UInt8]? = { $0 + Array("'\"&!".utf8) }
            let loud = rewritten([document], isPage: isPage, shout)
            check(rewritten(pieces, isPage: isPage, shout) == loud, "with policies, cut at \(cut)")
            check(
                rewritten(document.map { [$0] }, isPage: isPage, shout) == loud,
                "with policies, in single bytes")
        }
        for quote in [UInt8(ascii: "'"), UInt8(ascii: "\"")] {
            let text = HTMLText.escaped(document, in: quote)
            check(!text.contains(quote), "a quote stands in its own text")
            check(HTMLText.decoded(text[...]) == document, "a text is read otherwise than it was written")
        }
    }

    /// Without the tag it is the original.
    private static func checkTag(in result: [UInt8], _ document: [UInt8]) {
        guard result.count != document.count else { return check(result == document, "it is changed") }
        check(result.count == document.count + tag.count, "more than the tag was put in")
        let start = zip(result, document).prefix { $0 == $1 }.count
        // The tag may begin as what follows it does.
        let isIn = (0...start).reversed().prefix(tag.count).contains { place in
            result[place...].starts(with: tag) && result[..<place].elementsEqual(document[..<place])
                && result[(place + tag.count)...].elementsEqual(document[place...])
        }
        check(isIn, "without the tag it is another document")
    }

    private static func rewritten(
        _ chunks: [[UInt8]], isPage: Bool, _ policy: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) -> [UInt8] {
        var rewriter = HTMLRewriter(tag: tag, isPage: isPage, policy: policy)
        return chunks.flatMap { rewriter.take($0) } + rewriter.finish()
    }
}
