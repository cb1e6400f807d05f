import Glibc

struct ListeningSocket {
    let descriptor: Int32
    /// The actual port, also if the system chose it.
    let port: Int
    let address: String

    /// Binds a socket and listens.
    ///
    /// All loops share one socket: with `SO_REUSEPORT` another process could take the same port unnoticed.
    init(host: String, port: Int, backlog: Int) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let first = found else {
            throw ListenError(
                "cannot listen on \(host): \(String(cString: gai_strerror(code))); give an address of this machine, or localhost"
            )
        }
        defer { freeaddrinfo(found) }

        let action = "cannot listen on \(host) port \(port)"
        descriptor = socket(
            first.pointee.ai_family,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError(action) }
        do {
            var one: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
            guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
                listen(descriptor, Int32(backlog)) == 0
            else {
                let (code, error) = (errno, SystemError(action).description)
                if code == EADDRINUSE {
                    let holder = PortHolder.of(port: port) ?? "another program"
                    throw ListenError(
                        "\(error): \(holder) uses it; stop that program, or choose another port",
                        holder: holder)
                }
                let hint = code == EACCES ? "; only root may use ports below 1024: choose another port" : ""
                throw ListenError(error + hint)
            }
            (address, self.port) = try Self.name(descriptor)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// Frees the port immediately, even if other processes have copies of the descriptor.
    ///
    /// A child process that another thread forks has a copy of every descriptor until `exec`. While that copy listens,
    /// the port cannot be bound again; `shutdown` ends the listening of all copies.
    func close() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        Glibc.close(descriptor)
    }

    static func name(_ descriptor: Int32) throws -> (String, Int) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let name = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length) == 0 ? numbers($0, length) : nil
            }
        }
        guard let name else { throw SystemError("cannot read the address of the socket") }
        return name
    }

    static func numbers(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> (String, Int)? {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var service = [CChar](repeating: 0, count: 16)
        let code = getnameinfo(
            address, length, &host, socklen_t(host.count), &service, socklen_t(service.count),
            NI_NUMERICHOST | NI_NUMERICSERV)
        return code == 0 ? (text(host), Int(text(service)) ?? 0) : nil
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A server cannot listen on its host and port, or not with its certificate; the description says why and what to do.
public struct ListenError: Error, CustomStringConvertible {
    /// Why the port cannot be had, and what to do.
    public let description: String
    /// The program that already listens on the port, such as `node (process 4711)`; nil for any other reason.
    public let holder: String?

    init(_ description: String, holder: String? = nil) {
        self.description = description
        self.holder = holder
    }
}

/// The program that listens on a port, found in proc(5).
enum PortHolder {
    /// - Returns: `node (process 4711)`; nil if none listens, or if it is another user's, whose descriptors are hidden.
    static func of(port: Int) -> String? {
        let sockets = Set(
            ["tcp", "tcp6"].flatMap { listening(at: port, in: systemText(of: "/proc/net/\($0)")) })
        guard !sockets.isEmpty else { return nil }
        return Linux.names(in: "/proc")?.lazy.compactMap(Int.init).first { process in
            Linux.names(in: "/proc/\(process)/fd")?.contains { name in
                link(at: "/proc/\(process)/fd/\(name)").map(sockets.contains) == true
            } == true
        }.map { process in
            let name = systemText(of: "/proc/\(process)/comm").prefix { $0 != "\n" }
            return "\(name.isEmpty ? "a program" : name) (process \(process))"
        }
    }

    /// The sockets that listen on a port, as in the links of `/proc/PID/fd`: `socket:[4242]`.
    static func listening(at port: Int, in table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A",
                fields[1].split(separator: ":").last.flatMap({ Int($0, radix: 16) }) == port
            else { return nil }
            return "socket:[\(fields[9])]"
        }
    }

    private static func link(at path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { bytes in
            bytes.initialize(repeating: 0)
            // The last byte stays 0 and terminates the C string.
            let count = readlink(path, bytes.baseAddress!, bytes.count - 1)
            return count > 0 ? String(cString: bytes.baseAddress!) : nil
        }
    }
}

/// The text of a file in `/proc` or `/sys`; empty if it cannot be read.
func systemText(of path: String) -> String {
    String(decoding: Linux.contents(of: path, atMost: .max) ?? [], as: UTF8.self)
}
