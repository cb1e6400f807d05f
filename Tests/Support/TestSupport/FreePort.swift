import Foundation
import Glibc
import Synchronization

/// A port of this machine that nobody listens on, for a server that cannot choose one itself, or that listens twice.
///
/// The system gives it to nobody who asks for any port: it lies below those. So it is still free where a server has
/// ended and another takes its place, whatever else runs meanwhile; and it is given out once in a process.
package func freePort() throws -> Int {
    for _ in 0..<1000 {
        let port = Int.random(in: ports)
        guard given.withLock({ $0.insert(port).inserted }) else { continue }
        if try isFree(port) { return port }
    }
    throw NoPort(range: ports)
}

/// Nobody gives a port away in this range; browsers ask none of those that have another use, below it.
private let ports: Range<Int> = {
    let path = "/proc/sys/net/ipv4/ip_local_port_range"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let lowest = text.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) } ?? 32768
    return 20_000..<max(lowest, 21_000)
}()

private let given = Mutex<Set<Int>>([])

private func isFree(_ port: Int) throws -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw RawClient.Failure.system("socket", errno) }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}

private struct NoPort: Error, CustomStringConvertible {
    let range: Range<Int>

    var description: String { "no port of 127.0.0.1 is free in \(range); end programs that listen there" }
}

/// A server cannot listen on a port that ``freePort()`` gave, and who has that.
package struct PortIsTaken: Error, CustomStringConvertible {
    package let description: String

    package init(_ port: Int, _ error: any Error) {
        let holders = holders(of: port)
        description =
            "\(error); it has: " + (holders.isEmpty ? "nobody any more" : holders.joined(separator: ", "))
    }
}
