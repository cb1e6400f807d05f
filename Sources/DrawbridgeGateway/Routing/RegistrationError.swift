/// Why a handler cannot be registered at a path.
public struct RegistrationError: Error, Equatable, CustomStringConvertible {
    /// The path, what is wrong with it, or with the handler, and what to write.
    public let description: String

    init(_ path: String, _ why: String) { description = "\(path.isEmpty ? "\"\"" : path): \(why)" }
}

extension RoutePattern {
    /// Reads a path at which a handler is registered.
    ///
    /// - Throws: for a path that no request can have, and for one with two parameters of the same name.
    init(registering path: String) throws(RegistrationError) {
        guard let pattern = RoutePattern(checking: path) else {
            throw RegistrationError(
                path, "a wildcard can only be the last part of a path; name the parts before the end (:name)")
        }
        var names: Set<String> = []
        for name in pattern.names where !names.insert(name).inserted {
            throw RegistrationError(path, "it has two parts named :\(name); give each a name of its own")
        }
        for case .exact(let part) in pattern.parts {
            if part.contains(where: { $0 == "?" || $0 == "#" }) {
                throw RegistrationError(
                    path, "what follows ? or # does not belong to a path, so no request has it")
            }
            if part == "." || part == ".." {
                throw RegistrationError(
                    path, "a caller resolves \(part) before it asks, so no request has it")
            }
            if let plain = Percent.decode(part[...].utf8), plain != part {
                throw RegistrationError(
                    path, "parts are compared after decoding; write \(plain) for \(part)")
            }
        }
        self = pattern
    }
}
