import Drawbridge

// The setting `bridge`: scripts of bridges that the pages need.
extension FirstFile {
    /// An element of the setting `bridge`.
    struct Bridge {
        let name: String
        /// A JSON object; empty for none.
        let options: String
        /// Where a script uses it first, and the name of the object that it uses.
        let place: PageCalls.Place
        let object: String
        /// The objects and channels of an Android app that are only guessed.
        var guesses: [String] = []
        var isGuess: Bool { guesses.contains(object) }

        /// One member of the setting `bridge`.
        fileprivate var text: String {
            guard !options.isEmpty else { return "\(JSON.string(name))" }
            return #"{"name": \#(JSON.string(name)), "options": \#(options)}"#
        }
    }

    /// Each with the place where a script uses it first; one name may be there several times, with different options.
    var bridges: [Bridge] {
        var bridges: [Bridge] = []
        for (place, hint) in calls.spoken {
            let others = bridges.filter { $0.name == hint.bridge }
            let isThere = others.contains { $0.object == hint.name || hint.options.isEmpty }
            guard !isThere else { continue }
            // A second bridge of the same script needs a name of its own.
            let name = others.isEmpty ? "{" : #"{"as": \#(JSON.string(hint.name)), "#
            let options = hint.options.isEmpty ? "" : name + hint.options.dropFirst()
            bridges.append(Bridge(name: hint.bridge, options: options, place: place, object: hint.name))
        }
        let guesses = calls.objects.merging(calls.channels) { first, _ in first }
        if let guess = guesses.min(by: { $0.value < $1.value }) {
            let android = bridges.firstIndex { $0.name == "android" }.map { bridges.remove(at: $0) }
            bridges.append(
                Bridge(
                    name: "android", options: androidOptions(hasAndroid: android != nil),
                    place: android?.place ?? guess.value, object: android?.object ?? guess.key,
                    guesses: guesses.keys.sorted()))
        }
        return bridges.sorted { ($0.name, $0.place) < ($1.name, $1.place) }
    }

    /// The options of the bridge `android`; `Android`, its default object, has to be named beside others.
    private func androidOptions(hasAndroid: Bool) -> String {
        func list(_ names: some Sequence<String>) -> String {
            "[" + names.sorted().map { "\(JSON.string($0))" }.joined(separator: ", ") + "]"
        }
        var members: [String] = []
        if !calls.objects.isEmpty || hasAndroid {
            members.append(#""objects": \#(list(calls.objects.keys + (hasAndroid ? ["Android"] : [])))"#)
        }
        if !calls.channels.isEmpty { members.append(#""channels": \#(list(calls.channels.keys))"#) }
        return "{" + members.joined(separator: ", ") + "}"
    }

    /// The setting `bridge`, one bridge in a line.
    var bridgeLines: [String] {
        let all = bridges
        guard !all.isEmpty else { return [] }
        var lines = ["\"bridge\": ["]
        for (index, bridge) in all.enumerated() {
            let guesses = bridge.guesses.isEmpty ? "" : "; guessed: \(bridge.guesses.joined(separator: ", "))"
            let comma = index < all.count - 1 ? "," : ""
            lines.append("    \(bridge.text)\(comma)  // \(bridge.place), \(bridge.object)\(guesses)")
        }
        lines.append("],")
        return lines
    }
}
