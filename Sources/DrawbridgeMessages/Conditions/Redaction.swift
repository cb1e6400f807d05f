import DrawbridgeJSON
import HTTPGrammar

/// Removes secrets, known by the names of members, from data that leaves the journal.
///
/// The journal itself keeps the secrets, to repeat calls with them. A nil redaction shows them.
package struct Redaction: Sendable {
    static let removed = JSON.string("[removed]")

    private static let words: Set<String> = [
        "token", "secret", "password", "passwd", "pwd", "session", "auth", "authorization", "cookie", "csrf",
        "otp", "pin", "cvv", "credential", "signature",
    ]
    /// The ends of names that are often written as one word: `accesstoken`.
    private static let ends = ["token", "secret", "password", "apikey", "credential", "signature"]

    private let more: [[String]]
    /// A cache of which names are those of secrets, since calls repeat the same names.
    private let known = Remembered<String, Bool>(atMost: 4096)

    /// - Parameter more: further names of secrets, also as a part of a longer name: `iban` fits `myIban`.
    package init(also more: [String] = []) { self.more = more.map(Self.words).filter { !$0.isEmpty } }

    /// Whether a text contains a word, so that it can name members.
    package static func isName(_ text: String) -> Bool { !words(of: text).isEmpty }

    func isSecret(_ name: String) -> Bool {
        name.utf8.count > 64 ? hasSecretWord(name) : known.value(of: name) { hasSecretWord(name) }
    }

    private func hasSecretWord(_ name: String) -> Bool {
        let words = Self.words(of: name)
        if more.contains(where: { words.contains($0) || $0.joined() == words.joined() }) { return true }
        for (place, word) in words.enumerated() {
            let single = word.hasSuffix("s") ? String(word.dropLast()) : word
            if Self.words.contains(word) || Self.words.contains(single) { return true }
            if Self.ends.contains(where: single.hasSuffix) { return true }
            if single == "key", place > 0, words[place - 1] == "api" { return true }
        }
        return false
    }

    /// The words of `accessToken`, `X-Api-Key`, `user_pwd`, `APIKey`, in small letters.
    static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var last: Character = "_"
        let letters = Array(name)
        for (place, letter) in letters.enumerated() {
            let isSeparator = !letter.isLetter && !letter.isNumber
            // A capital begins a word; of several in a row only the last does, where a small letter follows.
            let next = place + 1 < letters.count ? letters[place + 1] : "_"
            let begins = letter.isUppercase && (!last.isUppercase || next.isLowercase)
            if isSeparator || begins, !word.isEmpty {
                words.append(word)
                word = ""
            }
            if !isSeparator { word += letter.lowercased() }
            last = letter
        }
        return word.isEmpty ? words : words + [word]
    }

    /// The same value without its secrets, also within strings of JSON, forms and URLs, which some bridges send.
    package func removed(from value: JSON) -> JSON {
        if let members = value.objectValue {
            return .object(
                JSON.Object(
                    members.map { member in
                        let isSecret = isSecret(member.key) && !member.value.isNull
                        return (member.key, isSecret ? Self.removed : removed(from: member.value))
                    }))
        }
        if let elements = value.arrayValue { return .array(elements.map(removed)) }
        return value.stringValue.map { .string(removed(fromValue: $0)) } ?? value
    }

    private func removed(fromValue text: String) -> String {
        let first = text.utf8.first { !Self.spaces.contains($0) }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            guard let inner = try? JSON(parsing: Array(text.utf8)) else { return removed(fromText: text) }
            let clean = removed(from: inner)
            return clean == inner ? text : "\(clean)"
        }
        guard text.utf8.contains(UInt8(ascii: "=")), !text.utf8.contains(where: Self.spaces.contains) else {
            return text
        }
        return text.utf8.contains(UInt8(ascii: "?"))
            ? removed(fromQuery: text) : String(removed(fromQuery: "?\(text)").dropFirst())
    }

    private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

    /// Cuts a text that cannot be parsed, such as the beginning of a value, before the value of its first secret.
    ///
    /// A name is what comes before `:` or `=`, or in quotes after `name=` as in a multipart body.
    package func removed(fromText text: String) -> String {
        let bytes = Array(text.utf8)
        var place = 0
        while place < bytes.count {
            guard Self.isOfName(bytes[place]) else {
                place += 1
                continue
            }
            let begin = place
            while place < bytes.count, Self.isOfName(bytes[place]) { place += 1 }
            let isPart = bytes[..<begin].suffix(6).elementsEqual("name=\"".utf8)
            let next = bytes[place...].first { !Self.behindNames.contains($0) }
            guard isPart || next == UInt8(ascii: ":") || next == UInt8(ascii: "=") else { continue }
            let word = String(decoding: bytes[begin..<place], as: UTF8.self)
            guard isSecret(Percent.decode(word[...].utf8) ?? word) else { continue }
            return String(decoding: bytes[..<place], as: UTF8.self) + " [removed]"
        }
        return text
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isWord || byte >= 0x80 || "-%".utf8.contains(byte)
    }

    /// What may come between a name and its `:` or `=`: a space, a quote, the backslash of a quote within a string.
    private static let behindNames: Set<UInt8> = spaces.union("\"'\\".utf8)

    /// A path and query, or a form, without the values of its secrets.
    package func removed(fromQuery text: String) -> String {
        // By bytes: in Swift a combining accent and the sign before it are one `Character`.
        let bytes = Array(text.utf8)
        guard let start = bytes.firstIndex(of: UInt8(ascii: "?")) else { return text }
        let items = bytes[(start + 1)...].split(
            separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let clean = items.map { item in
            guard let sign = item.firstIndex(of: UInt8(ascii: "=")) else { return Array(item) }
            let name = item[..<sign]
            let plain = String(decoding: name, as: UTF8.self)
            if isSecret(Percent.decode(plain[...].utf8) ?? plain) { return name + Array("=[removed]".utf8) }
            let value = Query.Item(Substring(String(decoding: item, as: UTF8.self)).utf8).value
            let clean = removed(fromValue: value)
            return clean == value ? Array(item) : name + Array("=\(Percent.encode(clean, keeping: ""))".utf8)
        }
        return String(decoding: bytes[...start] + clean.joined(separator: [UInt8(ascii: "&")]), as: UTF8.self)
    }
}

extension Redaction? {
    package func removed(from value: JSON) -> JSON { self?.removed(from: value) ?? value }
    package func removed(fromText text: String) -> String { self?.removed(fromText: text) ?? text }
    package func removed(fromQuery text: String) -> String { self?.removed(fromQuery: text) ?? text }
}
