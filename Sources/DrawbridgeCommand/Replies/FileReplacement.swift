import DrawbridgeServer
import Glibc

/// Replaces a file atomically: a reader sees the old one or the new one, never a part.
enum FileReplacement {
    static func isLink(_ path: String) -> Bool {
        (try? FileFolder(of: path))?.file.map { $0.st_mode & S_IFMT == S_IFLNK } == true
    }

    /// Creates a file, unless there is a problem with it as the system has it; false where there is one already.
    static func create(
        _ path: String, _ bytes: [UInt8], refusing problem: (stat, FileFolder) -> String? = { _, _ in nil }
    ) throws -> Bool {
        do {
            let folder = try FileFolder(of: path)
            defer { unlinkat(folder.number, folder.temporary, 0) }
            if let problem = problem(try folder.make(folder.temporary, bytes), folder) {
                throw Failure(problem)
            }
            // Unlike rename, link fails where a file has appeared meanwhile.
            if linkat(folder.number, folder.temporary, folder.number, folder.name, 0) == 0 { return true }
            guard errno == EEXIST else { throw FileError(errno) }
            return false
        } catch let error as FileError {
            throw failure(path, error)
        }
    }

    /// Replaces a file by another with the same rights and the same owner; false where it has other bytes than `old`.
    static func write(_ bytes: [UInt8], over path: String, ifIs old: [UInt8]) throws -> Bool {
        do {
            let folder = try FileFolder(of: path)
            guard let status = folder.file else { throw FileError(errno) }
            // rename needs permission for the folder only, so that of the file, which may be read-only, is checked here.
            guard status.st_mode & 0o222 != 0, faccessat(folder.number, folder.name, W_OK, 0) == 0 else {
                throw FileError(EACCES)
            }
            let made = try folder.make(folder.temporary, bytes, like: status)
            defer { unlinkat(folder.number, folder.temporary, 0) }
            // The file keeps its owner, also where the gateway runs as another user: its owner's editor has to save it.
            guard made.st_uid == status.st_uid else {
                throw Failure(
                    "cannot write \(path): it is another user's, whom it would not belong to any more; run this as that user"
                )
            }
            // An editor may have saved it while this one was written.
            let now = try FileText(path, in: folder)
            guard now.whole == old else { return false }
            _ = try FileError.check { renameat(folder.number, folder.temporary, folder.number, folder.name) }
            return true
        } catch let error as FileError {
            throw failure(path, error)
        }
    }

    private static func failure(_ path: String, _ error: FileError) -> Failure {
        let remedy =
            switch error.code {
            case EBUSY: "it is a mount of its own, so mount its folder in its place"
            case EPERM: "its folder takes no such file, so make the file by hand"
            case ENOSPC: "make room on that disk"
            default: "give user \(geteuid()), who runs this, the right to write there"
            }
        return Failure("cannot write \(path): \(error); \(remedy)")
    }
}
