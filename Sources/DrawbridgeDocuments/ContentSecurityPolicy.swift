import HTTPGrammar

/// One policy of a page (Content Security Policy Level 3), loosened for what the gateway needs and for nothing else.
///
/// Text that need not change stays as it is, byte by byte.
package struct ContentSecurityPolicy {
    /// `script-src 'self' 'nonce-x'`, as it is written.
    private struct Directive {
        package var text: [UInt8]

        /// The name in lower case; empty where there is nothing between two semicolons.
        var name: String { words.first.map { String(decoding: $0, as: UTF8.self).lowercased() } ?? "" }

        var sources: [String] { words.dropFirst().map { String(decoding: $0, as: UTF8.self) } }

        private var words: [ArraySlice<UInt8>] { text.split(whereSeparator: \.isHTMLSpace) }

        /// Adds sources, and drops `'none'`, which means nothing beside others.
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

    package var text: [UInt8] { Array(directives.map(\.text).joined(separator: [UInt8(ascii: ";")])) }

    package func has(_ name: String) -> Bool { sources(of: name) != nil }

    package func isSandboxed(without flag: String) -> Bool {
        sources(of: "sandbox").map { flags in !flags.contains { $0.lowercased() == flag } } ?? false
    }

    /// Where a directive is repeated, the first counts (section 2.2.1).
    private func index(of name: String) -> Int? { directives.firstIndex { $0.name == name } }

    private func sources(of name: String) -> [String]? { index(of: name).map { directives[$0].sources } }

    private mutating func add(_ sources: [String], to name: String) {
        if let index = index(of: name) { return directives[index].add(sources) }
        // A missing directive falls back to `default-src`, so the new one begins with the same sources.
        guard let fallback = index(of: "default-src") else { return }
        var directive = directives[fallback].renamed(name)
        directive.add(sources)
        while directives.last?.name == "" { directives.removeLast() }
        directives.append(directive)
    }

    /// Directives whose words are not sources.
    private static let sourceless: Set = [
        "", "upgrade-insecure-requests", "block-all-mixed-content", "sandbox", "report-uri", "report-to",
        "require-trusted-types-for", "trusted-types", "require-sri-for", "plugin-types",
    ]

    /// Adds the page's own origin wherever the policy names the upstream, whose files come through the gateway.
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

    /// Replaces the text of a directive by what `change` makes of it; nil leaves it.
    package mutating func change(_ name: String, by change: ([UInt8]) -> [UInt8]?) {
        guard let index = index(of: name), let text = change(directives[index].text) else { return }
        directives[index].text = text
    }

    package mutating func remove(_ name: String) { directives.removeAll { $0.name == name } }

    /// The sources that decide about a `<script src>` (section 6.8.4), and the directive that may get more of them.
    private var scripts: (name: String, sources: [String])? {
        for name in ["script-src-elem", "script-src"] {
            if let sources = sources(of: name) { return (name, sources) }
        }
        return sources(of: "default-src").map { ("script-src", $0) }
    }

    /// The nonce that lets scripts of this page run; nil where the policy has none.
    package var nonce: String? {
        scripts?.sources.lazy.compactMap { source in
            guard source.lowercased().hasPrefix("'nonce-"), source.hasSuffix("'") else { return nil }
            let nonce = source.dropFirst("'nonce-".count).dropLast()
            // It may be written into the tag (section 2.3.1, `base64-value`).
            let isPlain = nonce.utf8.allSatisfy { $0.isAlphanumeric || "+/-_=".utf8.contains($0) }
            return isPlain && !nonce.isEmpty ? String(nonce) : nil
        }.first
    }

    /// Whether `'strict-dynamic'` makes browsers ignore `'self'` and hosts, so that a script tag needs a nonce.
    package var isDynamic: Bool {
        scripts?.sources.contains { $0.lowercased() == "'strict-dynamic'" } ?? false
    }

    /// Allows a script of the page's own origin: by the nonce where the policy works with nonces, else by `'self'`.
    ///
    /// No nonce is added beside `'unsafe-inline'` alone, which it would turn off.
    package mutating func allowScript(nonce wanted: String?) {
        guard let (name, sources) = scripts else { return }
        if let wanted, nonce != nil || isDynamic {
            // The keyword is the same in any case, the nonce is not.
            let source = "'nonce-\(wanted)'"
            let isThere = sources.contains {
                $0.lowercased().hasPrefix("'nonce-") && $0.dropFirst(7) == source.dropFirst(7)
            }
            if !isThere { add([source], to: name) }
        } else if !isDynamic, !sources.contains(where: { ["'self'", "*"].contains($0.lowercased()) }) {
            add(["'self'"], to: name)
        }
    }

    /// Allows connections to the page's own origin, and its WebSocket, which `'self'` does not cover in every browser.
    ///
    /// - Parameter socket: `ws://localhost:8080`; nil where a policy cannot express the host.
    package mutating func allowConnection(socket: String?) {
        guard let written = sources(of: "connect-src") ?? sources(of: "default-src") else { return }
        let sources = written.map { $0.lowercased() }
        if sources.contains("*") { return }
        var missing: [String] = []
        if !sources.contains("'self'") { missing.append("'self'") }
        if let socket {
            let scheme = socket.prefix { $0 != "/" }
            let isIn = sources.contains { $0 == socket || $0 == "ws:" || $0 == scheme }
            if !isIn { missing.append(socket) }
        }
        if !missing.isEmpty { add(missing, to: "connect-src") }
    }

    /// The policies of an upstream's page, rewritten for the gateway that serves it; nil where nothing changes.
    ///
    /// - Parameters:
    ///   - isPlain: whether the page comes by http, so that nothing of it can be upgraded to https.
    ///   - urls: rewrites URLs of the upstream to the gateway's, such as those for reports; nil where nothing changes.
    ///   - own: the source to add beside one that names the upstream; nil for any other.
    package static func rewritten(
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

    /// The policies of one header field or `<meta>`, separated by commas.
    package static func list(_ text: some Collection<UInt8>) -> [ContentSecurityPolicy] {
        text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            ContentSecurityPolicy($0)
        }
    }
}

extension [ContentSecurityPolicy] {
    package var text: [UInt8] { [UInt8](map(\.text).joined(separator: [UInt8(ascii: ",")])) }
}
