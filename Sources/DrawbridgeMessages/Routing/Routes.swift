import Synchronization

/// A tree of path patterns and their targets: an exact part wins over a parameter, and that over a wildcard.
///
/// `/user/:id` binds one part, `/files/*` binds one part or more. Comparison is byte by byte.
package struct Routes<Target: Routed> {
    @usableFromInline var root = Node()
    /// The targets of exact paths that need no percent-encoding, as most do, also by the text of the path.
    private var exact: [String: [Target]] = [:]
    private var near = Nearest.Patterns()

    package init() {}

    @usableFromInline struct Node {
        @usableFromInline var exact: [JSON.Bytewise: Node] = [:]
        @usableFromInline var parameter: [Node] = []
        @usableFromInline var routes: [Target] = []
        @usableFromInline var wildcards: [Target] = []

        var isEmpty: Bool { exact.isEmpty && parameter.isEmpty && routes.isEmpty && wildcards.isEmpty }
    }

    /// Adds a target; returns those with the same pattern that it replaces.
    package mutating func insert(_ route: Target) -> [Target] {
        let add = { (targets: inout [Target]) in
            let replaced = targets.filter { $0.isReplaced(by: route) }
            targets.removeAll { $0.isReplaced(by: route) }
            targets.insert(route, at: route.isFirst ? 0 : targets.endIndex)
            return replaced
        }
        near = Nearest.Patterns()
        if route.pattern.isSentAsItStands { _ = add(&exact[route.pattern.text, default: []]) }
        return Self.update(&root, route.pattern.parts[...], add)
    }

    package mutating func remove(_ pattern: RoutePattern) -> [Target] {
        near = Nearest.Patterns()
        exact[pattern.text] = nil
        return Self.update(&root, pattern.parts[...]) { targets in
            defer { targets = [] }
            return targets
        }
    }

    /// The targets of exactly this path; if it is nil, a pattern may still fit.
    package func best(_ path: String) -> [Target]? { exact[path] }

    /// The targets that fit a path, the best first, each with the values of its parameters.
    @inlinable package func matches(_ segments: [String]) -> [(route: Target, values: [String])] {
        var found: [(route: Target, values: [String])] = []
        Self.collect(root, segments[...], values: [], into: &found)
        return found
    }

    /// The pattern that is most similar to a path without a target, and its distance.
    package func nearest(to path: String) -> Nearest.Found? {
        near.nearest(to: path) { all.map(\.pattern.text) }
    }

    /// Whether the tree has no target, and no empty branch either.
    package var isEmpty: Bool { root.isEmpty }

    package var all: [Target] { Self.routes(below: root) }

    private static func routes(below node: Node) -> [Target] {
        node.routes + node.wildcards + node.exact.values.flatMap(routes(below:))
            + node.parameter.flatMap(routes(below:))
    }

    private static func update(
        _ node: inout Node, _ parts: ArraySlice<RoutePattern.Part>, _ change: (inout [Target]) -> [Target]
    ) -> [Target] {
        switch parts.first {
        case nil: return change(&node.routes)
        case .wildcard: return change(&node.wildcards)
        case .parameter:
            if node.parameter.isEmpty { node.parameter.append(Node()) }
            defer { node.parameter.removeAll(where: \.isEmpty) }
            return update(&node.parameter[0], parts.dropFirst(), change)
        case .exact(let name):
            let name = JSON.Bytewise(name)
            defer { if node.exact[name]?.isEmpty == true { node.exact[name] = nil } }
            return update(&node.exact[name, default: Node()], parts.dropFirst(), change)
        }
    }

    @inlinable static func collect(
        _ node: Node, _ rest: ArraySlice<String>, values: [String],
        into found: inout [(route: Target, values: [String])]
    ) {
        guard let segment = rest.first else {
            found += node.routes.map { ($0, values) }
            return
        }
        if let next = node.exact[JSON.Bytewise(segment)] {
            collect(next, rest.dropFirst(), values: values, into: &found)
        }
        if let next = node.parameter.first, !segment.isEmpty {
            collect(next, rest.dropFirst(), values: values + [segment], into: &found)
        }
        guard !node.wildcards.isEmpty else { return }
        let all = values + [rest.joined(separator: "/")]
        found += node.wildcards.map { ($0, all) }
    }
}

package protocol Routed: Sendable {
    var pattern: RoutePattern { get }

    /// Whether it is asked before the others with the same pattern.
    var isFirst: Bool { get }

    /// Whether another target with the same pattern replaces this one; else both are kept.
    func isReplaced(by other: Self) -> Bool
}

extension Routed {
    package var isFirst: Bool { false }

    package func isReplaced(by other: Self) -> Bool { true }
}

/// Counts the registrations and removals in all handler sets of a gateway.
package final class Registry: Sendable {
    private let changes = Atomic<Int>(0)
    private let special = Atomic<Bool>(false)

    package init() {}

    /// A number that changes with each registration or removal; while it is the same, a route that was found is valid.
    package var version: Int { changes.load(ordering: .acquiring) }

    package func hasChanged() { changes.add(1, ordering: .releasing) }

    /// Whether some handlers are for some pages only, so that it matters from which page a request comes.
    package var hasSpecialHandlers: Bool { special.load(ordering: .acquiring) }

    /// Records that a set was made whose handlers are for some pages only.
    package func hasBecomeSpecial() { special.store(true, ordering: .releasing) }
}
