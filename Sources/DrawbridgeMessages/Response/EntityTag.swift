/// Names one version of the resource at a path, RFC 9110, section 8.8.3.
package struct EntityTag: Equatable, Sendable {
    package let opaque: Substring
    package let isWeak: Bool

    package init(_ opaque: some StringProtocol, isWeak: Bool = false) {
        (self.opaque, self.isWeak) = (Substring(opaque), isWeak)
    }

    /// The tag as in a header field: in quotes.
    package var text: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }

    package func matchesStrongly(_ other: Self) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }
    package func matchesWeakly(_ other: Self) -> Bool { opaque == other.opaque }

    /// The tags of an `If-Match` or `If-None-Match`.
    package enum List {
        /// `*`: any version.
        case any
        /// The tags before the first malformed one.
        case tags([EntityTag])

        package init(_ text: String) {
            var rest = text[...].utf8
            var tags: [EntityTag] = []
            while true {
                rest = rest.drop {
                    $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",")
                }
                if tags.isEmpty, rest.first == UInt8(ascii: "*"), rest.count == 1 {
                    self = .any
                    return
                }
                let isWeak = rest.starts(with: "W/".utf8)
                if isWeak { rest = rest.dropFirst(2) }
                guard rest.popFirst() == UInt8(ascii: "\""), let end = rest.firstIndex(of: UInt8(ascii: "\""))
                else { break }
                tags.append(EntityTag(Substring(rest[..<end]), isWeak: isWeak))
                rest = rest[rest.index(after: end)...]
            }
            self = .tags(tags)
        }

        package func contains(where matches: (EntityTag) -> Bool) -> Bool {
            switch self {
            case .any: true
            case .tags(let tags): tags.contains(where: matches)
            }
        }
    }
}
