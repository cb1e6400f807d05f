import Glibc

/// A TCP relay in front of a server of this machine, by which WebSockets break as they do in a bad network.
///
/// ``RawUpstream`` gives each connection a thread, which reads and sends on both of its sides: closed while another
/// thread reads from it, a socket would not be reset before that is through.
package final class Relay: Sendable {
    /// The port to which it connects what comes from now on.
    package let server: Observed<Int>
    /// How many WebSockets were ever opened through it.
    package let webSockets: Observed<Int>
    /// How many of them it has broken.
    package let cuts: Observed<Int>
    private let asked: Observed<Int>
    private let listener: RawUpstream

    /// Relays what comes to its own port.
    ///
    /// - Parameter server: the server's port.
    package init(to server: Int) throws {
        let (server, webSockets, cuts, asked) = (Observed(server), Observed(0), Observed(0), Observed(0))
        (self.server, self.webSockets, self.cuts, self.asked) = (server, webSockets, cuts, asked)
        listener = try RawUpstream { client in
            let server = try RawClient(server.value)
            // What was asked when its WebSocket was opened; what is asked later is for it.
            var known: Int?
            let isCut = try Self.relay(client, server) { piece, isOfServer in
                if let known, known != asked.value { return false }
                if isOfServer, known == nil, piece.starts(with: "HTTP/1.1 101 ".utf8) {
                    known = asked.value
                    webSockets.change { $0 += 1 }
                }
                return true
            }
            if isCut { cuts.change { $0 += 1 } }
        }
    }

    package var port: Int { listener.port }

    /// Breaks every open WebSocket with its next message: that comes through but for its end, and then both sides are
    /// reset.
    package func cut() { asked.change { $0 += 1 } }

    /// Relays no more.
    package func stop() { listener.stop() }

    /// Passes on what comes, until one side ends; true where a piece might not pass whole.
    private static func relay(
        _ client: RawConnection, _ server: RawClient,
        mayPass: (_ piece: ArraySlice<UInt8>, _ isOfServer: Bool) -> Bool
    ) throws -> Bool {
        var sides = [client.socket, server.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while poll(&sides, 2, -1) > 0 {
            for side in 0...1 where sides[side].revents != 0 {
                let count = recv(sides[side].fd, &bytes, bytes.count, 0)
                guard count > 0 else { return false }
                let isOfServer = side == 1
                let mayPass = mayPass(bytes[..<count], isOfServer)
                let piece = bytes[..<(mayPass ? count : count - 1)]
                if isOfServer { try client.send(Array(piece)) } else { try server.send(Array(piece)) }
                if !mayPass {
                    client.reset()
                    server.reset()
                    return true
                }
            }
        }
        return false
    }
}
