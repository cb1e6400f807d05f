import EventLoop
import Glibc
import HTTPGrammar

/// Looks up the addresses of names without blocking a loop; requests for a name that is being looked up share that
/// look-up.
final class Names: Sendable {
    typealias Answer = Result<[SocketAddress], TransferError>

    /// The instance of the process, on the process's threads for blocking calls.
    static let shared = Names(on: .shared)

    private struct Question: Hashable {
        let name: String
        let port: Int
    }

    private let calls: BlockingCalls
    private let lookUp: @Sendable (_ name: String, _ port: Int) -> Answer
    private let waiting = Guarded<[Question: [@Sendable (Answer) -> Void]]>([:])

    /// - Parameter lookUp: looks up one name, and blocks meanwhile.
    init(
        on calls: BlockingCalls,
        lookUp: @escaping @Sendable (_ name: String, _ port: Int) -> Answer = Names.ask
    ) {
        self.calls = calls
        self.lookUp = lookUp
    }

    /// The addresses that need no look-up: that of an IP address as text, and both loopback addresses for `localhost`,
    /// which is this machine whatever a name server says (RFC 6761, section 6.3).
    static func known(_ name: String, port: Int) -> [SocketAddress]? {
        if let address = SocketAddress(literal: name, port: port) { return [address] }
        let plain = (name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased()
        guard plain == "localhost" || plain.hasSuffix(".localhost") else { return nil }
        let loopback = [UInt8](repeating: 0, count: 15) + [1]
        return [SocketAddress(loopback, port: port), SocketAddress([127, 0, 0, 1], port: port)]
    }

    /// Looks up a name, and tells the answer once, on any thread.
    func addresses(of name: String, port: Int, _ tell: @escaping @Sendable (Answer) -> Void) {
        let question = Question(name: name, port: port)
        let isFirst = waiting.withLock { waiting in
            waiting[question, default: []].append(tell)
            return waiting[question]?.count == 1
        }
        guard isFirst else { return }
        let isTaken = calls.run { [self] in tellAll(question, lookUp(name, port)) }
        if !isTaken {
            let problem = "too many names are being looked up to ask for \(name) too; try again"
            tellAll(question, .failure(TransferError(.unreachable, problem)))
        }
    }

    private func tellAll(_ question: Question, _ answer: Answer) {
        let tells = waiting.withLock { $0.removeValue(forKey: question) } ?? []
        for tell in tells { tell(answer) }
    }

    /// Asks the system, and waits for it.
    static let ask: @Sendable (_ name: String, _ port: Int) -> Answer = { name, port in
        // No host has a name with other characters, and the system would ask every name server that it knows for it.
        guard name.utf8.allSatisfy(ASCIISet.name.contains) else {
            return .failure(TransferError(.unreachable, "there is no host of the name \(name)"))
        }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &first)
        defer { if let first { freeaddrinfo(first) } }
        guard code == 0 else {
            let problem =
                code == EAI_NONAME || code == noAddress
                ? "there is no host of the name \(name)"
                : "the name \(name) cannot be looked up: \(String(cString: gai_strerror(code)))"
            return .failure(TransferError(.unreachable, problem))
        }
        var addresses: [SocketAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = SocketAddress(entry, port: port), !addresses.contains(address) else {
                continue
            }
            addresses.append(address)
        }
        return .success(addresses)
    }
}

/// What `getaddrinfo` says of a name without an address: `EAI_NODATA` of netdb.h, which Swift does not show.
private let noAddress: Int32 = -5

extension SocketAddress {
    /// One of the addresses that a look-up gave; nil for another family.
    fileprivate init?(_ entry: addrinfo, port: Int) {
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
