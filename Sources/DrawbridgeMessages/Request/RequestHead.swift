/// The immutable head of a request, shared by its copies, and by later requests of a page with the same head.
@usableFromInline package final class RequestHead: Sendable {
    let method: HTTPRequest.Method
    let scheme: String
    let authority: String?
    let site: Authority?
    let target: String
    package let headers: HTTPFields
    let ownCookies: [String: String]
    /// Whether a header field says that it was forwarded (``ForwardedChain``).
    let isForwarded: Bool
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
        self.headers = isAbsoluteForm ? HTTPFields(others.filter { !Self.ofPages.contains($0.name) }) : others
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

    /// Whether a field says something about the caller; the length is compared first, which rules out most names.
    private static func saysWhoCalls(_ name: HTTPField.Name) -> Bool {
        switch name.canonicalName.utf8.count {
        case 3: name == .via
        case 6: name == .origin
        case 7: name == .referer
        case 11: name == .secPurpose
        case 12: name == .requestID
        case 14: name == .secFetchSite
        case 17: name == .pageID || name == .pagePath
        case 18: name == .pageToken || name == .pageWaits || name == .pageAfter
        case 19: name == .pageBridge || name == .pageDriven
        case 20: name == .session
        default: false
        }
    }

    /// Fields that identify a page; removed if the target is a whole URL, which no page of the gateway sends.
    private static let ofPages: Set<HTTPField.Name> = [
        .pageID, .pagePath, .pageWaits, .pageAfter, .pageBridge, .pageDriven,
    ]

    package var waitsForItsTurn: Bool { !isAnonymous && headers.contains(.pageAfter) }

    func with(
        method: HTTPRequest.Method? = nil, headers: HTTPFields? = nil, isAbsoluteForm: Bool? = nil,
        way: (scheme: String, authority: String)? = nil
    ) -> RequestHead {
        RequestHead(
            method ?? self.method, scheme: way?.scheme ?? scheme, authority: way?.authority ?? authority,
            target: target,
            headers: headers ?? self.headers, ownCookies: ownCookies,
            isAbsoluteForm: isAbsoluteForm ?? self.isAbsoluteForm,
            isOldVersion: isOldVersion)
    }
}
