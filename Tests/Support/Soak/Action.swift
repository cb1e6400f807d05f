/// Something that callers do, a request or a few.
struct Action: Sendable {
    let name: String
    /// How often, among all.
    let weight: Int
    let perform: @Sendable (inout Caller) throws -> Void

    init(_ name: String, _ weight: Int, _ perform: @escaping @Sendable (inout Caller) throws -> Void) {
        self.name = name
        self.weight = weight
        self.perform = perform
    }

    /// One of all, by weight.
    static func drawn(by dice: inout Dice) -> Action {
        var number = dice.roll(total)
        for action in all {
            number -= action.weight
            if number < 0 { return action }
        }
        return all[0]
    }

    private static let all =
        calls + files + faults + connections + leavings + upstreams + upstreamLeavings + pages + journal
    private static let total = all.reduce(0) { $0 + $1.weight }
}
