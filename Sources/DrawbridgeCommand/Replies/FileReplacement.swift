import Glibc

/// Replaces a file atomically, so that a reader sees either the old or the new content.
enum FileReplacement {
    static func isLink(_ path: String) -> Bool {
        (try? FileFolder(of: path))?.file.map { $0.st_mode & S_IFMT == S_IFLNK } == true
    }

    /// Creates a file.
    ///
    /// Returns false if it exists. `problem` gets the temporary file's status, and may return an error.
    static func create(
        _ path: String, _ bytes: [UInt8], refusing problem: (stat, FileFolder) -> String? = { _, _ in nil }
    ) throws -> Bool {
        do {
            let folder = try FileFolder(of: path)
            defer { unlinkat(folder.number, folder.temporary, 0) }
            if let problem = problem(try folder.make(folder.temporary, bytes), folder) {
                throw Failure(problem)
            }
            // Unlike rename, link fails if the file was created meanwhile.
            if linkat(folder.number, folder.temporary, folder.number, folder.name, 0) == 0 { return true }
            guard errno == EEXIST else { throw FileError(errno) }
            return false
        } catch let error as FileError {
            throw failure(path, error)
        }
    }

    /// Replaces a file and keeps its owner and mode; returns false if its content is not `old`.
    static func write(_ bytes: [UInt8], over path: String, ifIs old: [UInt8]) throws -> Bool {
        do {
            let folder = try FileFolder(of: path)
            guard let status = folder.file else { throw FileError(errno) }
            // rename only needs permission for the folder, so the permission to write the file is checked here.
            guard status.st_mode & 0o222 != 0, faccessat(folder.number, folder.name, W_OK, 0) == 0 else {
                throw FileError(EACCES)
            }
            let made = try folder.make(folder.temporary, bytes, like: status)
            defer { unlinkat(folder.number, folder.temporary, 0) }
            // The owner must stay the same, so that the owner's editor can save the file.
            guard made.st_uid == status.st_uid else {
                throw Failure(
                    "cannot write \(path): it belongs to another user, and a save would change that; run this as that user"
                )
            }
            // An editor may have saved the file meanwhile.
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
            case EBUSY: "the file itself is mounted, so mount its folder instead"
            case EPERM: "its folder does not allow this, so make the file by hand"
            case ENOSPC: "make room on that disk"
            default: "give user \(geteuid()), who runs this, the right to write there"
            }
        return Failure("cannot write \(path): \(error); \(remedy)")
    }
}
