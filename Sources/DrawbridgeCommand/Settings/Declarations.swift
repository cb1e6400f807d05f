import ArgumentParser

// Helpers to declare options. An option is a property, whose name is the flag and the key in configuration files. Run
// scripts/options after a change: it updates options.json.

extension ArgumentHelp {
    /// - Parameters:
    ///   - help: one sentence.
    ///   - usual: the default, appended in parentheses, where `scripts/options` reads it.
    ///   - variable: an environment variable that sets the option too.
    ///   - more: text below the sentence.
    ///   - value: the placeholder for the value, such as `folder`.
    fileprivate init(
        _ help: String, usual: String?, variable: String? = nil, more: String? = nil, value: String? = nil
    ) {
        let end = usual.map { " (default: \($0)\(variable.map { ", environment: \($0)" } ?? ""))" } ?? ""
        self.init("\(help)\(end)", discussion: more, valueName: value)
    }
}

extension Option {
    init<Given: ExpressibleByArgument>(
        _ value: String, _ help: String, usual: String? = nil, variable: String? = nil, more: String? = nil,
        name: NameSpecification = .long, completion: CompletionKind? = nil
    ) where Value == Given? {
        let help = ArgumentHelp(help, usual: usual, variable: variable, more: more, value: value)
        self.init(name: name, help: help, completion: completion)
    }

    init<Number: PlainNumber>(
        _ value: String, _ help: String, usual: String? = nil, variable: String? = nil, more: String? = nil,
        name: NameSpecification = .long
    ) where Value == Number? {
        let help = ArgumentHelp(help, usual: usual, variable: variable, more: more, value: value)
        self.init(name: name, help: help) { text in
            if let number = Number(plain: text) { return number }
            throw ValidationError("write a number in digits")
        }
    }

    init<Given: ExpressibleByArgument>(
        wrappedValue: [Given], _ value: String, _ help: String, name: NameSpecification = .long,
        usual: String? = nil, more: String? = nil, completion: CompletionKind? = nil
    ) where Value == [Given] {
        let help = ArgumentHelp(help, usual: usual, more: more, value: value)
        self.init(wrappedValue: wrappedValue, name: name, help: help, completion: completion)
    }

    init<Given: CaseIterable & RawRepresentable<String> & Sendable>(
        oneOf value: String, _ help: String, usual: String
    ) where Value == Given? {
        let words = Given.allCases.map(\.rawValue)
        let help = ArgumentHelp(help, usual: usual, value: value)
        self.init(help: help, completion: .list(words)) { text in
            if let word = Given(rawValue: text) { return word }
            throw ValidationError("write \(words.joined(separator: " or "))")
        }
    }
}

extension Flag where Value == Bool? {
    /// A flag with a `--no-` form, such as `--open` and `--no-open`.
    init(_ help: String, usual: String? = nil, more: String? = nil) {
        self.init(inversion: .prefixedNo, help: ArgumentHelp(help, usual: usual, more: more))
    }
}

extension ParsableArguments {
    func check<Number: Comparable>(
        _ flag: String, _ number: Number?, in range: ClosedRange<Number>, _ wanted: String
    ) throws {
        try check(flag, [number].compactMap(\.self), wanted, range.contains)
    }

    func checkAddresses(_ flag: String, _ urls: [String?]) throws {
        let wanted = "write http or https, a host and a port, without a path: http://localhost:9090"
        try check(flag, urls.compactMap(\.self), wanted) {
            WebOrigin.of($0)?.wholeMatch(of: /https?:\/\/[^*]+/) != nil
        }
    }

    /// Throws an error for each invalid value, with `wanted` as the explanation.
    func check<Value>(
        _ flag: String, _ values: [Value], _ wanted: String, _ isRight: (Value) -> Bool
    ) throws {
        for value in values where !isRight(value) { throw ValidationError("\(flag) \(value): \(wanted)") }
    }

    func check<Value>(_ flag: String, _ values: [Value], _ make: (Value) throws -> some Any) throws {
        for value in values {
            do { _ = try make(value) } catch { throw ValidationError("\(flag): \(error)") }
        }
    }
}

extension [String] {
    var names: [String] {
        flatMap { $0.split(separator: ",") }.map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty }
    }
}

/// A number of bytes as people write it: `256MB`, `64 kB`, `1GB`, `300000`; 1 kB is 1024 bytes.
struct ByteCount: ExpressibleByArgument, Equatable {
    let bytes: Int

    init?(argument: String) {
        let text = argument.lowercased().filter { $0 != " " }
        let digits = text.prefix { $0.asciiValue?.isDigit == true }
        let shift: Int
        switch text.dropFirst(digits.count) {
        case "", "b": shift = 0
        case "k", "kb": shift = 10
        case "m", "mb": shift = 20
        case "g", "gb": shift = 30
        default: return nil
        }
        guard let number = Int(plain: digits), number <= Int.max >> shift else { return nil }
        bytes = number << shift
    }
}
