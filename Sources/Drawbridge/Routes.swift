import HTTPTypes

/// The registered paths as a tree of their parts: exact beats parameter beats wildcard.
///
/// `/user/:id` binds one part, `/files/*` binds one part or more. Comparison is byte by byte.
struct Routes {
    private var root = Node()

    private struct Node {
        var exact: [JSON.Bytewise: Node] = [:]
        var parameter: [Node] = []
        var route: Route?
        var wildcard: Route?

        var isEmpty: Bool { exact.isEmpty && parameter.isEmpty && route == nil && wildcard == nil }
    }

    /// Registers; returns the route that was there before.
    mutating func insert(_ route: Route) -> Route? {
        Self.update(&root, route.pattern.parts[...], to: route)
    }

    /// Removes; returns what was there.
    mutating func remove(_ pattern: RoutePattern) -> Route? {
        Self.update(&root, pattern.parts[...], to: nil)
    }

    /// The routes that fit a path, the best first, each with what its parameters stand for.
    func matches(_ segments: [String]) -> [(route: Route, values: [String])] {
        var found: [(route: Route, values: [String])] = []
        Self.collect(root, segments[...], values: [], into: &found)
        return found
    }

    /// Whether nothing is left, no empty branch either.
    var isEmpty: Bool { root.isEmpty }

    /// All routes, in no order.
    var all: [Route] { Self.routes(below: root) }

    private static func routes(below node: Node) -> [Route] {
        [node.route, node.wildcard].compactMap(\.self)
            + node.exact.values.flatMap(routes(below:)) + node.parameter.flatMap(routes(below:))
    }

    private static func update(
        _ node: inout Node, _ parts: ArraySlice<RoutePattern.Part>, to route: Route?
    ) -> Route? {
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
        into found: inout [(route: Route, values: [String])]
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

/// A path as it is registered.
struct RoutePattern: Sendable {
    enum Part: Sendable, Equatable {
        case exact(String)
        case parameter
        case wildcard
    }

    let text: String
    let parts: [Part]
    /// The names of the parameters, in order; `*` for the wildcard.
    let names: [String]

    /// Reads `/user/:id` and `/files/*`; a missing first slash is added, a last one ignored.
    init(_ path: String) {
        var parts: [Part] = []
        var names: [String] = []
        let trimmed = path.hasPrefix("/") ? path.dropFirst() : path[...]
        let body = trimmed.hasSuffix("/") ? trimmed.dropLast() : trimmed
        for part in body.isEmpty ? [] : body.split(separator: "/", omittingEmptySubsequences: false) {
            if part == "*" {
                precondition(
                    parts.count == body.split(separator: "/", omittingEmptySubsequences: false).count - 1,
                    "\(path): a wildcard can only be the last part of a path; name the parts before the end (:name)"
                )
                parts.append(.wildcard)
                names.append("*")
            } else if part.hasPrefix(":"), part.count > 1 {
                parts.append(.parameter)
                names.append(String(part.dropFirst()))
            } else {
                parts.append(.exact(String(part)))
            }
        }
        self.parts = parts
        self.names = names
        text = "/" + body
    }
}

/// A registered handler type, and how to make one.
struct Route: Sendable {
    let pattern: RoutePattern
    let handler: any Handler.Type
    let make: @Sendable (Request) throws -> any Handler

    /// The name of the handler's type, for logs and errors.
    var name: String { String(describing: handler) }

    /// Whether the handler asks for this method.
    func takes(_ method: String) -> Bool {
        guard let methods = handler.methods else { return method != "HEAD" && method != "OPTIONS" }
        return methods.contains { $0.rawValue == method }
    }

    /// What an `Allow` header says of it.
    var allow: String {
        (handler.methods?.map(\.rawValue) ?? ["GET", "POST", "PUT", "PATCH", "DELETE"]).joined(
            separator: ", ")
    }
}
