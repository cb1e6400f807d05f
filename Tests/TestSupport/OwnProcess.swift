import Glibc

/// The sockets of this process that stand on the server's port, its listening ones included.
package func sockets(on port: Int) -> Int {
    var count = 0
    for descriptor in openDescriptors() {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        if code == 0, Int32(address.sin_family) == AF_INET,
            UInt16(bigEndian: address.sin_port) == UInt16(port)
        {
            count += 1
        }
    }
    return count
}

/// The descriptors that a process has open: this one, or a child.
package func openDescriptors(of process: String = "self") -> [Int32] {
    guard let directory = opendir("/proc/\(process)/fd") else { return [] }
    defer { closedir(directory) }
    var found: [Int32] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if let number = Int32(name) { found.append(number) }
    }
    return found
}

/// Bytes of memory that a process has in use: this one, or a child.
package func residentBytes(of process: String = "self") -> Int {
    guard let file = fopen("/proc/\(process)/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    fgets(&line, 128, file)
    let text = line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    let parts = text.split(separator: " ")
    return parts.count > 1 ? (Int(parts[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

/// True when no other suite runs beside the engine's: only then can the memory of this process be judged.
package let isAlone = getenv("DRAWBRIDGE_ALONE") != nil
