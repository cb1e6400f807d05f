import HTTPGrammar

/// One policy of a page (Content Security Policy Level 3), which is opened for the page runtime and for nothing else.
///
/// All its text stays as it is, byte by byte, but the sources that are added.
package struct ContentSecurityPolicy {
    /// `script-src 'self' 'nonce-x'`, as it is written.
    private struct Directive {
        package var text: [UInt8]

        /// The name in lower case; empty where there is nothing between two semicolons.
        var name: String { words.first.map { String(decoding: $0, as: UTF8.self).lowercased() } ?? "" }

        var sources: [String] { words.dropFirst().map { String(decoding: $0, as: UTF8.self) } }

        private var words: [ArraySlice<UInt8>] { text.split(whereSeparator: \.isHTMLSpace) }

        /// Adds sources; `'none'` means nothing beside others, and goes.
        mutating func add(_ added: [String]) {
            let kept = words.filter { !$0.map(\.lowercased).elementsEqual("'none'".utf8) }
            let all = kept + added.map { ArraySlice($0.utf8) }
            text = text.prefix(while: \.isHTMLSpace) + all.joined(separator: [UInt8(ascii: " ")])
        }

        /// The same sources under another name.
        func renamed(_ name: String) -> Directive {
            let all = [ArraySlice(name.utf8)] + words.dropFirst()
            return Directive(text: [UInt8(ascii: " ")] + all.joined(separator: [UInt8(ascii: " ")]))
        }
    }

    private var directives: [Directive]

    package init(_ text: some Collection<UInt8>) {
        directives = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Directive(text: Array($0)) }
    }

    /// The policy as it stands in a header or a `<meta>`.
    package var text: [UInt8] { Array(directives.map(\.text).joined(separator: [UInt8(ascii: ";")])) }

    /// Whether it has a directive of this name.
    package func has(_ name: String) -> Bool { sources(of: name) != nil }

    /// Whether pages under it stand in a sandbox that does not allow this.
    package func isSandboxed(without flag: String) -> Bool {
        sources(of: "sandbox").map { flags in !flags.contains { $0.lowercased() == flag } } ?? false
    }

    /// Of two with one name the first counts (section 2.2.1).
    private func index(of name: String) -> Int? { directives.firstIndex { $0.name == name } }

    private func sources(of name: String) -> [String]? { index(of: name).map { directives[$0].sources } }

    private mutating func add(_ sources: [String], to name: String) {
        if let index = index(of: name) { return directives[index].add(sources) }
        // What was never said falls back to this, and must go on to do so.
        guard let fallback = index(of: "default-src") else { return }
        var directive = directives[fallback].renamed(name)
        directive.add(sources)
        while directives.last?.name == "" { directives.removeLast() }
        directives.append(directive)
    }

    // MARK: The server's own name

    /// What has no sources.
    private static let sourceless: Set = [
        "", "upgrade-insecure-requests", "block-all-mixed-content", "sandbox", "report-uri", "report-to",
        "require-trusted-types-for", "trusted-types", "require-sri-for", "plugin-types",
    ]

    /// Lets the page's own origin in wherever the policy lets its server in by name: what comes from there comes by the
    /// gateway.
    ///
    /// - Parameter own: what stands for a source that names the server; nil for any other.
    package mutating func allowItself(by own: (_ source: String) -> String?) {
        for index in directives.indices where !Self.sourceless.contains(directives[index].name) {
            let sources = directives[index].sources
            guard !sources.contains("*") else { continue }
            var added: [String] = []
            for source in sources where !source.hasPrefix("'") {
                if let more = own(source), !sources.contains(where: { $0.lowercased() == more }),
                    !added.contains(more)
                {
                    added.append(more)
                }
            }
            if !added.isEmpty { directives[index].add(added) }
        }
    }

    /// Changes the text of a directive, where that has to be another.
    package mutating func change(_ name: String, by change: ([UInt8]) -> [UInt8]?) {
        guard let index = index(of: name), let text = change(directives[index].text) else { return }
        directives[index].text = text
    }

    /// Takes a directive out.
    package mutating func remove(_ name: String) { directives.removeAll { $0.name == name } }

    // MARK: Scripts

    /// The sources that decide about a `<script src>` (section 6.8.4), and the directive that may get more of them.
    private var scripts: (name: String, sources: [String])? {
        for name in ["script-src-elem", "script-src"] {
            if let sources = sources(of: name) { return (name, sources) }
        }
        return sources(of: "default-src").map { ("script-src", $0) }
    }

    /// The nonce by which scripts of this page may run; nil where none is in use.
    package var nonce: String? {
        scripts?.sources.lazy.compactMap { source in
            guard source.lowercased().hasPrefix("'nonce-"), source.hasSuffix("'") else { return nil }
            let nonce = source.dropFirst("'nonce-".count).dropLast()
            return Self.isNonce(nonce) ? String(nonce) : nil
        }.first
    }

    /// Whether nothing but a nonce lets a script in that the page itself has not loaded.
    package var isDynamic: Bool {
        scripts?.sources.contains { $0.lowercased() == "'strict-dynamic'" } ?? false
    }

    /// It goes into the tag, so it has to be one (section 2.3.1, `base64-value`).
    private static func isNonce(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0.isAlphanumeric || "+/-_=".utf8.contains($0) }
    }

    /// Lets a script of the page's own origin in: by the nonce where this policy works with nonces, else by its origin.
    ///
    /// A nonce beside `'unsafe-inline'` alone would turn that off.
    package mutating func allowScript(nonce wanted: String?) {
        guard let (name, sources) = scripts else { return }
        if let wanted, nonce != nil || isDynamic {
            let source = "'nonce-\(wanted)'"
            if !sources.contains(where: { Self.isSame($0, source) }) { add([source], to: name) }
        } else if !isDynamic, !sources.contains(where: { ["'self'", "*"].contains($0.lowercased()) }) {
            add(["'self'"], to: name)
        }
    }

    /// The keyword in any case, the nonce as it is.
    private static func isSame(_ source: String, _ nonce: String) -> Bool {
        source.lowercased().hasPrefix("'nonce-") && source.dropFirst(7) == nonce.dropFirst(7)
    }

    // MARK: Connections

    /// Lets the page connect to its own origin, which is not a WebSocket's in every browser.
    ///
    /// - Parameter socket: `ws://localhost:8080`; nil where the host cannot be said in a policy.
    package mutating func allowConnection(socket: String?) {
        guard
            let sources = (sources(of: "connect-src") ?? sources(of: "default-src"))?.map({ $0.lowercased() }
            ),
            !sources.contains("*")
        else { return }
        var missing: [String] = []
        if !sources.contains("'self'") { missing.append("'self'") }
        if let socket {
            let scheme = socket.prefix { $0 != "/" }
            let isIn = sources.contains { $0 == socket || $0 == "ws:" || $0 == scheme }
            if !isIn { missing.append(socket) }
        }
        if !missing.isEmpty { add(missing, to: "connect-src") }
    }
}

extension ContentSecurityPolicy {
    /// The policies of a page as they are right behind the gateway; nil where they stay as they are.
    ///
    /// - Parameters:
    ///   - isPlain: whether the page comes by http, so that nothing of it can be upgraded to https.
    ///   - urls: brings URLs home, as those by which a browser reports.
    ///   - own: what stands for a source that names the page's server; nil for any other.
    package static func broughtHome(
        _ text: [UInt8], isPlain: Bool, urls: ([UInt8]) -> [UInt8]?, own: (_ source: String) -> String?
    ) -> [UInt8]? {
        var policies = list(text)
        for index in policies.indices {
            policies[index].allowItself(by: own)
            policies[index].change("report-uri", by: urls)
            if isPlain { policies[index].remove("upgrade-insecure-requests") }
        }
        let changed = policies.text
        return changed == text ? nil : changed
    }

    /// The policies of one field or one `<meta>`, which commas part.
    package static func list(_ text: some Collection<UInt8>) -> [ContentSecurityPolicy] {
        text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            ContentSecurityPolicy($0)
        }
    }
}

extension [ContentSecurityPolicy] {
    package var text: [UInt8] { [UInt8](map(\.text).joined(separator: [UInt8(ascii: ",")])) }
}
