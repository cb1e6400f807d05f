import EventLoop
import Glibc

/// The open folder of a file; checks and writes use it instead of the path, which may lead elsewhere by then.
struct FileFolder {
    let path: String
    let name: String
    /// A random, unused name in the folder, which names the process: a later save removes what a dead one left.
    let temporary: String
    private(set) var status = stat()
    private let descriptor: Descriptor
    var number: Int32 { descriptor.number }

    /// The status of the file (`lstat`, so a symbolic link is not followed); nil if it does not exist.
    var file: stat? {
        var status = stat()
        return fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    init(of path: String) throws(FileError) {
        self.path = path
        name = path.lastIndex(of: "/").map { String(path[$0...].dropFirst()) } ?? path
        temporary = ".\(name).\(getpid()).\(UInt32.random(in: .min ... .max))"
        descriptor = try Descriptor(folder: Descriptor.folder(of: path), in: AT_FDCWD, followingLinks: true)
        _ = try FileError.check { [descriptor] in fstat(descriptor.number, &status) }
    }

    /// Creates a file and syncs it to disk; if that fails, it is removed.
    ///
    /// Owner and mode are those of `old`; without it the mode is 0644 less the umask, and for root the owner is the
    /// folder's.
    func make(_ name: String, _ bytes: [UInt8], like old: stat? = nil) throws(FileError) -> stat {
        for found in Linux.names(in: "/proc/self/fd/\(number)") ?? [] where found.hasPrefix(".\(self.name).")
        {
            let numbers = found.dropFirst(self.name.count + 2).split(separator: ".").map { Int(plain: $0) }
            guard numbers.count == 2, let process = numbers[0].map(pid_t.init(clamping:)) else { continue }
            if kill(process, 0) != 0, errno == ESRCH { unlinkat(number, found, 0) }
        }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try FileError.check { openat(number, name, flags, old == nil ? 0o644 : 0o600) }
        defer { close(file) }
        do throws(FileError) {
            var (count, made) = (0, stat())
            while count < bytes.count {
                count += try FileError.check { write(file, Array(bytes[count...]), bytes.count - count) }
            }
            let owner = geteuid() == 0 ? old ?? status : old
            if let owner { _ = fchown(file, owner.st_uid, owner.st_gid) }
            if let old { _ = try FileError.check { fchmod(file, old.st_mode & 0o777) } }
            _ = try FileError.check { fsync(file) }
            _ = try FileError.check { fstat(file, &made) }
            return made
        } catch {
            unlinkat(number, name, 0)
            throw error
        }
    }
}
