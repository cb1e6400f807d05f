/// The condition that an input must meet for a case to fit: the value of `$when`.
///
/// It describes a part of the input: an object may have other members too; an array must have the same length, and each
/// element must fit. Numbers are compared by value (`1` and `1.0`), strings byte by byte. `null` fits `null` and a
/// missing value. A string that contains a JSON object or array is compared as that. In a form or query, where all is
/// text, `5` and `true` fit their text.
package indirect enum Condition: Sendable {
    case members([(name: String, condition: Condition)])
    case elements([Condition])
    case scalar(JSON)
    case match(Glob)
    case exists(Bool)
    case equals(JSON)

    /// Why an input does not fit, in words such as `channel is "wechat", wanted "alipay"`; nil where it does.
    package func misfit(_ input: ReplyInput, _ redaction: Redaction?) -> String? {
        if input.isUnreadable { return "the input cannot be read" }
        let misfit = misfit(input.value, isText: { input.texts.contains($0) })
        return misfit?.sentence(redaction)
    }

    private struct Misfit {
        /// What was wanted, in words, and the value that was sent instead; nil if there is none to tell.
        let rest: String
        let value: JSON?
        /// The path to the misfit in the input, such as `items[0].name`, and the names of members in that path.
        private var path = ""
        private var names: [String] = []

        init(_ rest: String, insteadOf value: JSON? = nil) { (self.rest, self.value) = (rest, value) }

        /// The same misfit, with this member's name at the beginning of its path.
        func below(_ name: String) -> Misfit {
            var misfit = self
            misfit.path = path.isEmpty || path.hasPrefix("[") ? name + path : "\(name).\(path)"
            misfit.names.append(name)
            return misfit
        }

        func below(_ index: Int) -> Misfit { below("[\(index)]") }

        /// The sentence for the log and for programs, without the values of secrets.
        func sentence(_ redaction: Redaction?) -> String {
            let place = path.isEmpty ? "the input" : path
            guard let value else { return "\(place) \(rest)" }
            let isSecret = redaction.map { names.contains(where: $0.isSecret) } == true
            let clean = redaction.removed(from: value)
            return "\(place) is \(isSecret ? "not the wanted value" : "\(Condition.shown(clean)), \(rest)")"
        }
    }

    private func misfit(
        _ value: JSON?, isText: (String) -> Bool = { _ in false }, isTextItself: Bool = false
    ) -> Misfit? {
        switch self {
        case .members(let members):
            guard let object = value?.read.objectValue else { return Self.says(value, "an object") }
            for (name, condition) in members {
                if let misfit = condition.misfit(object[name], isTextItself: isText(name)) {
                    return misfit.below(name)
                }
            }
            return nil
        case .elements(let conditions):
            guard let elements = value?.read.arrayValue else { return Self.says(value, "an array") }
            guard elements.count == conditions.count else {
                let wanted = conditions.count == 1 ? "1 element" : "\(conditions.count) elements"
                return Misfit("has \(elements.count), wanted \(wanted)")
            }
            for (index, condition) in conditions.enumerated() {
                if let misfit = condition.misfit(elements[index], isTextItself: isTextItself) {
                    return misfit.below(index)
                }
            }
            return nil
        case .scalar(let wanted):
            return Self.isSame(value, wanted, isText: isTextItself)
                ? nil : Self.says(value, Self.shown(wanted))
        case .equals(let wanted):
            guard let value else {
                return wanted.isNull ? nil : Self.says(nil, "exactly \(Self.shown(wanted))")
            }
            return Self.difference(value, wanted)
        case .match(let glob):
            return value?.stringValue.map(glob.matches) == true
                ? nil : Self.says(value, "a text like \(glob.text)")
        case .exists(let isWanted):
            return (value != nil) == isWanted ? nil : Misfit("is \(isWanted ? "missing" : "there")")
        }
    }

    private static func difference(_ value: JSON, _ wanted: JSON) -> Misfit? {
        switch (value, wanted) {
        case (.number(let one), .number(let other)) where one.hasSameValue(as: other): return nil
        case (.object(let ones), .object(let others)):
            let names = others.map(\.key) + ones.map(\.key).filter { others[$0] == nil }
            for name in names {
                guard let one = ones[name] else { return says(nil, shown(others[name] ?? .null)).below(name) }
                guard let other = others[name] else { return says(one, "nothing of that name").below(name) }
                if let misfit = difference(one, other) { return misfit.below(name) }
            }
            return nil
        case (.array(let ones), .array(let others)) where ones.count == others.count:
            for (index, pair) in zip(ones, others).enumerated() {
                if let misfit = difference(pair.0, pair.1) { return misfit.below(index) }
            }
            return nil
        default: return value == wanted ? nil : says(value, "exactly \(shown(wanted))")
        }
    }

    private static func says(_ value: JSON?, _ wanted: String) -> Misfit {
        Misfit("\(value == nil ? "is missing, " : "")wanted \(wanted)", insteadOf: value)
    }

    /// A short form of a value, which may have megabytes.
    private static func shown(_ value: JSON) -> String {
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
        if case .number(let one) = value, case .number(let other) = wanted {
            return one.hasSameValue(as: other)
        }
        guard isText, let text = value.stringValue else { return value == wanted }
        switch wanted {
        case .number(let number):
            return JSON.Number(literal: text).map { $0.hasSameValue(as: number) } ?? false
        case .bool(let bool): return text == "\(bool)"
        default: return value == wanted
        }
    }
}
