package import DrawbridgeJSON

/// The form of a value: the reader takes what has it, and the JSON Schema describes it.
package indirect enum Form: Sendable {
    case any
    /// Any value, in whose texts `{{…}}` is filled in.
    case template
    /// A text in which `{{…}}` is filled in.
    case message
    /// `true` alone.
    case yes
    case flag
    /// A text. Its pattern, of JavaScript's, is for editors; the reader has a rule of its own, which is as strict.
    case text(pattern: String? = nil)
    /// A whole number; `except` is none of them.
    case whole(ClosedRange<Int>? = nil, except: Int? = nil)
    /// Milliseconds, or an array of the least and the most.
    case span
    /// An array; what stands in it is read for itself.
    case list(of: Form, least: Int = 0)
    /// A value, or an array of them.
    case several(Form)
    /// An object whose names are the file's own; their values are read for themselves.
    case named(Form, names: Names? = nil, least: Int = 0)
    /// An object that the schema has below `definitions`, and whose members are read for themselves.
    case object(String)
    /// Any form that the schema has below `definitions`; it is read for itself.
    case defined(String)
    /// A form that the schema describes, and that the command's own parser reads.
    case described(JSON.Object)

    /// A rule for the names in an object: a pattern of JavaScript's, and what is said of other names.
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

    /// What has this form, in words; nil where it says too little.
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

    /// Whether a value has this form, without what is read for itself.
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

    /// A whole number, or an array of the least and the most; nil for any other value.
    var span: ClosedRange<Int>? {
        guard let both = elements?.map(\.whole) else { return whole.map { $0...$0 } }
        guard both.count == 2, let least = both[0], let most = both[1], least <= most else { return nil }
        return least...most
    }
}
