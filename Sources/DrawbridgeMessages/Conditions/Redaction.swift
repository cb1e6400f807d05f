/// Removes secrets from whatever is shown: log, journal, copies, inputs in questions, errors.
///
/// They are known by their names, in JSON and in texts, and by their form: JWTs and bearer tokens. The journal itself
/// keeps them, to repeat calls with them. A nil redaction shows them.
package struct Redaction: Sendable {
    private static let removed = "[removed]"

    private static let words: Set<String> = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "pwd", "session", "auth",
        "authorization", "cookie", "csrf", "xsrf", "otp", "totp", "pin", "cvv", "cvc", "ssn", "bearer", "jwt",
        "credential", "signature",
    ]
    /// The ends of names that are often written as one word: `accesstoken`, `PHPSESSID`.
    private static let ends = [
        "token", "secret", "password", "passwd", "passphrase", "pwd", "apikey", "credential", "signature",
        "sessionid", "sessid",
    ]
    /// What a name is about that ends with one of these is no secret, but something about it: `tokenCount`.
    private static let qualities: Set<String> = [
        "count", "type", "name", "length", "size", "limit", "max", "min", "total", "usage", "at", "in", "ttl",
        "expiry", "expires", "expiration", "url", "uri", "endpoint", "status", "enabled", "required", "valid",
        "version", "policy", "provider", "method", "mode",
    ]

    package static let usual = Redaction()

    private let more: [[String]]
    /// A cache of which names are those of secrets, since calls repeat the same names.
    private let known = Remembered<String, Bool>(atMost: 4096)

    /// - Parameter more: further names of secrets, also as a part of a longer name: `iban` fits `myIban`.
    package init(also more: [String] = []) { self.more = more.map(Self.words).filter { !$0.isEmpty } }

    /// Whether a text contains a word, so that it can name members.
    package static func isName(_ text: String) -> Bool { !words(of: text).isEmpty }

    func isSecret(_ name: String) -> Bool {
        let end = name.utf8.count > 64 ? String(decoding: name.utf8.suffix(64), as: UTF8.self) : name
        return known.value(of: end) { hasSecretWord(end) }
    }

    private func hasSecretWord(_ name: String) -> Bool {
        let words = Self.words(of: name)
        if more.contains(where: { words.contains($0) || $0.joined() == words.joined() }) { return true }
        guard let last = words.last, !Self.qualities.contains(last) else { return false }
        return words.indices.contains { place in
            var word = words[place][...]
            while word.last?.isNumber == true { word.removeLast() }
            let single = String(word.hasSuffix("s") ? word.dropLast() : word)
            let isKey = single == "key" && place > 0 && ["api", "private"].contains(words[place - 1])
            return isKey || Self.words.contains(single) || Self.ends.contains(where: single.hasSuffix)
        }
    }

    /// The words of `accessToken`, `X-Api-Key`, `user_pwd`, `APIKey`, in small letters.
    static func words(of name: String) -> [String] {
        let letters = Array("-\(name)-".utf8)
        func isCapital(_ place: Int) -> Bool { letters[place].isLetter && letters[place] & 0x20 == 0 }
        var words: [[UInt8]] = [[]]
        for place in letters.indices.dropFirst().dropLast() {
            let isSeparator = !letters[place].isAlphanumeric && letters[place] < 0x80
            // A capital begins a word; of several in a row only the last does, where a small letter follows.
            let isBeforeSmall = letters[place + 1].isLetter && !isCapital(place + 1)
            let begins = isCapital(place) && (!isCapital(place - 1) || isBeforeSmall)
            if isSeparator || begins { words.append([]) }
            if !isSeparator { words[words.count - 1].append(letters[place]) }
        }
        return words.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self).lowercased() }
    }

    /// The same value without its secrets, also within its strings.
    package func removed(from value: JSON) -> JSON {
        if let members = value.objectValue {
            return .object(
                JSON.Object(
                    members.map { member in
                        let isSecret = isSecret(member.key) && !member.value.isNull
                        let value = isSecret ? .string(Self.removed) : removed(from: member.value)
                        // Text that is read as a form has a name that is the beginning of the text.
                        return (removed(fromText: member.key), value)
                    }))
        }
        if let elements = value.arrayValue { return .array(elements.map(removed)) }
        return value.stringValue.map { .string(removed(fromText: $0)) } ?? value
    }

    /// The same text without its secrets: JSON or a form, header fields, a URL, XML, a multipart body, a line of the log,
    /// or the beginning of one.
    ///
    /// A name comes before `:` or `=`, or in quotes after `name=` as in a multipart body. After `=` the value is a word,
    /// after `:` the rest of the line.
    package func removed(fromText text: String, within depth: Int = 0) -> String {
        // In front of every value is a blank or one of `:=>[{`, and within a JWT a `J`.
        guard
            text.utf8.contains(where: {
                $0 == 0x20 || $0 == 0x3A || $0 == 0x3D || $0 == 0x3E || $0 == 0x4A || $0 == 0x5B || $0 == 0x7B
            })
        else { return text }
        let bytes = Array(text.utf8)
        let first = bytes.first { $0 > 0x20 }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let inner = try? JSON(parsing: bytes) {
            let clean = removed(from: inner)
            return clean == inner ? text : "\(clean)"
        }
        guard depth < 4 else { return Self.removed }
        var (clean, shown, place) = ([UInt8](), 0, 0)
        // Up to here no value is encoded; names that are in a value of another are not looked through again.
        var plainEnd = 0
        func end(from start: Int, _ isEnd: (UInt8) -> Bool) -> Int {
            bytes[min(start, bytes.count)...].firstIndex(where: isEnd) ?? bytes.count
        }
        func show(_ text: String, insteadOf range: Range<Int>) {
            clean += bytes[shown..<range.lowerBound] + Array(text.utf8)
            (shown, place) = (range.upperBound, range.upperBound)
        }
        while let begin = bytes[place...].firstIndex(where: Self.isOfName) {
            place = end(from: begin) { !Self.isOfName($0) }
            let word = String(decoding: bytes[begin..<place], as: UTF8.self)
            if word.utf8.starts(with: "eyJ".utf8), place < bytes.count, bytes[place] == UInt8(ascii: ".") {
                show(Self.removed, insteadOf: begin..<end(from: place, Self.endsItem))
                continue
            }
            if bytes[place...].starts(with: "://".utf8) {
                let host = place + 3..<end(from: place + 3) { Self.endsItem($0) || "/?#".utf8.contains($0) }
                if let at = bytes[host].lastIndex(of: UInt8(ascii: "@")),
                    let colon = bytes[host.lowerBound..<at].firstIndex(of: UInt8(ascii: ":"))
                {
                    show(Self.removed, insteadOf: colon + 1..<at)
                }
                continue
            }
            if begin > 0, bytes[begin - 1] == UInt8(ascii: "<"), isSecret(word) {
                place = min(end(from: place) { $0 == UInt8(ascii: ">") } + 1, bytes.count)
                let last = end(from: place) { $0 == UInt8(ascii: "<") }
                if place < last { show(Self.removed, insteadOf: place..<last) }
                continue
            }
            let isPart = bytes[..<begin].suffix(6).elementsEqual("name=\"".utf8)
            let sign = end(from: place) { !" \t\"'\\]".utf8.contains($0) }
            let isItem = sign < bytes.count && bytes[sign] == UInt8(ascii: "=")
            let isBearer = sign > place && word.lowercased() == "bearer"
            let isLine = sign < bytes.count && bytes[sign] == UInt8(ascii: ":")
            guard isPart || isItem || isBearer || isLine else { continue }
            let start = end(from: isItem || isLine ? sign + 1 : sign) { !" \t\"'\\".utf8.contains($0) }
            let isSecret = isSecret(Percent.decode(word[...].utf8) ?? word)
            guard isSecret ? !bytes[start...].starts(with: Self.removed.utf8) : isItem && start >= plainEnd
            else { continue }
            let quote = "\"'".utf8.contains(bytes[start - 1]) ? bytes[start - 1] : nil
            let last = end(from: start) { byte in
                if isPart { return false }
                return isLine ? byte == 0x0A || byte == 0x0D : quote.map { $0 == byte } ?? Self.endsItem(byte)
            }
            if isSecret {
                if start < last { show(Self.removed, insteadOf: start..<last) }
            } else if !bytes[start..<last].contains(UInt8(ascii: "%")) {
                plainEnd = last
            } else {
                // The value is encoded, and may have names itself.
                place = last
                let item = "=\(String(decoding: bytes[start..<last], as: UTF8.self))"
                let plain = Query.Item(item[...].utf8).value
                let value = removed(fromText: plain, within: depth + 1)
                if value != plain { show(Percent.encode(value), insteadOf: start..<last) }
            }
        }
        return shown == 0 ? text : String(decoding: clean + bytes[shown...], as: UTF8.self)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isWord || byte >= 0x80 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "%")
    }

    private static func endsItem(_ byte: UInt8) -> Bool { byte <= 0x20 || "&;\"'<>".utf8.contains(byte) }
}

extension Redaction? {
    package func removed(from value: JSON) -> JSON { self?.removed(from: value) ?? value }
    package func removed(fromText text: String) -> String { self?.removed(fromText: text) ?? text }
}
