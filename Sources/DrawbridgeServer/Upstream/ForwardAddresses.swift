import Drawbridge
import HTTPClient
import Synchronization

/// Decides to which addresses `$forward` may connect.
///
/// The address decides, and not the name, which may be resolved to any address. So it is checked for each connection,
/// when its address is known.
struct ForwardAddresses {
    /// All ports on which this process listens.
    let ownPorts: Set<Int>
    /// The addresses of this machine's interfaces; nil where the system does not tell them, and then `$forward` connects
    /// nowhere, since it cannot know whether it would connect to the gateway itself.
    let ownAddresses: Set<IPAddress>?

    /// Why `$forward` does not connect there: a sentence that says what to do; nil when it does.
    func refusal(of address: IPAddress, port: Int) -> String? {
        let destination = address.destination
        if let (_, kind) = Self.refused.first(where: { $0.range.contains(destination) }) {
            return "\(address) is \(kind), which no reply may ask; let $forward name another program"
        }
        guard let ownAddresses else {
            return """
                the system does not tell this machine's own addresses, so $forward connects nowhere; try again, and let \
                the gateway use netlink sockets (AF_NETLINK) if a sandbox keeps it from them
                """
        }
        guard ownPorts.contains(port), destination.isLoopback || ownAddresses.contains(destination) else {
            return nil
        }
        return
            "port \(port) of \(address) is this gateway itself; let $forward name the port of another program"
    }

    /// The check of a connection, to be called when its address is known.
    ///
    /// - Parameter name: the program's name, for the error where its address is of an unknown kind.
    static func guardian(of name: String) -> Transfer.Guardian {
        { bytes, port throws(TransferError) in
            guard let address = IPAddress(bytes: bytes) else {
                throw TransferError(
                    .forbidden, "\(name) has no address that is known; let $forward name another program")
            }
            let own = IPAddress.ofThisMachine().map { Set($0.keys) }
            let addresses = Self(ownPorts: OwnPorts.all, ownAddresses: own)
            if let sentence = addresses.refusal(of: address, port: port) {
                throw TransferError(.forbidden, sentence)
            }
        }
    }

    /// Addresses that no program has (RFC 6890), and the metadata services of the large clouds.
    private static let refused: [(range: AddressRange, kind: String)] = [
        ("169.254.169.254", 32, "a cloud's metadata service"),
        ("100.100.100.200", 32, "a cloud's metadata service"),
        ("168.63.129.16", 32, "a cloud's metadata service"),
        ("fd00:ec2::254", 128, "a cloud's metadata service"),
        ("169.254.0.0", 16, "a link-local address"), ("fe80::", 10, "a link-local address"),
        ("0.0.0.0", 8, "no address of a host"), ("::", 128, "no address of a host"),
        ("224.0.0.0", 4, "a multicast address"), ("ff00::", 8, "a multicast address"),
        ("255.255.255.255", 32, "the broadcast address"),
    ].map { (AddressRange(IPAddress($0)!, prefix: $1), $2) }
}

/// The ports on which this process listens, to which `$forward` does not connect.
///
/// They are the whole process's: by a reply of one gateway a caller would else reach another gateway as if from this
/// machine.
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
