import Glibc
import HTTPGrammar

struct SocketAddress: Sendable, Equatable {
    private let storage: [UInt8]

    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    var family: Int32 { Int32(part(as: sockaddr.self).sa_family) }

    /// The 4 or 16 bytes of an IP address; empty for a Unix socket.
    var bytes: [UInt8] {
        switch family {
        case AF_INET: withUnsafeBytes(of: part(as: sockaddr_in.self).sin_addr, Array.init)
        case AF_INET6: withUnsafeBytes(of: part(as: sockaddr_in6.self).sin6_addr, Array.init)
        default: []
        }
    }

    /// The port; 0 for a Unix socket.
    var port: Int {
        switch family {
        case AF_INET: Int(UInt16(bigEndian: part(as: sockaddr_in.self).sin_port))
        case AF_INET6: Int(UInt16(bigEndian: part(as: sockaddr_in6.self).sin6_port))
        default: 0
        }
    }

    private func part<Part>(as type: Part.Type) -> Part {
        storage.withUnsafeBytes { $0.loadUnaligned(as: type) }
    }

    /// The address of a Unix socket; nil if the path is too long for `sockaddr_un`.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(path.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        storage = withUnsafeBytes(of: &address) { Array($0) }
    }

    /// Parses a numeric IPv4 or IPv6 address; nil for a host name.
    init?(literal: String, port: Int) {
        let port = in_port_t(truncatingIfNeeded: port).bigEndian
        var short = sockaddr_in()
        var long = sockaddr_in6()
        if inet_pton(AF_INET, literal, &short.sin_addr) == 1 {
            (short.sin_family, short.sin_port) = (sa_family_t(AF_INET), port)
            storage = withUnsafeBytes(of: &short) { Array($0) }
        } else if inet_pton(AF_INET6, literal, &long.sin6_addr) == 1 {
            (long.sin6_family, long.sin6_port) = (sa_family_t(AF_INET6), port)
            storage = withUnsafeBytes(of: &long) { Array($0) }
        } else {
            return nil
        }
    }

    /// Starts connecting a socket; returns 0 or an `errno` value; `EINPROGRESS` means that it is not finished.
    func connect(_ socket: Int32) -> Int32 {
        storage.withUnsafeBytes { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return Glibc.connect(socket, address, socklen_t(bytes.count)) == 0 ? 0 : errno
        }
    }
}

// Resolving host names.
extension SocketAddress {
    /// Addresses that need no lookup: a numeric IP address, and for `localhost` both loopback addresses, whatever DNS
    /// says (RFC 6761, section 6.3); nil for any other name.
    static func known(_ name: String, port: Int) -> [SocketAddress]? {
        if let address = SocketAddress(literal: name, port: port) { return [address] }
        let plain = (name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased()
        guard plain == "localhost" || plain.hasSuffix(".localhost") else { return nil }
        return ["::1", "127.0.0.1"].compactMap { SocketAddress(literal: $0, port: port) }
    }

    /// Resolves a name with `getaddrinfo`, which may block for about ten seconds.
    static func lookUp(_ name: String, port: Int) throws(TransferError) -> [SocketAddress] {
        // Host names have no other characters, and the system would send the name to every DNS server it knows.
        guard name.utf8.allSatisfy(ASCIISet.name.contains) else {
            throw TransferError(.unreachable, "there is no host of the name \(name)")
        }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        hints.ai_flags = AI_NUMERICSERV
        let code = getaddrinfo(name, String(port), &hints, &first)
        guard code == 0, let first else {
            let problem =
                code == EAI_NONAME || code == noAddress
                ? "there is no host of the name \(name)"
                : "the name \(name) cannot be looked up: \(String(cString: gai_strerror(code)))"
            throw TransferError(.unreachable, problem)
        }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: \.pointee.ai_next).compactMap { SocketAddress($0.pointee) }
    }

    /// Converts a result of `getaddrinfo`; nil for another address family.
    private init?(_ entry: addrinfo) {
        guard let address = entry.ai_addr, [AF_INET, AF_INET6].contains(entry.ai_family) else { return nil }
        storage = Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
    }
}

/// The error `EAI_NODATA` of `getaddrinfo` (the name exists, but has no address), which Swift does not import.
private let noAddress: Int32 = -5
