/// Decides whether a request is meant for native, and gives its plain form: what `canonicalRequest` is to a
/// `URLProtocol`.
///
/// The plain form has the handler's path and no trace of the way it came. Rules look at the head alone and are
/// deterministic; they are asked in order, each about what the one before it left, and one that takes it is enough.
public protocol InterceptionRule: Sendable {
    /// The plain form of the request, or nil: not ours.
    func canonicalRequest(for request: Request) -> Request?
}
