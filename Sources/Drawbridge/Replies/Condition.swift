/// What an input has to be like for a case to fit: the value of `$when`.
///
/// It says a part of the input: of an object, every member that is named here fits, and others may stand beside them. An
/// array fits by its length, and each element by its place. Numbers fit by value (`1` and `1.0`), strings byte by byte.
/// `null` fits `null` and what is missing. Where a form or a query says all in text, `5` and `true` fit their text.
indirect enum Condition: Sendable {
    case members([(name: String, condition: Condition)])
    case elements([Condition])
    case scalar(JSON)
    case match(Glob)
    case exists(Bool)
    case equals(JSON)

    /// Why an input does not fit, in words such as `channel is "wechat", wanted "alipay"`; nil where it does.
    func misfit(_ input: ReplyInput) -> String? {
        if input.isUnreadable { return "the input cannot be read" }
        return misfit(input.value, isText: { input.texts.contains($0) }, isTextItself: false, at: "")
    }

    private func misfit(
        _ value: JSON?, isText: (String) -> Bool, isTextItself: Bool, at path: String
    ) -> String? {
        switch self {
        case .members(let members):
            guard let object = value?.objectValue else { return says(value, "an object", path) }
            for (name, condition) in members {
                let place = path.isEmpty ? name : "\(path).\(name)"
                let misfit = condition.misfit(
                    object[name], isText: { _ in false }, isTextItself: isText(name), at: place)
                if let misfit { return misfit }
            }
            return nil
        case .elements(let conditions):
            guard let elements = value?.arrayValue else { return says(value, "an array", path) }
            guard elements.count == conditions.count else {
                let wanted = conditions.count == 1 ? "1 element" : "\(conditions.count) elements"
                return "\(subject(path)) has \(elements.count), wanted \(wanted)"
            }
            for (place, condition) in conditions.enumerated() {
                let misfit = condition.misfit(
                    elements[place], isText: { _ in false }, isTextItself: isTextItself,
                    at: "\(path)[\(place)]")
                if let misfit { return misfit }
            }
            return nil
        case .scalar(let wanted):
            return Self.isSame(value, wanted, isText: isTextItself) ? nil : says(value, shown(wanted), path)
        case .equals(let wanted):
            return Self.isEqual(value ?? .null, wanted) ? nil : says(value, "exactly \(shown(wanted))", path)
        case .match(let glob):
            guard let text = value?.stringValue, glob.matches(text) else {
                return says(value, "a text like \(glob.text)", path)
            }
            return nil
        case .exists(let isWanted):
            return (value != nil) == isWanted ? nil : "\(subject(path)) is \(isWanted ? "missing" : "there")"
        }
    }

    private func says(_ value: JSON?, _ wanted: String, _ path: String) -> String {
        "\(subject(path)) is \(value.map(shown) ?? "missing"), wanted \(wanted)"
    }

    private func subject(_ path: String) -> String { path.isEmpty ? "the input" : path }

    /// A value in a few words: it may have megabytes.
    private func shown(_ value: JSON) -> String {
        switch value {
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        case .string(let text): "\(JSON.string(String(text.unicodeScalars.prefix(80))))"
        case .number(let number): String(number.literal.prefix(80))
        case .bool, .null: "\(value)"
        }
    }

    private static func isSame(_ value: JSON?, _ wanted: JSON, isText: Bool) -> Bool {
        guard let value, !value.isNull else { return wanted.isNull }
        if isEqual(value, wanted) { return true }
        guard isText, let text = value.stringValue else { return false }
        switch wanted {
        case .number(let number):
            return JSON.Number(literal: text).map { $0.hasSameValue(as: number) } ?? false
        case .bool(let bool): return text == "\(bool)"
        default: return false
        }
    }

    /// Whether two values are the same, numbers by what they are worth.
    static func isEqual(_ value: JSON, _ wanted: JSON) -> Bool {
        switch (value, wanted) {
        case (.number(let one), .number(let other)): one.hasSameValue(as: other)
        case (.array(let ones), .array(let others)):
            ones.count == others.count && zip(ones, others).allSatisfy(isEqual)
        case (.object(let ones), .object(let others)):
            ones.count == others.count
                && ones.allSatisfy { name, one in others[name].map { isEqual(one, $0) } ?? false }
        default: value == wanted
        }
    }
}
