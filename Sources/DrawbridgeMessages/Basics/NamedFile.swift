import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file that somebody has named, and that is read again while the process runs (SECURITY, *Whose file is read*).
package enum NamedFile {
    /// The owner of each, and its real folder without links, when it was opened first.
    private static let homes = Mutex<[String: String]>([:])

    /// Why a file that was opened is not read; nil if it is in the folder, and its owner's, that it was at first.
    ///
    /// Whoever may write there could else give any file of the gateway's user, by a link.
    package static func problem(of opened: stat, at path: String) -> String? {
        let real = realpath(path, nil).map { name in
            defer { free(name) }
            return String(cString: name)
        }
        var found = stat()
        let isThere = real.map { stat($0, &found) == 0 && found.st_ino == opened.st_ino } == true
        let folder = isThere ? real.flatMap { name in name.lastIndex(of: "/").map { name[..<$0] } } : nil
        let home = "\(opened.st_uid) \(folder ?? "moved")"
        let first = homes.withLock { homes in
            homes[path] = homes[path] ?? home
            return homes[path]
        }
        guard first != home else { return nil }
        return "\(path) leads out of its folder now, or has another owner; put the file back, or start anew"
    }

    /// All bytes of an open file, or of a larger one more than `most`; nil with `errno` if it cannot be read.
    package static func bytes(of file: Int32, upTo most: Int) -> [UInt8]? {
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
        while bytes.count <= most, case let count = read(file, &chunk, chunk.count), count != 0 {
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
