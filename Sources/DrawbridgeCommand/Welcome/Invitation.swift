import Glibc

/// Links with a ticket that give other devices access: one for each address at which they may reach the gateway.
struct Invitation {
    struct Link {
        let url: String
        /// The network interface with the address, such as `wlan0`; nil if the address was given by an option.
        let interface: String?
        /// For people: `http://192.0.2.7:8080/__drawbridge__/enter#…  (wlan0)`.
        var line: String { url + (interface.map { "  (\($0))" } ?? "") }
    }

    let address: ServerAddress
    /// The URL that browsers use, if it differs from the address to listen on.
    let publicURL: String?
    let trustsThisMachine: Bool
    let isForPhones: Bool
    let admissions: Admissions

    func links(with ticket: String) -> [Link] {
        ways.map { Link(url: "\($0.address)/__drawbridge__/enter#\(ticket)", interface: $0.interface) }
    }

    /// Shows links with a new ticket, valid for ten minutes and several devices, and the first link as a QR code.
    func tell(_ print: (String, LineKind) -> Void) {
        let links = links(with: admissions.drawTicket())
        if links.isEmpty { return print(Self.unreachable, .warning) }
        for link in links { print("link  \(link.line)", .plain) }
        for line in QRCode(links[0].url)?.lines ?? [] { print(line, .picture) }
    }

    static let unreachable = "this machine is on no network now, so no other device can reach it"

    private var ways: [(address: String, interface: String?)] {
        if let publicURL { return [(publicURL, nil)] }
        if !trustsThisMachine, !isForPhones { return [("\(address.reachable)", nil)] }
        guard address.isWildcard else { return [("\(address)", nil)] }
        let own = (IPAddress.ofThisMachine() ?? [:]).filter { $0.key.isForOthers }
            .filter { !$0.key.isIPv6 || address.host == "::" }
        // Hardware interfaces come before those of containers and virtual machines, and IPv4 before IPv6, because IPv4
        // addresses are easier to recognize and type.
        func order(_ way: (key: IPAddress, value: String)) -> (Int, Int, String, String) {
            let isHardware = access("/sys/class/net/\(way.value)/device", F_OK) == 0
            return (isHardware ? 0 : 1, way.key.isIPv6 ? 1 : 0, way.value, way.key.description)
        }
        return own.sorted { order($0) < order($1) }.prefix(4).map { way in
            let server = ServerAddress(scheme: address.scheme, host: way.key.description, port: address.port)
            return ("\(server)", way.value)
        }
    }

    func described(_ ticket: String) -> JSON {
        .array(
            links(with: ticket).map { link in
                [
                    "url": .string(link.url), "interface": link.interface.map(JSON.string) ?? .null,
                    "code": QRCode(link.url)?.json ?? .null,
                ]
            })
    }
}

extension IPAddress {
    /// Whether other machines may reach the address: it is neither loopback nor link-local.
    fileprivate var isForOthers: Bool {
        let linkLocal = isIPv6 ? bits >> 118 == 0x3FA : bits >> 16 == 0xA9FE
        return !isLoopback && !linkLocal
    }
}
