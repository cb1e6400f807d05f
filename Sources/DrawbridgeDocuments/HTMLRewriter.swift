/// Inserts a script tag into a document that comes in pieces, and rewrites the `<meta>` and `<base>` of its head.
///
/// Only the first ``window`` bytes are read. Until the tag is in, what follows the best place so far is held back; then
/// only a `<meta>` or `<base>` that is not complete. All other bytes pass unchanged.
package struct HTMLRewriter {
    package static let window = 64 << 10

    private enum Phase {
        /// Nothing but white space came yet.
        case opening
        /// The place of the tag is being looked for.
        case placing
        /// The tag is in; the rest of the head may have policies and URLs to rewrite.
        case head
        case over
    }

    private let tag: [UInt8]
    private let isPage: Bool
    private let policy: @Sendable ([UInt8]) -> [UInt8]?
    private let addresses: (any AddressRewriter)?

    private var phase = Phase.opening
    private var scanner = HTMLScanner()
    private var place = HTMLPlace(start: 0)
    private var templates = 0

    /// Bytes that were received and not passed on; `passed` is how many came before them.
    private var held: [UInt8] = []
    private var passed = 0
    private var output: [UInt8] = []

    package private(set) var isTagged = false

    /// Begins a document.
    ///
    /// - Parameters:
    ///   - isPage: false where this may be a fragment: then only what begins like a document gets the tag.
    ///   - addresses: rewrites what the head says of the upstream.
    ///   - policy: makes the changed text of a `<meta>` policy; nil to leave it.
    package init(
        tag: [UInt8], isPage: Bool, addresses: (any AddressRewriter)? = nil,
        policy: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.tag = tag
        self.isPage = isPage
        self.addresses = addresses
        self.policy = policy
    }

    /// Takes the next bytes of the document; returns those of the result that are final.
    package mutating func take(_ chunk: [UInt8]) -> [UInt8] {
        if phase == .over { return chunk }
        let seen = chunk.prefix(Self.window - passed - held.count)
        held += seen
        read(isAll: false)
        if passed + held.count == Self.window { end() }
        switch phase {
        case .opening: break
        case .placing: pass(upTo: place.position)
        case .head: pass(upTo: scanner.openMeta ?? passed + held.count)
        case .over:
            pass(upTo: passed + held.count)
            output += chunk[seen.endIndex...]
        }
        return takeOutput()
    }

    /// Ends the document; returns what was held back.
    package mutating func finish() -> [UInt8] {
        if phase == .over { return [] }
        read(isAll: true)
        end()
        pass(upTo: passed + held.count)
        return takeOutput()
    }

    private mutating func read(isAll: Bool) {
        if phase == .opening { open(isAll: isAll) }
        while phase == .placing || phase == .head, scanner.position < passed + held.count {
            guard let token = scanner.take(held[scanner.position - passed]) else { continue }
            if phase == .placing {
                guard place.take(token, of: scanner, endingAt: scanner.position) else { continue }
                putTag()
            }
            if phase == .head { takeInHead(token) }
        }
    }

    /// Looks at the first bytes: UTF-16, which is not read here, and JSON pass unchanged, whatever their type says.
    private mutating func open(isAll: Bool) {
        if scanner.position == 0 {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            if !isAll, held.count < 2 || held.count < mark.count && mark.starts(with: held) { return }
            if held.starts(with: [0xFE, 0xFF]) || held.starts(with: [0xFF, 0xFE])
                || held.prefix(2).contains(0)
            {
                phase = .over
                return
            }
            if held.starts(with: mark) { scanner.skip(mark.count) }
            place = HTMLPlace(start: scanner.position)
        }
        while scanner.position < held.count, held[scanner.position].isHTMLSpace { scanner.skip(1) }
        guard scanner.position < held.count else { return }
        switch held[scanner.position] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): phase = .over
        default: phase = .placing
        }
    }

    private mutating func putTag() {
        guard isPage || place.isInDocument else {
            phase = .over
            return
        }
        pass(upTo: place.position)
        output += tag
        isTagged = true
        phase = .head
    }

    /// Stops reading; a tag that is not in yet is inserted now.
    private mutating func end() {
        if phase == .placing { putTag() }
        phase = .over
    }

    /// Takes a token of the head, or the one that ends it (HTML, sections 13.2.6.4.4 to 13.2.6.4.6).
    private mutating func takeInHead(_ token: HTMLScanner.Token) {
        switch token {
        case .comment, .doctype:
            break
        case .text:
            if templates == 0 { phase = .over }
        case .startTag where scanner.isNamed("template"):
            templates += 1
        case .endTag where scanner.isNamed("template"):
            templates = max(templates - 1, 0)
        case .startTag, .endTag:
            guard templates == 0 else { return }
            if token == .startTag, scanner.isNamed("meta") { changeMeta() }
            if token == .startTag, scanner.isNamed("base") { changeBase() }
            let goesOn =
                token == .startTag
                ? Self.inHead.contains(where: scanner.isNamed)
                : !Self.endTags.contains(where: scanner.isNamed)
            if !goesOn { phase = .over }
        }
    }

    /// Start tags that do not end the head.
    private static let inHead: [StaticString] = [
        "meta", "link", "script", "style", "title", "base", "noscript", "noframes", "head", "html",
        "basefont", "bgsound",
    ]

    /// End tags that end the head; others are ignored.
    private static let endTags: [StaticString] = ["body", "html", "br"]

    /// Rewrites the `<meta>` that has just ended: a policy, the target of a refresh, or URLs of the upstream.
    private mutating func changeMeta() {
        guard let content = scanner.attribute("content"), let place = content.value else { return }
        let said = text(at: place)
        let kind = scanner.attribute("http-equiv")?.value.map {
            String(decoding: text(at: $0), as: UTF8.self).lowercased()
        }
        let changed: [UInt8]?
        switch kind {
        case "content-security-policy":
            let ours = addresses?.policy(said)
            changed = policy(ours ?? said) ?? ours
        case "refresh":
            changed = addresses?.refresh(String(decoding: said, as: UTF8.self)).map { Array($0.utf8) }
        default: changed = addresses?.urls(in: said)
        }
        if let changed { replace(content, at: place, by: changed) }
    }

    private mutating func changeBase() {
        guard let link = scanner.attribute("href"), let place = link.value,
            let changed = addresses?.url(String(decoding: text(at: place), as: UTF8.self))
        else { return }
        replace(link, at: place, by: Array(changed.utf8))
    }

    private mutating func replace(_ attribute: HTMLScanner.Attribute, at place: Range<Int>, by text: [UInt8])
    {
        pass(upTo: place.lowerBound)
        output += HTMLText.escaped(text, in: attribute.quote)
        drop(place.count)
    }

    private func text(at place: Range<Int>) -> [UInt8] {
        HTMLText.decoded(held[(place.lowerBound - passed)..<(place.upperBound - passed)])
    }

    private mutating func pass(upTo position: Int) {
        guard position > passed else { return }
        output += held[..<(position - passed)]
        drop(position - passed)
    }

    private mutating func drop(_ count: Int) {
        held.removeFirst(count)
        passed += count
    }

    private mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }
}

/// Rewrites an upstream's own addresses to those by which the caller reaches it, through the gateway.
///
/// This is for what the head of a page says; header fields are rewritten elsewhere.
package protocol AddressRewriter: Sendable {
    /// Rewrites a URL or a path; nil where it stays as it is.
    func url(_ text: String) -> String?
    /// Rewrites the value of a refresh: `5; url=/x`.
    func refresh(_ text: String) -> String?
    func urls(in text: [UInt8]) -> [UInt8]?
    func policy(_ text: [UInt8]) -> [UInt8]?
}

enum HTMLText {
    /// Decodes character references to ASCII (HTML, section 13.2.5.72); others stay as they are.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(UInt8(ascii: "&")) else { return Array(bytes) }
        var text: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "&"), let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")),
                let character = character(named: String(decoding: rest[..<end], as: UTF8.self))
            {
                text.append(character)
                rest = rest[(end + 1)...]
            } else {
                text.append(byte)
            }
        }
        return text
    }

    /// Escapes a text for a value within this quote; without one, it gets quotes of its own.
    static func escaped(_ text: [UInt8], in quote: UInt8?) -> [UInt8] {
        let mark = quote ?? UInt8(ascii: "\"")
        var bytes: [UInt8] = quote == nil ? [mark] : []
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case mark: bytes += (mark == UInt8(ascii: "\"") ? "&quot;" : "&#39;").utf8
            default: bytes.append(byte)
            }
        }
        if quote == nil { bytes.append(mark) }
        return bytes
    }

    private static let named: [String: Character] = [
        "amp": "&", "AMP": "&", "quot": "\"", "QUOT": "\"", "apos": "'", "lt": "<", "LT": "<", "gt": ">",
        "GT": ">",
    ]

    private static func character(named name: String) -> UInt8? {
        guard name.hasPrefix("#") else { return named[name]?.asciiValue }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let code = isHexadecimal ? UInt8(digits.dropFirst(), radix: 16) : UInt8(digits)
        return code.flatMap { (0x20..<0x7F).contains($0) ? $0 : nil }
    }
}
