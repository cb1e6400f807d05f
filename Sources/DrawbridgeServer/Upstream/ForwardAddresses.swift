import HTTPClient
import Synchronization

/// Decides which IP addresses `$forward` may connect to.
///
/// Host names are not checked, because they may resolve to anything; the address of each connection is.
struct ForwardAddresses {
    /// All ports that this process listens on.
    let ownPorts: Set<Int>
    /// The IP addresses of this machine; nil if they cannot be listed; then `$forward` connects nowhere, because any
    /// address could be the gateway itself.
    let ownAddresses: Set<IPAddress>?

    /// Why `$forward` may not connect to an address, and what to do; nil if it may.
    func refusal(of address: IPAddress, port: Int) -> String? {
        let destination = address.destination
        if let (_, kind) = Self.refused.first(where: { $0.range.contains(destination) }) {
            return "\(address) is \(kind), which $forward may not call; name another program"
        }
        guard let ownAddresses else {
            return """
                this machine's own addresses cannot be listed, so $forward connects nowhere; try again, and let \
                the gateway use netlink sockets (AF_NETLINK) if a sandbox keeps it from them
                """
        }
        guard ownPorts.contains(port), destination.isLoopback || ownAddresses.contains(destination) else {
            return nil
        }
        return
            "port \(port) of \(address) is this gateway itself; let $forward name the port of another program"
    }

    /// Returns the check to call with each address before connecting.
    ///
    /// - Parameter name: the program's URL, for error messages.
    static func guardian(of name: String) -> Transfer.Guardian {
        { bytes, port throws(TransferError) in
            guard let address = IPAddress(bytes: bytes) else {
                throw TransferError(
                    .forbidden, "\(name) has an address of an unknown kind; let $forward name another program"
                )
            }
            let own = IPAddress.ofThisMachine().map { Set($0.keys) }
            let addresses = Self(ownPorts: OwnPorts.all, ownAddresses: own)
            if let sentence = addresses.refusal(of: address, port: port) {
                throw TransferError(.forbidden, sentence)
            }
        }
    }

    /// Addresses that no host has (RFC 6890), and the metadata services of large clouds.
    private static let refused: [(range: AddressRange, kind: String)] = [
        ("169.254.169.254", 32, "a cloud's metadata service"),
        ("100.100.100.200", 32, "a cloud's metadata service"),
        ("168.63.129.16", 32, "a cloud's metadata service"),
        ("192.0.0.192", 32, "a cloud's metadata service"),
        ("fd00:ec2::254", 128, "a cloud's metadata service"),
        ("fd20:ce::254", 128, "a cloud's metadata service"),
        ("169.254.0.0", 16, "a link-local address"), ("fe80::", 10, "a link-local address"),
        ("0.0.0.0", 8, "no address of a host"), ("::", 128, "no address of a host"),
        ("224.0.0.0", 4, "a multicast address"), ("ff00::", 8, "a multicast address"),
        ("255.255.255.255", 32, "the broadcast address"),
    ].map { (AddressRange(IPAddress($0)!, prefix: $1), $2) }
}

/// The ports that this process listens on, to which `$forward` may not connect.
///
/// They include those of other gateways in this process: these would trust a connection from this machine.
enum OwnPorts {
    private static let counts = Mutex<[Int: Int]>([:])

    static var all: Set<Int> { counts.withLock { Set($0.keys) } }

    static func add(_ port: Int) { counts.withLock { $0[port, default: 0] += 1 } }

    static func remove(_ port: Int) {
        counts.withLock { counts in
            let left = (counts[port] ?? 1) - 1
            counts[port] = left > 0 ? left : nil
        }
    }
}
