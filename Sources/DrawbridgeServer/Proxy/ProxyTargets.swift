package import Drawbridge
import HTTPClient

/// Decides to which addresses the forward proxy and `$forward` may connect.
///
/// The address decides, and not the name, which may be resolved to any address. So it is checked for each connection,
/// when its address is known.
package struct ProxyTargets: Sendable {
    /// What makes the connection, which decides about the advice in a refusal.
    package enum Asker: Sendable {
        case proxy
        /// A reply that forwards its call to a program, `$forward`.
        case forward
    }

    private let asker: Asker
    private let ownPorts: Set<Int>
    /// The addresses of this machine's interfaces; nil where the system does not tell them.
    private let ownAddresses: Set<IPAddress>?

    /// Decides for a gateway.
    ///
    /// - Parameters:
    ///   - asker: who connects.
    ///   - ownPorts: all ports on which this process listens.
    ///   - ownAddresses: those of this machine's interfaces; nil where the system does not tell them, and then the proxy
    ///     connects nowhere, since it cannot know whether it would connect to the gateway itself.
    package init(_ asker: Asker = .proxy, ownPorts: Set<Int>, ownAddresses: Set<IPAddress>?) {
        self.asker = asker
        self.ownPorts = ownPorts
        self.ownAddresses = ownAddresses
    }

    /// Why the proxy does not connect there: a sentence that says what to do; nil when it does.
    ///
    /// - Parameter caller: the caller's address; nil, as where there is no socket, is treated as another machine.
    package func refusal(of address: IPAddress, port: Int, for caller: IPAddress?) -> String? {
        let destination = address.destination
        let isProxy = asker == .proxy
        if let (_, kind) = Self.refused.first(where: { $0.range.contains(destination) }) {
            return isProxy
                ? "\(address) is \(kind), to which the proxy does not connect; ask another host"
                : "\(address) is \(kind), which no reply may ask; let $forward name another program"
        }
        guard let ownAddresses else {
            return
                "the system does not tell this machine's own addresses, so \(isProxy ? "the proxy" : "$forward") connects nowhere; try again, and let "
                + "the gateway use netlink sockets (AF_NETLINK) if a sandbox keeps it from them"
        }
        func isOwn(_ address: IPAddress) -> Bool { address.isLoopback || ownAddresses.contains(address) }
        guard isOwn(destination) else { return nil }
        if ownPorts.contains(port) {
            let remedy =
                isProxy ? "ask it without the proxy" : "let $forward name the port of another program"
            return "port \(port) of \(address) is this gateway itself; \(remedy)"
        }
        if isProxy, destination.isLoopback, caller.map(isOwn) != true {
            return
                "\(address) is the proxy's own machine; only programs that run there may ask for it, ask another host"
        }
        return nil
    }

    /// The check of a connection, to be called when its address is known.
    ///
    /// - Parameter name: the server's name, for the error where its address is of an unknown kind.
    static func guardian(_ asker: Asker, of name: String, for caller: IPAddress?) -> Transfer.Guardian {
        { bytes, port throws(TransferError) in
            guard let address = IPAddress(bytes: bytes) else {
                let remedy =
                    asker == .proxy
                    ? "that the proxy knows; ask another host"
                    : "that is known; let $forward name another program"
                throw TransferError(.forbidden, "\(name) has no address \(remedy)")
            }
            let own = IPAddress.ofThisMachine().map { Set($0.keys) }
            let targets = Self(asker, ownPorts: OwnPorts.all, ownAddresses: own)
            if let sentence = targets.refusal(of: address, port: port, for: caller) {
                throw TransferError(.forbidden, sentence)
            }
        }
    }

    /// Addresses that are refused to every caller (RFC 6890; the metadata services of the large clouds).
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
