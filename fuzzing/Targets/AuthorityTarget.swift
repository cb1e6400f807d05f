import Glibc

@testable import Drawbridge
@testable import DrawbridgeMessages

/// Hosts and origins: who may call.
enum AuthorityTarget: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let authority = Authority(text) {
            let host = authority.isIPv6 ? "[\(authority.host)]" : authority.host
            check(host == host.lowercased() && !host.isEmpty, host)
            check((authority.port ?? 0) <= 65535, text)
            check(!host.utf8.contains { $0 <= 0x20 || "@/,?#\\".utf8.contains($0) }, host)
            if authority.isLoopback { check(isLoopback(authority), "\(text) is not this machine") }
        }
        // One dot at the end of a host is taken away, and two are the name of nothing.
        if let origin = WebOrigin.of(text), !text.contains("..") {
            check(WebOrigin.of(origin) == origin, "\(text) is \(origin), and that another")
        }
        let request = Request("/", authority: text)
        let mayCall = Authority(request.authority)?.isLocal == true
        check((AccessPolicy().refusesHost(of: request) == nil) == mayCall, "\(text) may call")
    }

    /// The same by the system's reading of addresses, and RFC 6761 for names.
    private static func isLoopback(_ authority: Authority) -> Bool {
        if authority.isIPv6 {
            var address = in6_addr()
            guard inet_pton(AF_INET6, authority.host, &address) == 1 else { return false }
            let bytes = withUnsafeBytes(of: &address) { Array($0) }
            let mapped: [UInt8] = Array(repeating: 0, count: 10) + [255, 255, 127]
            return bytes == Array(repeating: 0, count: 15) + [1] || bytes.starts(with: mapped)
        }
        var address = in_addr()
        if inet_aton(authority.host, &address) == 1 { return UInt32(bigEndian: address.s_addr) >> 24 == 127 }
        return authority.host == "localhost" || authority.host.hasSuffix(".localhost")
    }
}
