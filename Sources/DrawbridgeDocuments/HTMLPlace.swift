/// Finds the position for the script tag, which must become the first child of the `<head>`, written or implied.
///
/// That is after `<head>`, else after `<html>`, else after the doctype, else at the beginning, following the rules for
/// the first tokens of a document (HTML, sections 13.2.6.4.1 to 13.2.6.4.3). The search ends at the first token that
/// cannot come before the head.
struct HTMLPlace {
    private enum Mode {
        case initial, beforeHTML, beforeHead
    }

    /// The best position so far, as an offset from the beginning of the document.
    private(set) var position: Int

    /// Whether the text begins like a whole document rather than a fragment.
    private(set) var isInDocument = false

    private var mode = Mode.initial

    init(start: Int) { position = start }

    /// Processes a token that ended at `end`; returns true when the position is final.
    mutating func take(_ token: HTMLScanner.Token, of scanner: HTMLScanner, endingAt end: Int) -> Bool {
        switch token {
        case .doctype where mode == .initial:
            mode = .beforeHTML
        case .startTag where scanner.isNamed("html") && mode != .beforeHead:
            mode = .beforeHead
        case .startTag where scanner.isNamed("head"):
            break
        case .comment, .doctype,
            .startTag where scanner.isNamed("html"):
            return false
        case .startTag:
            if Self.ofDocuments.contains(where: scanner.isNamed) { isInDocument = true }
            return true
        case .endTag:
            if mode == .initial { mode = .beforeHTML }
            return Self.endTags.contains(where: scanner.isNamed)
        case .text:
            return true
        }
        isInDocument = true
        position = end
        return scanner.isNamed("head")
    }

    /// Start tags with which only a whole document begins, not a fragment.
    private static let ofDocuments: [StaticString] = ["body", "frameset", "title", "meta", "base"]

    /// End tags that end the search; before the head, browsers ignore any other end tag.
    private static let endTags: [StaticString] = ["head", "body", "html", "br"]
}
