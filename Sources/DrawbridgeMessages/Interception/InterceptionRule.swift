/// Decides whether a request is for native, and removes the mark of its bridge; like `canonicalRequest` of a
/// `URLProtocol`.
///
/// The plain form that results has the handler's path and nothing of the bridge. A rule reads only the head, and is
/// deterministic. Rules are asked in order, each about the result of the one before; one that takes the request is
/// enough.
public protocol InterceptionRule: Sendable {
    /// The request in its plain form; nil if this rule does not take it.
    func canonicalRequest(for request: Request) -> Request?
}
