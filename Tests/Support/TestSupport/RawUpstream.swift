import Foundation
import Glibc
import Synchronization

/// A TCP server that follows a script, for what no decent server does.
///
/// Every connection has a thread of its own, on which the script runs; when that returns or throws, it is closed.
package final class RawUpstream: Sendable {
    /// What a server does with one connection.
    package typealias Script = @Sendable (RawConnection) throws -> Void

    /// Where a server listens.
    package enum Place: Sendable {
        /// 127.0.0.1, on a port that the system chooses.
        case loopback
        /// ::1, the same.
        case loopback6
        /// The path of a Unix socket.
        case unix(String)
    }

    /// By what a server for https says who it is.
    package struct Identity: Sendable {
        /// Files of PEM.
        package var certificate: String
        package var key: String
        /// Versions and ciphers, as GnuTLS names them.
        package var priorities = "NORMAL"

        package init(certificate: String, key: String, priorities: String = "NORMAL") {
            self.certificate = certificate
            self.key = key
            self.priorities = priorities
        }
    }

    /// The port, 0 for a Unix socket.
    package let port: Int
    /// All connections that were ever made, in their order.
    package let connections = Observed<[RawConnection]>([])
    private let listener: Int32
    private let isStopped = Atomic<Bool>(false)

    /// Listens, and follows the script from the first connection on.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - identity: that of a server for https.
    package init(
        at place: Place = .loopback, port: Int = 0, as identity: Identity? = nil, _ script: @escaping Script
    ) throws {
        (listener, self.port) = try Self.listen(at: place, port)
        Thread.detachNewThread { [listener, connections] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { break }
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
                let connection = RawConnection(socket)
                connections.change { $0.append(connection) }
                Thread.detachNewThread {
                    try? {
                        if let identity { try connection.secure(identity) }
                        try script(connection)
                    }()
                    connection.close()
                }
            }
            close(listener)
        }
    }

    /// The same for a script of requests, called with each head.
    package convenience init(
        at place: Place = .loopback, port: Int = 0, as identity: Identity? = nil,
        answering script: @escaping @Sendable (RawConnection, _ head: String) throws -> Void
    ) throws {
        try self.init(at: place, port: port, as: identity) { connection in
            while true { try script(connection, try connection.readHead()) }
        }
    }

    deinit { stop() }

    /// Takes no more connections, and closes those that there are.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections.value { connection.shutDown() }
    }

    /// How many connections were ever made.
    package var count: Int { connections.value.count }

    /// All that came on all connections, one after the other, as text.
    package var received: String {
        connections.value.map { String(decoding: $0.received, as: UTF8.self) }.joined()
    }

    /// A socket that listens, and its port.
    private static func listen(at place: Place, _ port: Int) throws -> (socket: Int32, port: Int) {
        let (family, address) = address(of: place, port)
        let listener = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        let code = address.withUnsafeBytes { bytes in
            bind(listener, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        guard code == 0, Glibc.listen(listener, 128) == 0 else {
            let reason = errno
            close(listener)
            throw RawClient.Failure.system("bind", reason)
        }
        if case .unix = place { return (listener, 0) }
        var own = [UInt8](repeating: 0, count: 128)
        var length = socklen_t(own.count)
        own.withUnsafeMutableBytes { bytes in
            _ = getsockname(listener, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
        }
        // Both families have it behind the first two bytes.
        return (listener, Int(own[2]) << 8 | Int(own[3]))
    }

    private static func address(of place: Place, _ port: Int) -> (family: Int32, bytes: [UInt8]) {
        let number = UInt16(port).bigEndian
        switch place {
        case .loopback:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = number
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return (AF_INET, withUnsafeBytes(of: address, Array.init))
        case .loopback6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = number
            address.sin6_addr = in6addr_loopback
            return (AF_INET6, withUnsafeBytes(of: address, Array.init))
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            return (AF_UNIX, withUnsafeBytes(of: address, Array.init))
        }
    }
}
