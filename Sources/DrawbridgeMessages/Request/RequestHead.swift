package import HTTPTypes

/// The head of a request, never changed: the copies of a request share it, and so do the requests of a page that sends
/// the same head again.
///
@usableFromInline package final class RequestHead: Sendable {
    let method: HTTPRequest.Method
    let scheme: String
    let authority: String?
    /// Host and port as `authority` names them; nil where it names no host.
    let site: Authority?
    let target: String
    package let headers: HTTPFields
    /// The gateway's own cookies, by their names: they are in no header field any more.
    let ownCookies: [String: String]
    /// Whether a header field says that it came by way of others (``ForwardedChain``).
    let isForwarded: Bool
    /// True where no header field says who calls, as with most callers that are no browser.
    let isAnonymous: Bool
    let isAbsoluteForm: Bool
    /// True for HTTP/1.0.
    let isOldVersion: Bool

    package init(
        _ method: HTTPRequest.Method, scheme: String, authority: String?, target: String, headers: HTTPFields,
        ownCookies: [String: String] = [:], isAbsoluteForm: Bool = false, isOldVersion: Bool = false
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        site = Authority(authority)
        self.target = target
        let (others, own) = OwnCookies.takenOut(of: headers)
        self.headers = others
        self.ownCookies = own.isEmpty ? ownCookies : own
        isForwarded = headers.contains { ForwardedChain.isMark($0) }
        isAnonymous = !isForwarded && !headers.contains { Self.saysWhoCalls($0.name) }
        self.isAbsoluteForm = isAbsoluteForm
        self.isOldVersion = isOldVersion
    }

    convenience init(_ head: HTTPRequest, isAbsoluteForm: Bool = false, isOldVersion: Bool = false) {
        self.init(
            head.method, scheme: head.scheme ?? "http", authority: head.authority, target: head.path ?? "/",
            headers: head.headerFields, isAbsoluteForm: isAbsoluteForm, isOldVersion: isOldVersion)
    }

    /// Whether the access policy or the gateway looks for a field; most names are told apart by their length.
    private static func saysWhoCalls(_ name: HTTPField.Name) -> Bool {
        switch name.canonicalName.utf8.count {
        case 3: name == .via
        case 6: name == .origin
        case 11: name == .secPurpose
        case 12: name == .requestID
        case 14: name == .secFetchSite
        case 17: name == .pageID || name == .pagePath
        case 18: name == .pageToken || name == .pageWaits || name == .pageAfter
        case 19: name == .pageBridge
        case 20: name == .session
        default: false
        }
    }

    /// Whether it says behind which message of its page it comes.
    package var waitsForItsTurn: Bool { !isAnonymous && headers.contains(.pageAfter) }

    /// The same with something changed.
    func with(
        method: HTTPRequest.Method? = nil, headers: HTTPFields? = nil, isAbsoluteForm: Bool? = nil
    ) -> RequestHead {
        RequestHead(
            method ?? self.method, scheme: scheme, authority: authority, target: target,
            headers: headers ?? self.headers, ownCookies: ownCookies,
            isAbsoluteForm: isAbsoluteForm ?? self.isAbsoluteForm,
            isOldVersion: isOldVersion)
    }
}
