import Glibc

/// The sockets of this process on the server's port, its listening ones included.
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
    numbers(in: "/proc/\(process)/fd")
}

/// How many threads a process has: this one, or a child.
package func threads(of process: String = "self") -> Int { numbers(in: "/proc/\(process)/task").count }

/// The entries of a folder that are numbers.
private func numbers(in folder: String) -> [Int32] {
    guard let directory = opendir(folder) else { return [] }
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

/// Bytes of its first heap that a process has in memory, in use or free.
package func residentHeapBytes(of process: String) -> Int {
    let all = lines(of: "/proc/\(process)/smaps")
    guard let heap = all.firstIndex(where: { $0.contains("[heap]") }) else { return 0 }
    return kilobytes("Rss:", in: all[heap...]) << 10
}

/// The most memory that a process has had in use at a time, in bytes.
package func peakBytes(of process: String) -> Int {
    kilobytes("VmHWM:", in: lines(of: "/proc/\(process)/status")[...]) << 10
}

/// How often a process got a page of memory that it had not, or had given back; nil where the system does not say.
package func pageFaults(of process: String) -> Int? {
    // The tenth part of the line; the second is a name in brackets, which may hold anything: proc(5), stat.
    guard let line = lines(of: "/proc/\(process)/stat").first, let end = line.lastIndex(of: ")") else {
        return nil
    }
    let parts = line[end...].split(separator: " ")
    return parts.count > 8 ? Int(parts[8]) : nil
}

/// The number in the first line that begins so.
private func kilobytes(_ name: String, in lines: ArraySlice<String>) -> Int {
    let line = lines.first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) } ?? 0
}

/// Seconds that the threads which a process has now have worked.
package func processorSeconds(of process: String) -> Double {
    let tasks = "/proc/\(process)/task"
    return numbers(in: tasks).map { secondsOfWork(in: "\(tasks)/\($0)") }.reduce(0, +)
}

/// Waits until a thread of this process rests for most of a second; false when it never did.
///
/// Who works all the time is seen on a busy machine too, where it waits for a processor instead.
package func comesToRest(thread: String) async throws -> Bool {
    let task = "/proc/self/task/\(thread)"
    for _ in 0..<60 {
        let (before, start) = (try secondsOfWish(in: task), now())
        try await Task.sleep(for: .seconds(1))
        if try secondsOfWish(in: task) - before < (now() - start) / 10 { return true }
    }
    return false
}

// Of each thread the system says how many nanoseconds it was on a processor, and then how many it waited for one:
// proc(5), schedstat.
private func nanoseconds(in task: String) -> [Double] {
    lines(of: "\(task)/schedstat").first?.split(separator: " ").prefix(2).compactMap { Double($0) } ?? []
}

private func secondsOfWork(in task: String) -> Double { (nanoseconds(in: task).first ?? 0) / 1e9 }

private func secondsOfWish(in task: String) throws -> Double {
    let times = nanoseconds(in: task)
    guard times.count == 2 else { throw NoTimes(task: task) }
    return (times[0] + times[1]) / 1e9
}

/// The system says nothing of a thread.
private struct NoTimes: Error { let task: String }

/// The number of this thread.
package func ownThread() -> String {
    var path = [CChar](repeating: 0, count: 64)
    // 12/task/34
    readlink("/proc/thread-self", &path, 63)
    let text = path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    return text.split(separator: "/").last.map(String.init) ?? ""
}

/// What the system calls the open descriptors of a process, for instance `socket:[4711]` or the path of a file.
package func descriptorNames(of process: String) -> [String] {
    openDescriptors(of: process).compactMap { descriptor in
        var name = [CChar](repeating: 0, count: 256)
        let count = readlink("/proc/\(process)/fd/\(descriptor)", &name, name.count - 1)
        guard count > 0 else { return nil }
        return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The port that a child listens on; nil while it does not.
package func listeningPort(of process: String) -> Int? {
    sockets(of: process).first { $0.isListening }?.localPort
}

/// A TCP socket for IPv4.
package struct Socket {
    package let localPort: Int
    /// 0 where it has no other end.
    package let remotePort: Int
    package let isListening: Bool
}

/// Those of a process.
package func sockets(of process: String) -> [Socket] {
    let own = Set(descriptorNames(of: process))
    // sl, local address, remote address, state (0A is listening), ..., inode: proc(5).
    return lines(of: "/proc/\(process)/net/tcp").compactMap { line in
        let parts = line.split(separator: " ")
        guard parts.count > 9, own.contains("socket:[\(parts[9])]"),
            let local = Int(parts[1].suffix(4), radix: 16), let remote = Int(parts[2].suffix(4), radix: 16)
        else { return nil }
        return Socket(localPort: local, remotePort: remote, isListening: parts[3] == "0A")
    }
}

/// Who has a local port, as `ss` tells: each process that has a socket there, with its command, and those of nobody.
package func holders(of port: Int) -> [String] {
    var states: [String: String] = [:]
    var owned: Set<String> = []
    for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
        for parts in lines(of: file).map({ $0.split(separator: " ") })
        where parts.count > 9 && Int(parts[1].suffix(4), radix: 16) == port {
            // Those that wait for late packets have no inode.
            states["socket:[\(parts[9])]"] = parts[3] == "0A" ? "listens" : "in state \(parts[3])"
        }
    }
    var found: [String] = []
    for process in numbers(in: "/proc").map(String.init) {
        let command = lines(of: "/proc/\(process)/comm").joined().dropLast()
        for name in Set(descriptorNames(of: process)) {
            guard let state = states[name] else { continue }
            found.append("\(command) (\(process)) \(state)")
            owned.insert(name)
        }
    }
    return found + states.filter { !owned.contains($0.key) }.map { "no process \($0.value)" }
}

private func lines(of path: String) -> [String] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var lines: [String] = []
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, 512, file) != nil {
        lines.append(line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" })
    }
    return lines
}

/// True when no other suite runs at the same time: only then can the memory of this process be judged.
package let isAlone = getenv("DRAWBRIDGE_ALONE") != nil
