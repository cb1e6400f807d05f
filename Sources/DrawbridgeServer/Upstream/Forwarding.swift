import Drawbridge
import HTTPGrammar
import HTTPTypes

/// The header fields of messages that are forwarded (RFC 9110, section 7.6): in their order, with repetitions, and with
/// the spelling of their names.
struct Forwarding {
    let via: Via
    /// Whether `X-Forwarded-For` is written, and with `keepsHost` `-Proto` and `-Host`; else they go on as they came.
    var tellsCaller = true
    var keepsHost = false

    /// The fields of a request for the upstream, without `Host` and those that frame the body.
    ///
    /// - Parameter mapping: replaces the gateway's address by the server's in `Origin`, `Referer` …; nil for no change.
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
        // A server that gets its own name as Host does not get the gateway's as well: it might compare them.
        guard keepsHost else { return fields }
        fields.append(HTTPField(name: .xForwardedProto, value: caller.scheme))
        if let authority = caller.authority {
            fields.append(HTTPField(name: .xForwardedHost, value: authority))
        }
        return fields
    }

    /// The fields of a response for the caller, without those that frame the body.
    ///
    /// - Parameters:
    ///   - isOldVersion: whether it came in HTTP/1.0.
    ///   - mapping: replaces the server's address by the gateway's; nil for no change.
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
            if !mapping.binds(field.name) { fields.append(mapping.mapped(field) ?? field) }
        }
        fields.append(via.field(isOldVersion: isOldVersion))
        return fields
    }

    func host(at url: UpstreamURL, for caller: Request) -> String {
        (keepsHost ? caller.authority : nil) ?? url.authority
    }

    private static func add(_ text: String, to list: inout String?) {
        // An empty text is not an element of a list.
        if !text.isEmpty { list = list.map { "\($0), \(text)" } ?? text }
    }

    private enum Kind {
        case plain
        /// For this gateway alone, or written anew: not forwarded.
        case ours
        case ofPage
        /// Names the caller; a page could set it to anything, so the gateway may write it anew.
        case forwarded
    }

    private static func kind(of name: HTTPField.Name) -> Kind {
        // Most names are told apart by their length.
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
        case 19 where name == .pageBridge: .ours
        case 20 where name == .session: .ours
        default: .plain
        }
    }
}

extension HTTPField.Name {
    fileprivate static let xForwardedProto = Self("X-Forwarded-Proto")!
    fileprivate static let xForwardedHost = Self("X-Forwarded-Host")!
}

/// The header fields that are for one connection only, and are not forwarded (RFC 9110, section 7.6.1).
///
/// One list for requests and for responses. Fields that frame the body are in it: a forwarded message is framed
/// anew.
struct HopByHop {
    /// The names that `Connection` lists, in lower case, beyond those of every list.
    private var named: Set<String> = []

    /// Reads what the fields' own `Connection` lists.
    init(in fields: HTTPFields) {
        for field in fields where field.name == .connection { read(field.value) }
    }

    func contains(_ name: HTTPField.Name) -> Bool {
        Self.isAlways(name) || (!named.isEmpty && named.contains(name.canonicalName))
    }

    private static func isAlways(_ name: HTTPField.Name) -> Bool {
        // Most names are told apart by their length.
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
        // Nearly every `Connection` has one of these values, which name no other field than those of every list.
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
