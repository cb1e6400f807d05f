// The names that pages find at their objects, and what is said of those that they do not find.
extension Gateway {
    /// What the page at a path finds at its objects now.
    func shownNames(toPageAt path: String?, in session: Session) -> PageNames {
        guard let runtime = pageRuntime else { return PageNames() }
        return PageNames(
            present: runtime.showsAllNames ? names(forPageAt: path, in: session) : [],
            absent: replyBook.missing(among: runtime.givenNames, in: session, ofPageAt: path).sorted())
    }

    func complaint(about missed: MissedName, of page: Page) -> (text: String, isNews: Bool)? {
        guard let reason = reason(for: missed, in: page) else { return nil }
        return (
            "the page has read \(missed.text), which is not there: \(reason)",
            replyBook.isNews("missed", in: missed.text)
        )
    }

    /// Why a page does not find a name, and what to do; nil where a reply says that it is missing.
    private func reason(for missed: MissedName, in page: Page) -> String? {
        let call = PageCall(name: missed.name)
        let request = Request(
            CallingPage(page: page, call: call), of: missed.name, with: .null, page.head,
            remoteAddress: page.remoteAddress, answerer: self)
        let path = page.path
        guard replyBook.missing(among: [missed.name], in: page.session, ofPageAt: path).isEmpty else {
            return nil
        }
        if names(forPageAt: path, in: page.session).contains(missed.name), missed.isMessageHandler {
            return "\(missed.name) is answered, and pages find it there by --message-handler \(missed.name)"
        }
        if replies(for: request).mayAnswer || hasHandler(for: request) {
            return
                "a pattern answers \(missed.name), and patterns give pages no names: give it a reply of its own"
        }
        let more = missed.isMessageHandler ? ", and give it to pages by --message-handler \(missed.name)" : ""
        return "\(hint(for: request))\(howToMock(request))\(more)"
    }

    private func hasHandler(for request: Request) -> Bool {
        Target.segments(of: request.path).map { !matches($0, for: request).isEmpty } ?? false
    }
}
