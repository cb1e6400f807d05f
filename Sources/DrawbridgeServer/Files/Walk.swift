import Glibc

/// Resolves a path below the root folder, name by name, and never leaves the root.
///
/// Each name is opened relative to its open parent, so a folder that is moved meanwhile cannot lead elsewhere. Symbolic
/// links are followed by this code and not by the kernel: the names of their targets are resolved in the same way.
struct Walk {
    enum Found {
        case file(OpenFile)
        case folder
    }

    /// The maximum number of symbolic links, the same as the kernel's (path_resolution(7)).
    private static let linkLimit = 40

    let root: RootFolder
    /// The open folders from the root to the current one; never empty.
    var way: [Descriptor]
    var links = 0

    /// Resolves names from the current folder.
    ///
    /// - Returns: nil if there is no such file or folder within the root.
    /// - Throws: ``FileError`` if it exists but cannot be opened.
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
        // A stack, in reverse order: the next name is the last element.
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
                // FIFOs, sockets and devices are not served.
                return nil
            }
        }
        return .folder
    }

    /// The names of a symbolic link's target; nil if it is outside of the root.
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
