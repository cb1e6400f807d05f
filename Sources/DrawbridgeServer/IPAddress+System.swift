import Glibc

extension IPAddress {
    /// The IP address in a socket address; nil for other address families.
    package init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: self.init(raw.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6: self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default: return nil
        }
    }

    /// The IP addresses of this machine, with the names of their network interfaces.
    ///
    /// - Parameter list: fills in the list like `getifaddrs`; tests replace it.
    /// - Returns: nil if the call fails. A caller that must refuse these addresses then has to refuse all addresses.
    package static func ofThisMachine(
        listedBy list: (UnsafeMutablePointer<UnsafeMutablePointer<ifaddrs>?>) -> Int32 = { getifaddrs($0) }
    ) -> [IPAddress: String]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard list(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var addresses: [IPAddress: String] = [:]
        var next = first
        while let interface = next?.pointee {
            if let address = interface.ifa_addr.flatMap({ IPAddress($0) }) {
                addresses[address] = String(cString: interface.ifa_name)
            }
            next = interface.ifa_next
        }
        return addresses
    }
}
