import Glibc

/// The program that listens at a port, as the system's lists of sockets and processes tell (proc(5)).
struct PortHolder: CustomStringConvertible {
    let name: String
    let process: Int

    /// `node (process 4711)`.
    var description: String { "\(name) (process \(process))" }

    /// - Returns: nil where nobody listens there, and where the program is another user's, whose sockets are not shown.
    static func of(port: Int) -> PortHolder? {
        let sockets = Set(
            ["tcp", "tcp6"].flatMap { listening(at: port, in: systemText(of: "/proc/net/\($0)")) })
        guard !sockets.isEmpty else { return nil }
        return names(in: "/proc").lazy.compactMap(Int.init).first { process in
            names(in: "/proc/\(process)/fd").contains { name in
                link(at: "/proc/\(process)/fd/\(name)").map(sockets.contains) == true
            }
        }.map { process in
            let name = systemText(of: "/proc/\(process)/comm").prefix { $0 != "\n" }
            return PortHolder(name: name.isEmpty ? "a program" : String(name), process: process)
        }
    }

    /// The sockets that listen at a port, as descriptors name them: `socket:[4242]`.
    static func listening(at port: Int, in table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A",
                fields[1].split(separator: ":").last.flatMap({ Int($0, radix: 16) }) == port
            else { return nil }
            return "socket:[\(fields[9])]"
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let list = opendir(folder) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    private static func link(at path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { bytes in
            bytes.initialize(repeating: 0)
            // One is left, which ends the text.
            let count = readlink(path, bytes.baseAddress!, bytes.count - 1)
            return count > 0 ? String(cString: bytes.baseAddress!) : nil
        }
    }
}

/// What the system says in a file that it makes up, as those of proc(5); empty where it cannot be read.
func systemText(of path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var (text, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while case let count = read(file, &bytes, bytes.count), count > 0 { text += bytes[..<count] }
    return String(decoding: text, as: UTF8.self)
}
