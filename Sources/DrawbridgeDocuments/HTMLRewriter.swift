/// Inserts a script tag into a document that arrives in chunks, and rewrites the `<meta>` and `<base>` of its head.
///
/// Only the first ``window`` bytes are parsed. Until the tag is inserted, the bytes after the best position so far are
/// held back; afterwards only an incomplete `<meta>` or `<base>` is. All other bytes are passed on unchanged.
package struct HTMLRewriter {
    package static let window = 64 << 10

    private enum Phase {
        /// Only white space has arrived so far.
        case opening
        case placing
        /// The tag is inserted; the rest of the head may contain policies and URLs to rewrite.
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

    /// The bytes that were received but not passed on; `passed` is the number of bytes passed on before them.
    private var held: [UInt8] = []
    private var passed = 0
    private var output: [UInt8] = []

    package private(set) var isTagged = false
    /// How many bytes are still searched for links.
    private var unseen = Self.window

    /// Begins a document.
    ///
    /// - Parameters:
    ///   - isPage: false if the text may be a fragment: then the tag is inserted only if it begins like a document.
    ///   - addresses: rewrites the upstream's URLs in the head; nil if there is no upstream.
    ///   - policy: returns the changed text of a `<meta>` policy; nil to keep it.
    package init(
        tag: [UInt8], isPage: Bool, addresses: (any AddressRewriter)? = nil,
        policy: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.tag = tag
        self.isPage = isPage
        self.addresses = addresses
        self.policy = policy
    }

    /// Processes the next bytes of the document; returns the part of the result that can be sent.
    package mutating func take(_ chunk: [UInt8]) -> [UInt8] {
        defer { seekLink(in: chunk) }
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

    /// Ends the document; returns the bytes that were held back.
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

    /// Checks the first bytes: UTF-16, which cannot be parsed here, and JSON are passed on unchanged.
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

    /// Ends parsing; if the tag was not inserted yet, it is inserted at the best position.
    private mutating func end() {
        if phase == .placing { putTag() }
        phase = .over
    }

    /// Processes a token in the head, or the one that ends the head (HTML, sections 13.2.6.4.4 to 13.2.6.4.6).
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

    /// Start tags that can be in the head; any other ends it.
    private static let inHead: [StaticString] = [
        "meta", "link", "script", "style", "title", "base", "noscript", "noframes", "head", "html",
        "basefont", "bgsound",
    ]

    private static let endTags: [StaticString] = ["body", "html", "br"]

    /// Rewrites the `<meta>` tag just read: a policy, the URL of a refresh, or URLs of the upstream.
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

    /// Looks for a link, a form or a frame with the upstream's whole URL, behind which the page would leave the gateway.
    ///
    /// Other URLs do no harm: `<link rel=canonical>`, pictures, texts. One that two chunks share is not seen.
    private mutating func seekLink(in chunk: [UInt8]) {
        guard isTagged, isPage, unseen > 0, let links = addresses?.links else { return }
        var rest = chunk.prefix(unseen)
        unseen -= rest.count
        while let place = rest.firstRange(of: links.origin) {
            rest = rest[place.upperBound...]
            let before = chunk[..<place.lowerBound]
            guard let next = rest.first, "/?#\"' >".utf8.contains(next),
                "\"'".utf8.contains(before.last ?? 0),
                let tag = before.suffix(1024).lastIndex(where: { "<>".utf8.contains($0) }),
                Self.leading.contains(where: { chunk[tag...].starts(with: $0.utf8) })
            else { continue }
            unseen = 0
            return links.found()
        }
    }

    private static let leading = ["<a ", "<area ", "<form ", "<button ", "<input ", "<iframe "]

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

/// Rewrites URLs of an upstream to the gateway's URLs for them.
///
/// Used for the head of a page; those in header fields are rewritten elsewhere.
package protocol AddressRewriter: Sendable {
    /// Rewrites a URL or a path; nil to keep it.
    func url(_ text: String) -> String?
    /// Rewrites the content of `<meta http-equiv="refresh">`, such as `5; url=/x`; nil to keep it.
    func refresh(_ text: String) -> String?
    func urls(in text: [UInt8]) -> [UInt8]?
    func policy(_ text: [UInt8]) -> [UInt8]?
    /// The upstream's own origin, and what to do where a page has links to it; nil if that need not be known.
    var links: (origin: [UInt8], found: @Sendable () -> Void)? { get }
}

enum HTMLText {
    /// Decodes character references to ASCII characters (HTML, section 13.2.5.72), and keeps all others.
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

    /// Escapes a text for an attribute value in this quote; adds quotes if the value had none.
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
