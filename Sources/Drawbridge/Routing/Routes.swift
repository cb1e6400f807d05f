import HTTPTypes

/// What is kept under patterns of paths, as a tree of their parts: exact beats parameter beats wildcard.
///
/// `/user/:id` binds one part, `/files/*` binds one part or more. Comparison is byte by byte.
struct Routes<Target: Routed> {
    private var root = Node()
    /// The targets of plain paths, which is most of them, once more by their text.
    private var exact: [String: Target] = [:]

    private struct Node {
        var exact: [JSON.Bytewise: Node] = [:]
        var parameter: [Node] = []
        var route: Target?
        var wildcard: Target?

        var isEmpty: Bool { exact.isEmpty && parameter.isEmpty && route == nil && wildcard == nil }
    }

    /// Keeps a target under its pattern; returns what was there before.
    mutating func insert(_ route: Target) -> Target? {
        if route.pattern.isPlain { exact[route.pattern.text] = route }
        return Self.update(&root, route.pattern.parts[...], to: route)
    }

    /// Removes; returns what was there.
    mutating func remove(_ pattern: RoutePattern) -> Target? {
        exact[pattern.text] = nil
        return Self.update(&root, pattern.parts[...], to: nil)
    }

    /// The target of exactly this path; where it is nil, a pattern may fit all the same.
    func best(_ path: String) -> Target? { exact[path] }

    /// The targets that fit a path, the best first, each with what its parameters stand for.
    func matches(_ segments: [String]) -> [(route: Target, values: [String])] {
        var found: [(route: Target, values: [String])] = []
        Self.collect(root, segments[...], values: [], into: &found)
        return found
    }

    /// Whether nothing is left, no empty branch either.
    var isEmpty: Bool { root.isEmpty }

    /// All targets, in no order.
    var all: [Target] { Self.routes(below: root) }

    private static func routes(below node: Node) -> [Target] {
        [node.route, node.wildcard].compactMap(\.self)
            + node.exact.values.flatMap(routes(below:)) + node.parameter.flatMap(routes(below:))
    }

    private static func update(
        _ node: inout Node, _ parts: ArraySlice<RoutePattern.Part>, to route: Target?
    ) -> Target? {
        switch parts.first {
        case nil:
            defer { node.route = route }
            return node.route
        case .wildcard:
            defer { node.wildcard = route }
            return node.wildcard
        case .parameter:
            if node.parameter.isEmpty { node.parameter.append(Node()) }
            defer { node.parameter.removeAll(where: \.isEmpty) }
            return update(&node.parameter[0], parts.dropFirst(), to: route)
        case .exact(let name):
            let name = JSON.Bytewise(name)
            defer { if node.exact[name]?.isEmpty == true { node.exact[name] = nil } }
            return update(&node.exact[name, default: Node()], parts.dropFirst(), to: route)
        }
    }

    private static func collect(
        _ node: Node, _ rest: ArraySlice<String>, values: [String],
        into found: inout [(route: Target, values: [String])]
    ) {
        guard let segment = rest.first else {
            if let route = node.route { found.append((route, values)) }
            return
        }
        if let next = node.exact[JSON.Bytewise(segment)] {
            collect(next, rest.dropFirst(), values: values, into: &found)
        }
        if let next = node.parameter.first, !segment.isEmpty {
            collect(next, rest.dropFirst(), values: values + [segment], into: &found)
        }
        if let route = node.wildcard { found.append((route, values + [rest.joined(separator: "/")])) }
    }
}

/// What stands under a pattern of paths.
protocol Routed: Sendable {
    var pattern: RoutePattern { get }
}
