import HTTPGrammar

/// The header fields of forwarded messages (RFC 9110, section 7.6); order, repetitions and the case of names are kept.
struct Forwarding {
    let via: Via
    /// Whether to set `X-Forwarded-For` (with `keepsHost` also `-Proto` and `-Host`); else the client's are kept.
    var tellsCaller = true
    var keepsHost = false

    /// The header fields of a request for the upstream, without `Host` and framing fields.
    ///
    /// - Parameter mapping: replaces the gateway's address by the upstream's in `Origin` and `Referer`; nil to keep it.
    func requestFields(
        _ sent: HTTPFields, from caller: Request, mapping: OutwardMapping? = nil
    ) -> HTTPFields {
        let hopByHop = HopByHop(in: sent)
        var addresses: String?
        var fields = HTTPFields()
        fields.reserveCapacity(sent.count + 4)
        for field in sent where !hopByHop.contains(field.name) {
            switch Self.kind(of: field.name) {
            case .plain: fields.append(field)
            case .ours: break
            case .ofPage: fields.append(mapping?.mapped(field) ?? field)
            case .forwarded where !tellsCaller: fields.append(field)
            case .forwarded:
                if field.name == .xForwardedFor { Self.add(field.value, to: &addresses) }
            }
        }
        fields.append(via.field(isOldVersion: caller.isOldVersion))
        guard tellsCaller else { return fields }
        if let address = caller.remoteAddress { Self.add(address, to: &addresses) }
        if let addresses { fields.append(HTTPField(name: .xForwardedFor, value: addresses)) }
        // Only with `keepsHost`: an upstream that gets its own name as `Host` might compare it with `X-Forwarded-Host`.
        guard keepsHost else { return fields }
        fields.append(HTTPField(name: .xForwardedProto, value: caller.scheme))
        if let authority = caller.authority {
            fields.append(HTTPField(name: .xForwardedHost, value: authority))
        }
        return fields
    }

    /// The header fields of a response for the client, without framing fields.
    ///
    /// - Parameters:
    ///   - isOldVersion: whether the response is HTTP/1.0.
    ///   - mapping: replaces the upstream's address by the gateway's; nil to keep it.
    func responseFields(
        _ sent: HTTPFields, isOldVersion: Bool = false, mapping: ReverseMapping? = nil
    ) -> HTTPFields {
        let hopByHop = HopByHop(in: sent)
        var fields = HTTPFields()
        fields.reserveCapacity(sent.count + 1)
        for field in sent where !hopByHop.contains(field.name) {
            guard let mapping else {
                fields.append(field)
                continue
            }
            if !mapping.binds(field.name) {
                fields.append(mapping.mapped(field) ?? field)
            } else if field.name == .clearSiteData {
                for field in mapping.clearing(field) { fields.append(field) }
            }
        }
        fields.append(via.field(isOldVersion: isOldVersion))
        return fields
    }

    func host(at url: UpstreamURL, for caller: Request) -> String {
        (keepsHost ? caller.authority : nil) ?? url.authority
    }

    private static func add(_ text: String, to list: inout String?) {
        // An empty member would make the list invalid.
        if !text.isEmpty { list = list.map { "\($0), \(text)" } ?? text }
    }

    private enum Kind {
        case plain
        /// Not forwarded: meant for this gateway only, or set anew.
        case ours
        case ofPage
        /// Describes the client. A page could have set it, so the gateway may replace it.
        case forwarded
    }

    private static func kind(of name: HTTPField.Name) -> Kind {
        // Compares the length first: it rules out most names cheaply.
        switch name.canonicalName.utf8.count {
        case 4 where name == .host: .ours
        case 6 where name == .expect: .ours
        case 6 where name == .origin: .ofPage
        case 7 where name == .referer || name == OutwardMapping.pingTo: .ofPage
        case 9 where name == OutwardMapping.pingFrom: .ofPage
        case 11 where name == OutwardMapping.destination: .ofPage
        case 15 where name == .xForwardedFor: .forwarded
        case 16 where name == .xForwardedHost: .forwarded
        case 17 where name == .xForwardedProto: .forwarded
        case 17 where name == .pageID || name == .pagePath: .ours
        case 18 where name == .pageToken || name == .pageWaits || name == .pageAfter: .ours
        case 19 where name == .pageBridge || name == .pageDriven: .ours
        case 20 where name == .session: .ours
        default: .plain
        }
    }
}

/// The hop-by-hop fields of a request or response, which are not forwarded (RFC 9110, section 7.6.1).
///
/// They include the framing fields, because a forwarded message is framed anew.
struct HopByHop {
    /// Further names listed in `Connection`, in lower case.
    private var named: Set<String> = []

    init(in fields: HTTPFields) {
        for field in fields where field.name == .connection { read(field.value) }
    }

    func contains(_ name: HTTPField.Name) -> Bool {
        Self.isAlways(name) || (!named.isEmpty && named.contains(name.canonicalName))
    }

    private static func isAlways(_ name: HTTPField.Name) -> Bool {
        // Compares the length first: it rules out most names cheaply.
        switch name.canonicalName.utf8.count {
        case 2: name == .te
        case 7: name == .upgrade || name == .trailer
        case 10: name == .connection || name == .keepAlive
        case 14: name == .contentLength || name == .http2Settings
        case 16: name == .proxyConnection
        case 17: name == .transferEncoding
        case 18: name == .proxyAuthenticate
        case 19: name == .proxyAuthorization
        default: false
        }
    }

    private mutating func read(_ value: String) {
        // Nearly every `Connection` has one of these values, which add nothing to the fixed names.
        if value == "keep-alive" || value == "close" || value == "Keep-Alive" { return }
        for part in value.utf8.split(separator: UInt8(ascii: ",")) {
            let name = part.drop(while: \.isBlank).prefix { !$0.isBlank }
            if !name.isEmpty { named.insert(Substring(name).lowercased()) }
        }
    }
}

extension HTTPField.Name {
    fileprivate static let proxyConnection = Self("Proxy-Connection")!
    /// Belongs to `Upgrade: h2c` (RFC 7540, section 3.2.1).
    fileprivate static let http2Settings = Self("HTTP2-Settings")!
}
