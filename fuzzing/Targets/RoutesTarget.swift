import HTTPTypes

@testable import Drawbridge
@testable import DrawbridgeGateway
@testable import DrawbridgeMessages
@testable import DrawbridgeMocks

/// Targets, and the registered paths that they are matched with: the target in the first line, a path in each other.
enum RoutesTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let (lines, rest) = split(bytes, lines: 1)
        let target = Target(lines[0])
        check(target.text == lines[0] && !target.path.utf8.contains(UInt8(ascii: "?")), lines[0])
        guard let segments = Target.segments(of: target.path) else { return }
        let path = segments.map { "/" + Percent.encode($0) }.joined()
        check(Target.segments(of: path + "/") == segments, "\(path) is not \(segments)")

        // A head takes no control characters.
        let request = Request("/__jsbridge__" + lines[0])
        if let plain = JSBridgeRule.jsBridge.canonicalRequest(for: request), let sent = request.head.path {
            let isBelow = "/__jsbridge__" + (plain.head.path ?? "") == sent
            check(plain.isNamedByAction || isBelow, "\(sent) is \(plain.head.path ?? "")")
        }

        let paths = rest.split(separator: 0x0A).prefix(8).map { String(decoding: $0, as: UTF8.self) }
            .filter(isRegistrable)
        checkMatches(segments, paths)
        for path in paths { checkRegistration(path) }
        if let nearest = Nearest.of(path, among: paths) { check(paths.contains(nearest), nearest) }
    }

    /// A wildcard before the end is the mistake of whoever registers, and traps.
    private static func isRegistrable(_ path: String) -> Bool {
        !RoutesTarget.parts(path).dropLast().contains("*")
    }

    /// What is registered is a pattern whose names are told apart, and that its own text can be matched with.
    private static func checkRegistration(_ path: String) {
        guard let pattern = try? RoutePattern(registering: path) else { return }
        check(Set(pattern.names).count == pattern.names.count, "\(path) names two parts alike")
        guard pattern.names.isEmpty,
            let segments = Target.segments(of: Percent.encode(pattern.text, keeping: "/") + "/")
        else { return }
        check(pattern.fits(segments), "\(path) is registered, and no request has it")
    }

    private static func parts(_ path: String) -> [Substring] {
        let slash = UInt8(ascii: "/")
        var path = path.utf8[...]
        if path.first == slash { path = path.dropFirst() }
        if path.last == slash { path = path.dropLast() }
        return path.isEmpty
            ? [] : path.split(separator: slash, omittingEmptySubsequences: false).map(Substring.init)
    }

    private static func checkMatches(_ segments: [String], _ paths: [String]) {
        var routes = Routes<Route>()
        for path in paths { _ = routes.insert(route(path)) }
        let found = routes.matches(segments)
        check(found.isEmpty == !paths.contains { fits(segments, parts($0)) }, "\(segments) and \(paths)")
        for match in found {
            let fitting = paths.filter { RoutePattern($0).parts == match.route.pattern.parts }
            check(fitting.contains { fits(segments, parts($0)) }, "\(segments) is no \(match.route.pattern)")
            check(match.values.count == match.route.pattern.names.count, "\(match.values)")
        }
        for path in paths { _ = routes.remove(RoutePattern(path)) }
        check(routes.isEmpty, "a branch of \(paths) is left")
    }

    private static func route(_ path: String) -> Route {
        Route(pattern: RoutePattern(path)) { _ in Nobody() }
    }

    /// The same comparison as a list.
    private static func fits(_ segments: [String], _ parts: [Substring]) -> Bool {
        guard parts.last == "*" || segments.count == parts.count else { return false }
        guard parts.last != "*" || segments.count >= parts.count else { return false }
        return zip(segments, parts).enumerated().allSatisfy { position, pair in
            if pair.1 == "*", position == parts.count - 1 { return true }
            if pair.1.hasPrefix(":"), pair.1.count > 1 { return !pair.0.isEmpty }
            return pair.0.utf8.elementsEqual(pair.1.utf8)
        }
    }

    private struct Nobody: Handler {
        func handle(_ request: Request) async throws -> Response { Response(.noContent) }
    }
}
