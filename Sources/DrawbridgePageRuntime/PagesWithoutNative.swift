import DrawbridgeJournal
import DrawbridgeMessages
import Logging
import Synchronization

/// Reports pages that cannot call native because of how they are served.
///
/// Without this, nothing would explain it. Each path is reported once, in the log and in the journal.
package final class PagesWithoutNative: Sendable {
    /// The reasons, which ``sentence(_:_:)`` explains.
    enum Reason {
        case encoded(_ coding: String)
        case wide, xml, sandboxed, scriptless, framed, unasked
    }

    /// The most paths that are remembered; further ones are not reported.
    private static let most = 1000
    private struct State {
        var patience = Duration.seconds(10)
        var told: Set<String> = []
        var expected: [String: Expected] = [:]
    }

    private let state = Mutex(State())
    private let journal: Journal?

    /// - Parameter journal: gets the reports in addition to the log; nil for the log alone.
    init(_ journal: Journal?) { self.journal = journal }

    /// How long to wait for a page to request its script, which is the first thing it loads; tests set another time.
    var patience: Duration {
        get { state.withLock { $0.patience } }
        set { state.withLock { $0.patience = newValue } }
    }

    func tell(of request: Request, _ reason: Reason) {
        let isNew = state.withLock { $0.told.count < Self.most && $0.told.insert(request.path).inserted }
        guard isNew else { return }
        let sentence = Self.sentence(request.path, reason)
        request.logger.warning("\(sentence)")
        if let journal, journal.isOn {
            _ = journal.note(sentence, about: request.path)
        }
    }

    private static func sentence(_ path: String, _ reason: Reason) -> String {
        switch reason {
        case .encoded(let coding):
            """
            \(path) has no page runtime: it came with Content-Encoding: \(coding), although it was requested without; \
            turn compression off in the server behind the gateway, or exclude the path
            """
        case .wide:
            "\(path) has no page runtime: its text is UTF-16; save it as UTF-8"
        case .xml:
            "\(path) has no page runtime: it is XHTML, into which no script is inserted; serve it as text/html"
        case .sandboxed:
            """
            \(path) can call no handler: its Content-Security-Policy has sandbox without allow-same-origin, so \
            it has no origin that the gateway could check; add allow-same-origin to its sandbox
            """
        case .scriptless:
            """
            \(path) can call no handler: its Content-Security-Policy has sandbox without allow-scripts, so no script runs \
            in it; add allow-scripts to its sandbox
            """
        case .framed:
            "\(path) cannot call native inside a page of another site; open it in a tab of its own"
        case .unasked:
            """
            \(path) has not asked for its page runtime, /__drawbridge__/page.js: if it is still open, \
            a policy (sandbox, Integrity-Policy), an extension or its own service worker blocks the script
            """
        }
    }

    /// Starts to wait for the script's request of a page into which the tag was inserted.
    func expect(_ request: Request) {
        // Decoded, as in the script's request.
        let path = Percent.decode(request.path[...].utf8) ?? request.path
        let expected: Expected? = state.withLock { state in
            guard !state.told.contains(request.path), state.expected[path] == nil,
                state.expected.count < Self.most
            else {
                return nil
            }
            let expected = Expected(request, at: path, self)
            state.expected[path] = expected
            return expected
        }
        if let expected { Deadlines.shared.add(expected, after: patience) }
    }

    package func asked(from path: String) {
        guard let expected = state.withLock({ $0.expected.removeValue(forKey: path) }) else { return }
        Deadlines.shared.remove(expected)
    }

    private final class Expected: Expiring {
        private let request: Request
        private let path: String
        private let pages: PagesWithoutNative

        init(_ request: Request, at path: String, _ pages: PagesWithoutNative) {
            self.request = request
            self.path = path
            self.pages = pages
        }

        func expire() {
            // The page may have requested its script just now, and another page at this path may be expected instead.
            let isOver = pages.state.withLock { state in
                state.expected[path] === self && state.expected.removeValue(forKey: path) != nil
            }
            if isOver { pages.tell(of: request, .unasked) }
        }
    }
}
