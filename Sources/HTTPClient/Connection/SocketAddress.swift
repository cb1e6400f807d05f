import Glibc
import HTTPGrammar

/// An address to which a socket can be connected.
struct SocketAddress: Sendable, Equatable {
    /// The 4 or 16 bytes of an IP address; none for a Unix socket.
    let bytes: [UInt8]
    /// The port; 0 for a Unix socket.
    let port: Int
    private let storage: [UInt8]

    /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
    var family: Int32 {
        storage.withUnsafeBytes { Int32($0.loadUnaligned(as: sockaddr.self).sa_family) }
    }

    /// An IP address.
    ///
    /// - Parameters:
    ///   - bytes: 4 or 16 of them.
    ///   - scope: the number of the interface of a link-local IPv6 address; else 0.
    init(_ bytes: [UInt8], scope: UInt32 = 0, port: Int) {
        self.bytes = bytes
        self.port = port
        if bytes.count == 4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            storage = withUnsafeBytes(of: &address) { Array($0) }
        } else {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = UInt16(truncatingIfNeeded: port).bigEndian
            address.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes.prefix(16)) }
            storage = withUnsafeBytes(of: &address) { Array($0) }
        }
    }

    /// A Unix socket; nil for a path that is longer than the system takes.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(path.utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        bytes = []
        port = 0
        storage = withUnsafeBytes(of: &address) { Array($0) }
    }

    /// The address that is written as text; nil for a name.
    init?(literal: String, port: Int) {
        var short = in_addr()
        var long = in6_addr()
        if inet_pton(AF_INET, literal, &short) == 1 {
            self.init(withUnsafeBytes(of: &short, Array.init), port: port)
        } else if inet_pton(AF_INET6, literal, &long) == 1 {
            self.init(withUnsafeBytes(of: &long, Array.init), port: port)
        } else {
            return nil
        }
    }

    /// Begins to connect a socket; returns 0 or `errno`, which is `EINPROGRESS` while that goes on.
    func connect(_ socket: Int32) -> Int32 {
        storage.withUnsafeBytes { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return Glibc.connect(socket, address, socklen_t(bytes.count)) == 0 ? 0 : errno
        }
    }
}

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
