/// The type that a value must have; ``takes(_:)`` checks it, and `schema` describes it for editors.
package indirect enum Form: Sendable {
    case any
    /// Any value; `{{…}}` in its strings is filled in.
    case template
    /// A string in which `{{…}}` is filled in.
    case message
    /// Only `true`: leaving the key out means false.
    case yes
    case flag
    /// A string; the pattern, a JavaScript one, is only for editors; the reader checks the same rule in Swift.
    case text(pattern: String? = nil)
    /// An integer in the range, other than `except`.
    case whole(ClosedRange<Int>? = nil, except: Int? = nil)
    /// A duration in milliseconds, or an array `[least, most]`.
    case span
    /// An array of at least `least` elements; ``takes(_:)`` does not check the elements.
    case list(of: Form, least: Int = 0)
    /// A value, or an array of such values.
    case several(Form)
    /// An object whose keys the author of the file chooses; ``takes(_:)`` does not check their values.
    case named(Form, names: Names? = nil, least: Int = 0)
    /// An object that the schema describes below `definitions`; ``takes(_:)`` does not check its members.
    case object(String)
    /// A value that the schema describes below `definitions`; ``takes(_:)`` accepts any value for it.
    case defined(String)
    /// A value that this schema describes for editors; the reader of mocks does not check it.
    case described(JSON.Object)

    /// A rule for the keys of an object: a JavaScript pattern, and the error message for keys that do not match it.
    package struct Names: Sendable {
        let pattern: String
        let otherwise: String

        package init(_ pattern: String, _ otherwise: String) {
            (self.pattern, self.otherwise) = (pattern, otherwise)
        }
    }

    static let longestDelay = 86_400_000
    static var milliseconds: Form { .whole(0...longestDelay) }
    package static let notEmpty = #"[\s\S]"#

    /// The type in words, for an error message; nil if the message needs more than that.
    var kind: String? {
        switch self {
        case .yes: "true or not there"
        case .flag: "true or false"
        case .text, .message: "a text"
        case .list: "an array"
        case .named, .object: "an object"
        default: nil
        }
    }

    /// Whether a value has this type; elements and members that have readers of their own are not checked.
    func takes(_ value: LocatedJSON) -> Bool {
        switch self {
        case .any, .template, .defined, .described: true
        case .yes: value.json.boolValue == true
        case .flag: value.json.boolValue != nil
        case .text, .message: value.json.stringValue != nil
        case .whole(let range, let except):
            value.whole.map { $0 != except && range?.contains($0) != false } ?? false
        case .span: value.span.map { $0.lowerBound >= 0 && $0.upperBound <= Self.longestDelay } ?? false
        case .list(_, let least): value.elements.map { $0.count >= least } ?? false
        case .several(let form): value.elements?.allSatisfy(form.takes) ?? form.takes(value)
        case .named(_, _, let least): value.members.map { $0.count >= least } ?? false
        case .object: value.members != nil
        }
    }
}

extension LocatedJSON {
    var whole: Int? { json.numberValue?.intValue }

    /// A single integer as a range of one, or the range of an array `[least, most]`; nil for any other value.
    var span: ClosedRange<Int>? {
        guard let both = elements?.map(\.whole) else { return whole.map { $0...$0 } }
        guard both.count == 2, let least = both[0], let most = both[1], least <= most else { return nil }
        return least...most
    }
}
