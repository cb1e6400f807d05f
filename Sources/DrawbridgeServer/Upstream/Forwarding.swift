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
    func request(_ sent: HTTPFields, from caller: Request, mapping: OutwardMapping? = nil) -> FieldText {
        let hopByHop = HopByHop(sent.value(.connection))
        var addresses: String?
        var text = FieldText()
        for field in sent {
            var name = field.name.rawName
            name.withUTF8 { name in
                let name = UnsafeRawBufferPointer(name)
                let known = KnownName(name)
                guard !hopByHop.contains(name, known) else { return }
                switch known {
                // Meant for this gateway only, or set anew.
                case .host, .expect, .xDrawbridgeAfter, .xDrawbridgeBridge, .xDrawbridgeDriven,
                    .xDrawbridgePage,
                    .xDrawbridgePath, .xDrawbridgeSession, .xDrawbridgeToken, .xDrawbridgeWaits:
                    return
                case .origin, .referer, .destination, .pingFrom, .pingTo:
                    text.append(mapping?.mapped(field) ?? field)
                // These describe the client. A page could have set them, so the gateway may replace them.
                case .xForwardedFor where tellsCaller: Self.add(field.value, to: &addresses)
                case .xForwardedHost where tellsCaller, .xForwardedProto where tellsCaller: return
                default:
                    field.withUnsafeBytesOfValue {
                        text.append(name, UnsafeRawBufferPointer($0), as: known)
                    }
                }
            }
        }
        text.append(via.field(isOldVersion: caller.isOldVersion))
        guard tellsCaller else { return text }
        if let address = caller.remoteAddress { Self.add(address, to: &addresses) }
        if let addresses { text.append(HTTPField(name: .xForwardedFor, value: addresses)) }
        // Only with `keepsHost`: an upstream that gets its own name as `Host` might compare it with `X-Forwarded-Host`.
        guard keepsHost else { return text }
        text.append(HTTPField(name: .xForwardedProto, value: caller.scheme))
        if let authority = caller.authority {
            text.append(HTTPField(name: .xForwardedHost, value: authority))
        }
        return text
    }

    /// The header fields of a response for the client, without framing fields.
    ///
    /// - Parameters:
    ///   - isOldVersion: whether the response is HTTP/1.0.
    ///   - mapping: replaces the upstream's address by the gateway's; nil to keep it.
    func response(
        _ sent: FieldText, isOldVersion: Bool = false, mapping: ReverseMapping? = nil
    ) -> FieldText {
        let hopByHop = HopByHop(sent.value(.connection))
        var text = FieldText()
        for place in sent.places {
            sent.read(place) { name, value in
                guard !hopByHop.contains(name, place.known) else { return }
                if let mapping, place.known?.isForHost == true {
                    guard place.known == .clearSiteData else { return }
                    for field in mapping.clearing(sent.field(at: place)) { text.append(field) }
                } else if let mapping, ReverseMapping.mayMap(place.known, value),
                    let mapped = mapping.mapped(sent.field(at: place), as: place.known)
                {
                    text.append(mapped)
                } else {
                    text.append(name, value, as: place.known)
                }
            }
        }
        text.append(via.field(isOldVersion: isOldVersion))
        return text
    }

    func host(at url: UpstreamURL, for caller: Request) -> String {
        (keepsHost ? caller.authority : nil) ?? url.authority
    }

    private static func add(_ text: String, to list: inout String?) {
        // An empty member would make the list invalid.
        if !text.isEmpty { list = list.map { "\($0), \(text)" } ?? text }
    }
}

/// The hop-by-hop fields of a request or response, which are not forwarded (RFC 9110, section 7.6.1).
///
/// They include the framing fields, because a forwarded message is framed anew.
struct HopByHop {
    /// Further names listed in `Connection`, in lower case.
    private var named: Set<String> = []

    /// - Parameter connection: the value of `Connection`; of several, all of them with commas.
    init(_ connection: String?) { if let connection { read(connection) } }

    func contains(_ name: UnsafeRawBufferPointer, _ known: KnownName?) -> Bool {
        known?.isHopByHop == true
            || !named.isEmpty && named.contains(String(decoding: name, as: UTF8.self).lowercased())
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
