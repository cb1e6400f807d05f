import Drawbridge

/// What a page has called and heard so far, and its errors.
struct Conversation: Sendable {
    struct Call: Sendable {
        let name: String
        let value: JSON
    }

    private(set) var calls: [Call] = []
    /// What the page has reported by `heard(…)`.
    private(set) var heard: [Call] = []
    /// Uncaught errors and rejections of the page, each with its place.
    private(set) var faults: [Fault] = []
    /// Whether a script of the page has ended by an uncaught error.
    private(set) var hasBrokenOff = false
    /// Whether the page has begun to run in the browser.
    private(set) var isOpen = false

    init(_ entries: [JSON]) {
        for entry in entries {
            let (name, input) = (entry["name"]?.stringValue ?? "", entry["input"] ?? .null)
            switch (entry["kind"]?.stringValue, name) {
            case ("call", HeardScript.name):
                isOpen = true
                guard let name = input["name"]?.stringValue else { continue }
                heard.append(Call(name: name, value: input["value"] ?? .null))
            case ("call", _): calls.append(Call(name: name, value: input))
            case ("page", "error"), ("page", "rejection"):
                faults.append(Fault(input))
                if name == "error" { hasBrokenOff = true }
            default: break
            }
        }
    }

    func calls(of name: String) -> [JSON] { calls.filter { $0.name == name }.map(\.value) }

    func heard(of name: String) -> [JSON] { heard.filter { $0.name == name }.map(\.value) }
}

extension Conversation {
    struct Fault: CustomStringConvertible {
        /// File and line, `mine.html:7`; empty where they are unknown.
        let place: String
        let description: String

        init(_ detail: JSON) {
            let message = detail["message"]?.stringValue ?? ""
            // An error that the page runtime caught has a line of the runtime's; the stack has the real one.
            let source = detail["source"]?.stringValue.map { "\($0):\(detail["line"] ?? 0):" }
            place = Self.place(in: detail["stack"]?.stringValue ?? "") ?? Self.place(in: source ?? "") ?? ""
            description = place.isEmpty ? message : "\(place): \(message)"
        }

        /// The first place in a text, without the folders before it: `mine.js:3` of `at ask (http://host/mine.js:3:5)`.
        private static func place(in text: String) -> String? {
            guard let scheme = text.firstRange(of: "://") else { return nil }
            let url = text[scheme.upperBound...].prefix { !$0.isWhitespace && $0 != ")" }
            let parts = url.split(separator: "/").last?.split(separator: ":") ?? []
            return parts.count >= 2 ? "\(parts[0]):\(parts[1])" : nil
        }
    }
}

/// The script by which a page reports what it has heard: `heard('pay', answer)`.
///
/// It sends requests of its own, one after the other, and uses no bridge, so that it works where the bridge does not.
enum HeardScript {
    /// The name of the function in the page, and of the call that native gets.
    static let name = "heard"

    static let text = """
        (() => {
            const fetch = window.fetch.bind(window);
            let last = Promise.resolve();
            const say = body => {
                last = last.then(() => fetch('/__jsbridge__/heard', { method: 'POST', body, keepalive: true })).catch(() => {});
            };
            window.heard = (name, value = null) => say(JSON.stringify({ name: String(name), value }));
            say('{}');
        })();
        """
}
