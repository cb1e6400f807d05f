import HTTPGrammar

/// A page's policy (Content Security Policy Level 3), to which the gateway adds only the sources that it needs.
///
/// Directives that need no change keep their exact text.
package struct ContentSecurityPolicy {
    /// The text of a directive as written, such as `script-src 'self' 'nonce-x'`.
    private struct Directive {
        package var text: [UInt8]

        /// The name in lower case; empty for an empty directive, as between two semicolons.
        var name: String { words.first.map { String(decoding: $0, as: UTF8.self).lowercased() } ?? "" }

        var sources: [String] { words.dropFirst().map { String(decoding: $0, as: UTF8.self) } }

        private var words: [ArraySlice<UInt8>] { text.split(whereSeparator: \.isHTMLSpace) }

        /// Adds sources, and drops `'none'`, which browsers ignore if there are other sources.
        mutating func add(_ added: [String]) {
            let kept = words.filter { !$0.map(\.lowercased).elementsEqual("'none'".utf8) }
            let all = kept + added.map { ArraySlice($0.utf8) }
            text = text.prefix(while: \.isHTMLSpace) + all.joined(separator: [UInt8(ascii: " ")])
        }

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

    /// If a directive is repeated, browsers use the first one (section 2.2.1).
    private func index(of name: String) -> Int? { directives.firstIndex { $0.name == name } }

    private func sources(of name: String) -> [String]? { index(of: name).map { directives[$0].sources } }

    private mutating func add(_ sources: [String], to name: String) {
        if let index = index(of: name) { return directives[index].add(sources) }
        // Without this directive, browsers use the sources of `default-src`, so the new one must contain these too.
        guard let fallback = index(of: "default-src") else { return }
        var directive = directives[fallback].renamed(name)
        directive.add(sources)
        while directives.last?.name == "" { directives.removeLast() }
        directives.append(directive)
    }

    /// Directives whose values are not lists of sources.
    private static let sourceless: Set = [
        "", "upgrade-insecure-requests", "block-all-mixed-content", "sandbox", "report-uri", "report-to",
        "require-trusted-types-for", "trusted-types", "require-sri-for", "plugin-types",
    ]

    /// Adds the page's own origin to each directive that lists the upstream, whose files now come from the gateway.
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

    /// Replaces the text of a directive by the result of `change`, unless that is nil.
    package mutating func change(_ name: String, by change: ([UInt8]) -> [UInt8]?) {
        guard let index = index(of: name), let text = change(directives[index].text) else { return }
        directives[index].text = text
    }

    package mutating func remove(_ name: String) { directives.removeAll { $0.name == name } }

    /// The directive that applies to `<script src>` (section 6.8.4), or to which sources are to be added, and its
    /// sources.
    private var scripts: (name: String, sources: [String])? {
        for name in ["script-src-elem", "script-src"] {
            if let sources = sources(of: name) { return (name, sources) }
        }
        return sources(of: "default-src").map { ("script-src", $0) }
    }

    /// The nonce with which scripts of this page are allowed; nil if the policy has none.
    package var nonce: String? {
        scripts?.sources.lazy.compactMap { source in
            guard source.lowercased().hasPrefix("'nonce-"), source.hasSuffix("'") else { return nil }
            let nonce = source.dropFirst("'nonce-".count).dropLast()
            // Only a well-formed nonce (section 2.3.1, `base64-value`): it is inserted into the tag as it is.
            let isPlain = nonce.utf8.allSatisfy { $0.isAlphanumeric || "+/-_=".utf8.contains($0) }
            return isPlain && !nonce.isEmpty ? String(nonce) : nil
        }.first
    }

    /// Whether `'strict-dynamic'` makes browsers ignore `'self'` and hosts, so that a script tag needs a nonce.
    package var isDynamic: Bool {
        scripts?.sources.contains { $0.lowercased() == "'strict-dynamic'" } ?? false
    }

    /// Allows a script of the page's own origin: by the nonce if the policy uses nonces, else by `'self'`.
    ///
    /// A policy with `'unsafe-inline'` and no nonce gets none: a nonce would make browsers ignore `'unsafe-inline'`.
    package mutating func allowScript(nonce wanted: String?) {
        guard let (name, sources) = scripts else { return }
        if let wanted, nonce != nil || isDynamic {
            // The keyword `nonce-` is not case-sensitive, but the nonce is.
            let source = "'nonce-\(wanted)'"
            let isThere = sources.contains {
                $0.lowercased().hasPrefix("'nonce-") && $0.dropFirst(7) == source.dropFirst(7)
            }
            if !isThere { add([source], to: name) }
        } else if !isDynamic, !sources.contains(where: { ["'self'", "*"].contains($0.lowercased()) }) {
            add(["'self'"], to: name)
        }
    }

    /// Allows connections to the page's own origin and to its WebSocket, which not every browser includes in `'self'`.
    ///
    /// - Parameter socket: `ws://localhost:8080`; nil for a host that a policy cannot express.
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

    /// Allows the page runtime's policy of Trusted Types, which has this name, where policies are listed.
    package mutating func allowTrustedTypes() {
        if has("trusted-types") { add(["drawbridge"], to: "trusted-types") }
    }

    /// Adapts the policies of an upstream's page for the gateway that serves it; nil if nothing changes.
    ///
    /// - Parameters:
    ///   - isPlain: whether the page is served over http, where `upgrade-insecure-requests` would break it.
    ///   - urls: rewrites the upstream's URLs in `report-uri` to the gateway's; nil if there are none.
    ///   - own: the source to add for a source that names the upstream; nil for any other source.
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

    /// Parses the policies of a header field or `<meta>`, which are separated by commas.
    package static func list(_ text: some Collection<UInt8>) -> [ContentSecurityPolicy] {
        text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            ContentSecurityPolicy($0)
        }
    }
}

extension [ContentSecurityPolicy] {
    package var text: [UInt8] { [UInt8](map(\.text).joined(separator: [UInt8(ascii: ",")])) }
}
