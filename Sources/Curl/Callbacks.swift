import CCurl
import Glibc

// Called by libcurl on the client's thread, from within one of the client's own calls.

private func user(_ box: UnsafeMutableRawPointer?) -> (any EasyUser)? {
    box.flatMap { Unmanaged<Easy>.fromOpaque($0).takeUnretainedValue().user }
}

func receiveLine(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ box: UnsafeMutableRawPointer?
) -> Int {
    guard let user = user(box) else { return 0 }
    return user.receive(line: UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
}

func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ box: UnsafeMutableRawPointer?
) -> Int {
    guard let user = user(box) else { return 0 }
    let isTaken = user.receive(body: UnsafeRawBufferPointer(start: bytes, count: count))
    return isTaken ? count : Int(CURL_WRITEFUNC_PAUSE)
}

func fillBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ box: UnsafeMutableRawPointer?
) -> Int {
    guard let user = user(box) else { return Int(CURL_READFUNC_ABORT) }
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return user.fill(buffer) ?? Int(CURL_READFUNC_PAUSE)
}

func rewindBody(_ box: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard origin == SEEK_SET, user(box)?.rewind(to: Int(offset)) == true else {
        return CURL_SEEKFUNC_CANTSEEK
    }
    return CURL_SEEKFUNC_OK
}

func openSocket(
    _ box: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address else { return -1 }
    let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    if let user = user(box), user.isGuarded {
        let (bytes, port) = withUnsafePointer(to: &address.pointee.addr) { bytesAndPort(of: $0) }
        guard user.mayReach(bytes, port: port) else { return -1 }
    }
    return socket(address.pointee.family, kind, address.pointee.protocol)
}

func isPrepared(
    _ box: UnsafeMutableRawPointer?, _ address: UnsafeMutablePointer<CChar>?,
    _ own: UnsafeMutablePointer<CChar>?, _ port: Int32, _ ownPort: Int32
) -> Int32 {
    guard let user = user(box) else { return CURL_PREREQFUNC_ABORT }
    let bytes = user.isGuarded ? address.map { ipBytes(of: $0) } ?? [] : []
    return user.isPrepared(for: bytes, port: Int(port)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

func socketChanged(
    _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ box: UnsafeMutableRawPointer?,
    _ own: UnsafeMutableRawPointer?
) -> Int32 {
    guard let box else { return 0 }
    Unmanaged<HTTPClient>.fromOpaque(box).takeUnretainedValue().watch(socket, what)
    return 0
}

func timerChanged(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ box: UnsafeMutableRawPointer?
) -> Int32 {
    guard let box else { return 0 }
    Unmanaged<HTTPClient>.fromOpaque(box).takeUnretainedValue().setTimer(milliseconds)
    return 0
}

func closeSocket(_ box: UnsafeMutableRawPointer?, _ socket: curl_socket_t) -> Int32 {
    if let box { Unmanaged<HTTPClient>.fromOpaque(box).takeUnretainedValue().isClosing(socket) }
    return close(socket)
}

/// The 4 or 16 bytes of a socket's address, and its port.
private func bytesAndPort(of address: UnsafePointer<sockaddr>) -> ([UInt8], Int) {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
        address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
            var bytes = address.pointee.sin_addr
            return (withUnsafeBytes(of: &bytes, Array.init), Int(UInt16(bigEndian: address.pointee.sin_port)))
        }
    case AF_INET6:
        UnsafeRawPointer(address).withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
            var bytes = address.pointee.sin6_addr
            return (
                withUnsafeBytes(of: &bytes, Array.init), Int(UInt16(bigEndian: address.pointee.sin6_port))
            )
        }
    default: ([], 0)
    }
}

/// The bytes of an address that is written as text.
private func ipBytes(of text: UnsafePointer<CChar>) -> [UInt8] {
    var short = in_addr()
    if inet_pton(AF_INET, text, &short) == 1 { return withUnsafeBytes(of: &short, Array.init) }
    var long = in6_addr()
    if inet_pton(AF_INET6, text, &long) == 1 { return withUnsafeBytes(of: &long, Array.init) }
    return []
}
