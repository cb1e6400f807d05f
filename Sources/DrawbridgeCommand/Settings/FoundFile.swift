import EventLoop
import Glibc

/// A project's `drawbridge.json`, used without `-c`: from the served folder, else from the working directory.
///
/// The folder may be a download, so the file is trusted no more than a page. It may have mocks and settings for pages,
/// but none that opens a folder, a port or a connection to elsewhere.
enum FoundFile {
    static let name = "drawbridge.json"

    enum Outcome {
        /// Not looked for, because `-c` gives another file.
        case notSought
        case nothing
        case file(FileText)
        /// A file that is ignored, with the reason in one line.
        case unread(String)
    }

    /// Looks in the served folder, then in the working directory; only the first file is read.
    static func look(in root: String?) throws -> Outcome {
        guard let path = there(in: root).first else { return .nothing }
        let why = (try? FileFolder(of: path)).flatMap { problem(in: $0, root) }
        return try why.map { .unread($0) } ?? .file(read(path, in: root))
    }

    /// The paths where the file may be: in the served folder, and in the working directory.
    static func candidates(in root: String?) -> [String] {
        guard let root, !isWorkingFolder(root) else { return [name] }
        return ["\(root)\(root.hasSuffix("/") ? "" : "/")\(name)", name]
    }

    private static func isWorkingFolder(_ path: String) -> Bool {
        var (folder, working) = (stat(), stat())
        guard stat(path, &folder) == 0, stat(".", &working) == 0 else { return false }
        return (folder.st_dev, folder.st_ino) == (working.st_dev, working.st_ino)
    }

    /// The path for a new file: in the served folder if that is writable, else in the working directory.
    static func new(in root: String?) -> String {
        let served = root.map { access($0, W_OK) == 0 } == true
        return served ? candidates(in: root)[0] : name
    }

    static func there(in root: String?) -> [String] {
        candidates(in: root).filter { (try? FileFolder(of: $0))?.file != nil }
    }

    /// Reads a file, after checking it again, because it may have been replaced meanwhile.
    static func read(_ path: String, in root: String?) throws -> FileText {
        guard let folder = try? FileFolder(of: path) else { throw FileText.unreadable(path) }
        // Checked before opening too, because opening a device may have side effects.
        if let problem = problem(in: folder, root) { throw Failure(problem) }
        return try FileText(path, in: folder) { problem(of: $0, in: folder, root) }
    }

    /// Creates a file, unless it would then be ignored; returns false if it exists.
    static func create(_ path: String, _ bytes: [UInt8], in root: String?) throws -> Bool {
        try FileReplacement.create(path, bytes) { problem(of: $0, in: $1, root) }
    }

    /// The reason why a file is ignored, as a sentence with its path; nil if it is not, or does not exist.
    private static func problem(of opened: stat? = nil, in folder: FileFolder, _ root: String?) -> String? {
        guard let file = opened ?? folder.file else { return nil }
        let isNamed = root != nil && folder.path == candidates(in: root)[0]
        return distrust(
            of: file, in: folder.status, isNamed: isNamed, isOfWindows: Linux.isOfWindows(folder.number)
        )
        .map { "\(folder.path) is not read: \($0)name it, if you trust it: -c \(folder.path)" }
    }

    /// Why a file is not trusted, with the start of the advice; the rules are in SECURITY.md, *Whose file is read*.
    static func distrust(
        of file: stat, in folder: stat, isNamed: Bool, user: uid_t = geteuid(), group: gid_t = getegid(),
        isOfWindows: @autoclosure () -> Bool
    ) -> String? {
        func writers(_ status: stat) -> (who: String, change: String)? {
            if status.st_mode & S_IWOTH != 0 {
                return status.st_dev == folder.st_dev && isOfWindows() ? nil : ("anybody", "chmod o-w")
            }
            let isOthers = status.st_mode & S_IWGRP != 0 && ![group, 0].contains(status.st_gid)
            return isOthers ? ("group \(status.st_gid)", "chmod g-w") : nil
        }
        if file.st_mode & S_IFMT != S_IFREG { return "it is a link, or no regular file; " }
        if let (who, change) = writers(file) { return "\(who) may write it; \(change), or " }
        if [user, 0].contains(file.st_uid) { return nil }
        guard isNamed, folder.st_uid == file.st_uid else {
            return
                "it belongs to user \(file.st_uid), and this runs as user \(user); serve it in a folder of that user, or "
        }
        return writers(folder).map { "\($0.who) may write its folder; \($0.change) that, or " }
    }
}
