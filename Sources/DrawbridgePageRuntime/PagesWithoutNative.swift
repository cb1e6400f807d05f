import DrawbridgeJournal
import DrawbridgeMessages
import Logging
import Synchronization

/// Reports pages that have no native side because of how they are served.
///
/// Nothing else would say why such a page has none; each is named once, in the log and in the journal.
package final class PagesWithoutNative: Sendable {
    /// Why; see ``sentence(_:_:)``.
    enum Reason {
        case encoded(_ coding: String)
        case wide, xml, sandboxed, scriptless, framed, unasked
    }

    /// More paths than this are not kept.
    private static let most = 1000
    private struct State {
        var patience = Duration.seconds(10)
        var told: Set<String> = []
        var expected: [String: Expected] = [:]
    }

    private let state = Mutex(State())
    private let journal: Journal?

    /// - Parameter journal: where they are reported, besides the log.
    init(_ journal: Journal?) { self.journal = journal }

    /// How long a page may take to request its script, which comes before all else in it; tests set another time.
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
            journal.note(sentence, about: request.path)
        }
    }

    private static func sentence(_ path: String, _ reason: Reason) -> String {
        switch reason {
        case .encoded(let coding):
            """
            \(path) has no page runtime: it came with Content-Encoding: \(coding), and was asked for without; \
            have the server behind the gateway leave its pages as they are, or exclude the path
            """
        case .wide:
            "\(path) has no page runtime: its text is UTF-16; save it as UTF-8"
        case .xml:
            "\(path) has no page runtime: it is XHTML, in which nothing is changed; serve it as text/html"
        case .sandboxed:
            """
            \(path) can call no handler: its Content-Security-Policy has sandbox without allow-same-origin, so \
            it has no origin by which the gateway could know it; add allow-same-origin to its sandbox
            """
        case .scriptless:
            """
            \(path) can call no handler: its Content-Security-Policy has sandbox without allow-scripts, so no script runs \
            in it; add allow-scripts to its sandbox
            """
        case .framed:
            "\(path) has no native side inside a page of another site; open it by itself"
        case .unasked:
            """
            \(path) has not asked for its page runtime, /__drawbridge__/page.js: if it is still open, \
            a policy (sandbox, Integrity-Policy), an extension or a service worker of its own keeps the script out
            """
        }
    }

    /// Notes that a page was given the tag, so that it should request the script.
    func expect(_ request: Request) {
        // The path as the request of the script has it.
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
            // The page may have asked at this moment, and another one of the path be expected.
            let isOver = pages.state.withLock { state in
                state.expected[path] === self && state.expected.removeValue(forKey: path) != nil
            }
            if isOver { pages.tell(of: request, .unasked) }
        }
    }
}
