import Glibc

/// Replaces a file atomically: a reader sees the old one or the new one, never a part.
enum FileReplacement {
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Creates a file atomically.
    ///
    /// - Returns: false where there is one already.
    /// - Throws: a ``Failure`` that names the folder.
    static func create(_ path: String, _ bytes: [UInt8]) throws -> Bool {
        let temporary = try write(bytes, beside: path, mode: 0o644, owner: nil)
        defer { unlink(temporary) }
        // Unlike rename, link fails where a file has appeared meanwhile.
        if link(temporary, path) == 0 { return true }
        guard errno == EEXIST else { throw failure(path) }
        return false
    }

    /// Replaces a file by another with the same rights and the same owner.
    ///
    /// - Parameter old: the bytes that the file must still have.
    /// - Returns: false where it has others.
    /// - Throws: a ``Failure`` that names it.
    static func write(_ bytes: [UInt8], over path: String, ifIs old: [UInt8]) throws -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw failure(path) }
        // rename needs permission for the folder only, so that of the file, which may be read-only, is checked here.
        guard status.st_mode & 0o222 != 0, access(path, W_OK) == 0 else {
            errno = EACCES
            throw failure(path)
        }
        // The file keeps its owner, also where the gateway runs as another user: its owner's editor has to save it.
        let temporary = try write(
            bytes, beside: path, mode: status.st_mode & 0o777, owner: (status.st_uid, status.st_gid))
        defer { unlink(temporary) }
        // An editor may have saved it while this one was written.
        let now = try FileText(path, onlyRegular: true, followsLinks: false)
        guard now.mark + now.bytes == old else { return false }
        guard rename(temporary, path) == 0 else { throw failure(path) }
        return true
    }

    /// Writes a new file in the same folder, and waits until it is on the disk.
    ///
    /// - Parameter owner: the user and group that own it; nil for those of the process.
    private static func write(
        _ bytes: [UInt8], beside path: String, mode: mode_t, owner: (user: uid_t, group: gid_t)?
    ) throws -> String {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        let name = path.dropFirst(folder.count)
        let temporary = "\(folder).\(name).\(getpid()).\(UInt32.random(in: .min ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        var isWritten = false
        defer {
            close(descriptor)
            if !isWritten { unlink(temporary) }
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path) }
        if let owner, owner != (status.st_uid, status.st_gid) {
            // A group of which this user is no member may get lost: the owner is the same.
            guard fchown(descriptor, owner.user, owner.group) == 0 || owner.user == status.st_uid else {
                throw Failure(
                    "cannot write \(path): it is another user's, whom it would not belong to any more; run this as that user"
                )
            }
        }
        guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw failure(path) }
        isWritten = true
        return temporary
    }

    private static func failure(_ path: String) -> Failure {
        let remedy =
            switch errno {
            case EBUSY: "it is a mount of its own, so mount its folder in its place"
            case EPERM: "its folder takes no such file, so make the file by hand"
            case ENOSPC: "make room on that disk"
            default: "give this user the right to write there"
            }
        return Failure("cannot write \(path): \(String(cString: strerror(errno))); \(remedy)")
    }
}
