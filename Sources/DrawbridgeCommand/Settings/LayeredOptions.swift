/// The options of several places: what an earlier one says counts more.
///
/// A list replaces the other list as a whole. Answers (`--choose`) alone replace each other by name.
struct LayeredOptions {
    var layers: [Command]

    subscript<Value>(option: KeyPath<Command, Value?>) -> Value? {
        layers.lazy.compactMap { $0[keyPath: option] }.first
    }

    subscript<Value>(list: KeyPath<Command, [Value]>) -> [Value] {
        layers.lazy.map { $0[keyPath: list] }.first { !$0.isEmpty } ?? []
    }
}
