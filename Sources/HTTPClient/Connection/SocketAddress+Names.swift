import Glibc
import HTTPGrammar

// The addresses of a name.
extension SocketAddress {
    /// The addresses that need no look-up: that of an IP address as text, and both loopback addresses for `localhost`,
    /// which is this machine whatever a name server says (RFC 6761, section 6.3).
    static func known(_ name: String, port: Int) -> [SocketAddress]? {
        if let address = SocketAddress(literal: name, port: port) { return [address] }
        let plain = (name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased()
        guard plain == "localhost" || plain.hasSuffix(".localhost") else { return nil }
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        return [SocketAddress(loopback, port: port), SocketAddress([127, 0, 0, 1], port: port)]
    }

    /// Asks the system for the addresses of a name, and waits for it, maybe for ten seconds.
    static func lookUp(_ name: String, port: Int) throws(TransferError) -> [SocketAddress] {
        // No host has a name with other characters, and the system would ask every name server that it knows for it.
        guard name.utf8.allSatisfy(ASCIISet.name.contains) else {
            throw TransferError(.unreachable, "there is no host of the name \(name)")
        }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &first)
        guard code == 0, let first else {
            let problem =
                code == EAI_NONAME || code == noAddress
                ? "there is no host of the name \(name)"
                : "the name \(name) cannot be looked up: \(String(cString: gai_strerror(code)))"
            throw TransferError(.unreachable, problem)
        }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: \.pointee.ai_next).compactMap {
            SocketAddress($0.pointee, port: port)
        }
    }

    /// One of the addresses that a look-up gave; nil for another family.
    private init?(_ entry: addrinfo, port: Int) {
        guard let address = entry.ai_addr else { return nil }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            var bytes = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(withUnsafeBytes(of: &bytes, Array.init), port: port)
        case AF_INET6:
            let long = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            var bytes = long.sin6_addr
            self.init(withUnsafeBytes(of: &bytes, Array.init), scope: long.sin6_scope_id, port: port)
        default: return nil
        }
    }
}

/// What `getaddrinfo` says of a name without an address: `EAI_NODATA` of netdb.h, which Swift does not show.
private let noAddress: Int32 = -5
