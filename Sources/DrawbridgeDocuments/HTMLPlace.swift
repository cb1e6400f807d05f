/// Finds where the script tag goes: it becomes the first child of the `<head>`, whether that is written or implied.
///
/// That is after `<head>`, else after `<html>`, else after the doctype, else at the beginning: what browsers do with
/// the first tokens of a document (HTML, sections 13.2.6.4.1 to 13.2.6.4.3). The first token that cannot stand before
/// the head decides.
struct HTMLPlace {
    private enum Mode {
        case initial, beforeHTML, beforeHead
    }

    /// The best place so far, in bytes from the beginning of the document.
    private(set) var position: Int

    /// Whether it begins like a whole document, and not like a fragment.
    private(set) var isInDocument = false

    private var mode = Mode.initial

    init(start: Int) { position = start }

    /// Takes a token that ended at `end`; true when the place is found.
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

    /// Start tags that a fragment does not begin with.
    private static let ofDocuments: [StaticString] = ["body", "frameset", "title", "meta", "base"]

    /// End tags that count before the head; others are ignored there.
    private static let endTags: [StaticString] = ["head", "body", "html", "br"]
}
