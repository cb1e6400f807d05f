import Glibc

/// Finds a file below a folder, name by name, and never leaves the folder.
///
/// Each name is looked up in the open folder before it, so that a folder that is moved meanwhile cannot lead elsewhere.
/// Symbolic links are followed here and not by the system: their targets are more names to walk.
struct Walk {
    enum Found {
        case file(OpenFile)
        case folder
    }

    /// How many symbolic links are followed, as by the system (path_resolution(7)).
    private static let linkLimit = 40

    let root: RootFolder
    /// The open folders from the root to the current one; the root is never removed.
    var way: [Descriptor]
    var links = 0

    /// Walks on from the current folder.
    ///
    /// - Returns: nil when there is no such file or folder, or when it is not within the root.
    /// - Throws: a ``FileError`` when it is there but cannot be opened.
    mutating func enter(_ names: [String]) throws -> Found? {
        do {
            return try follow(names)
        } catch let error where error.isAbsence {
            return nil
        }
    }

    func isIn(foldersOf files: [String]) -> Bool {
        var here = stat()
        guard fstat(way[way.count - 1].number, &here) == 0 else { return false }
        return files.contains { file in
            var folder = stat()
            return stat(Descriptor.folder(of: file), &folder) == 0
                && folder.st_ino == here.st_ino && folder.st_dev == here.st_dev
        }
    }

    private mutating func follow(_ names: [String]) throws(FileError) -> Found? {
        // The names are in reverse order: the next one to look up is the last of the array.
        var ahead = Array(names.reversed())
        while let name = ahead.popLast() {
            if name.isEmpty || name == "." { continue }
            if name == ".." {
                guard way.count > 1 else { return nil }
                way.removeLast()
                continue
            }
            let folder = way[way.count - 1].number
            var status = stat()
            _ = try FileError.check { fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }
            switch status.st_mode & S_IFMT {
            case S_IFREG:
                guard ahead.isEmpty else { return nil }
                return try OpenFile(name, in: folder).map { .file($0) }
            case S_IFDIR:
                way.append(try Descriptor(folder: name, in: folder, followingLinks: false))
            case S_IFLNK:
                links += 1
                guard links <= Self.linkLimit, let names = try target(of: name, in: folder) else {
                    return nil
                }
                ahead += names.reversed()
            default:
                // FIFOs, sockets and devices are never opened.
                return nil
            }
        }
        return .folder
    }

    /// The names to walk for a symbolic link; nil when it leads out of the root.
    private mutating func target(of name: String, in folder: Int32) throws(FileError) -> [String]? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = try FileError.check { readlinkat(folder, name, &buffer, buffer.count) }
        guard count < buffer.count, let text = String(validating: buffer.prefix(count), as: UTF8.self) else {
            return nil
        }
        var rest = text[...].utf8
        if rest.first == UInt8(ascii: "/") {
            guard let below = root.below(text) else { return nil }
            rest = below
            way.removeSubrange(1...)
        }
        return rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
    }
}
