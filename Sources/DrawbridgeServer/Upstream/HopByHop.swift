import HTTPGrammar
import HTTPTypes

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

    /// Whether a field with this name is not forwarded.
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
