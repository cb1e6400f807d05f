import DrawbridgeJournal
import Synchronization

/// Reports pages that cannot call native because of how they are served.
///
/// Without this, nothing would explain it. Each path is reported once, in the log and in the journal.
package final class PagesWithoutNative: Sendable {
    package enum Reason {
        case encoded(_ coding: String)
        /// The server redirects to a scheme of the app, and no call is made; nil for the request of a script.
        case redirected(_ scheme: String, _ obstacle: String?)
        case wide, xml, sandboxed, scriptless, framed, unasked
    }

    /// The most paths that are remembered; further ones are not reported.
    private static let most = 1000
    private struct State {
        var told: Set<String> = []
        /// By path; a page that is still being sent has no task.
        var expected: [String: (number: Int, expiry: Task<Void, any Error>?)] = [:]
        var last = 0
    }

    private let state = Mutex(State())
    /// How long to wait for a page to request its script, which is the first thing it loads; tests set another time.
    let patience = Mutex(Duration.seconds(10))
    private let journal: Journal?

    /// - Parameter journal: gets the reports in addition to the log; nil for the log alone.
    init(_ journal: Journal?) { self.journal = journal }

    package func tell(of request: Request, _ reason: Reason) {
        let isNew = state.withLock { $0.told.count < Self.most && $0.told.insert(request.path).inserted }
        guard isNew else { return }
        let sentence = Self.sentence(request.path, reason)
        request.logger.warning("\(sentence)")
        if let journal, journal.isOn {
            _ = journal.note(.notice, of: nil, request.path, saying: sentence)
        }
    }

    private static func sentence(_ path: String, _ reason: Reason) -> String {
        switch reason {
        case .encoded(let coding):
            """
            \(path) has no page runtime: it came with Content-Encoding: \(coding), although it was requested without; \
            turn compression off in the server behind the gateway, or exclude the path
            """
        case .redirected(let scheme, let obstacle?):
            "\(path) redirects to \(scheme)://, and no call is made: \(obstacle)"
        case .redirected(let scheme, nil):
            """
            \(path) redirects a script's request to \(scheme)://, which is a network error in browsers; let the page open \
            \(path) by a link or in a frame, or answer without a redirect
            """
        case .wide:
            "\(path) has no page runtime: its text is UTF-16; save it as UTF-8"
        case .xml:
            "\(path) has no page runtime: no script is inserted into XHTML; serve it as text/html"
        case .sandboxed:
            """
            \(path) cannot call handlers: its Content-Security-Policy has sandbox without allow-same-origin, so \
            the gateway cannot check its origin; add allow-same-origin to its sandbox
            """
        case .scriptless:
            """
            \(path) cannot call handlers: its Content-Security-Policy has sandbox without allow-scripts, so no script \
            runs in it; add allow-scripts to its sandbox
            """
        case .framed:
            "\(path) cannot call native in a frame on another site's page; open it in its own tab"
        case .unasked:
            """
            \(path) has not loaded its page runtime, /__drawbridge__/page.js: if the page is still open, \
            the sandbox of its frame, an extension or its own service worker blocks the script
            """
        }
    }

    /// Waits for the script's request of a page into which the tag was inserted, from when the page was sent.
    ///
    /// - Returns: the body to send.
    func expect(_ request: Request, _ body: Response.Body) -> Response.Body {
        // Decoded, as in the script's request.
        let path = Percent.decode(request.path[...].utf8) ?? request.path
        let number: Int? = state.withLock { state in
            guard !state.told.contains(request.path), state.expected.count < Self.most else { return nil }
            state.last += 1
            state.expected.updateValue((state.last, nil), forKey: path)?.expiry?.cancel()
            return state.last
        }
        guard let number else { return body }
        guard case .stream = body.content else {
            expire(path, number, request)
            return body
        }
        return .stream(length: body.length) { [self] client in
            do {
                try await body.write(to: client)
            } catch {
                // Whoever left has no page, and will not ask.
                _ = forget(path, number)
                throw error
            }
            expire(path, number, request)
        }
    }

    private func expire(_ path: String, _ number: Int, _ request: Request) {
        state.withLock { state in
            // The page may have requested its script while it was sent, or been loaded once more.
            guard state.expected[path]?.number == number else { return }
            state.expected[path]?.expiry = Task { [self, patience = patience.withLock { $0 }] in
                try await Task.sleep(for: patience)
                if forget(path, number) { tell(of: request, .unasked) }
            }
        }
    }

    /// Ends a wait; false where the page has asked, or was loaded once more.
    private func forget(_ path: String, _ number: Int) -> Bool {
        state.withLock { state in
            state.expected[path]?.number == number && state.expected.removeValue(forKey: path) != nil
        }
    }

    package func asked(from path: String) {
        state.withLock { $0.expected.removeValue(forKey: path) }?.expiry?.cancel()
    }
}
