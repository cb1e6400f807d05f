import Drawbridge
import EventLoop
import Glibc

/// The `drawbridge.json` of a project, which is read without being named: from the folder that is served, or else from
/// the working folder.
///
/// The folder may be a download of somebody else's, and is trusted no more than a page. So the file may have mocks and
/// what is injected into pages, and no setting that opens a folder, a port or a connection elsewhere.
enum FoundFile {
    static let name = "drawbridge.json"

    enum Outcome {
        /// None was looked for, because `-c` names another.
        case notSought
        case nothing
        case file(FileText)
        /// There is one that is not read, with the reason in one line.
        case unread(String)
    }

    /// Looks into the folder that is served, and then into the working folder; of two files only the first is read.
    static func look(in root: String?) throws -> Outcome {
        guard let path = there(in: root).first else { return .nothing }
        let why = (try? FileFolder(of: path)).flatMap { problem(in: $0, root) }
        return try why.map { .unread($0) } ?? .file(read(path, in: root))
    }

    /// Where one may be: in the folder that is served, or else in the working folder.
    static func candidates(in root: String?) -> [String] {
        guard let root, !isWorkingFolder(root) else { return [name] }
        return ["\(root)\(root.hasSuffix("/") ? "" : "/")\(name)", name]
    }

    private static func isWorkingFolder(_ path: String) -> Bool {
        var (folder, working) = (stat(), stat())
        guard stat(path, &folder) == 0, stat(".", &working) == 0 else { return false }
        return (folder.st_dev, folder.st_ino) == (working.st_dev, working.st_ino)
    }

    /// Where a new one is made: in the folder that is served, if it may be written, else in the working folder.
    static func new(in root: String?) -> String {
        let served = root.map { access($0, W_OK) == 0 } == true
        return served ? candidates(in: root)[0] : name
    }

    static func there(in root: String?) -> [String] {
        candidates(in: root).filter { (try? FileFolder(of: $0))?.file != nil }
    }

    /// Reads a file that was found, after judging it again: it may have been replaced since.
    static func read(_ path: String, in root: String?) throws -> FileText {
        guard let folder = try? FileFolder(of: path) else { throw FileText.unreadable(path) }
        // Before it is opened, too: opening a device may do something.
        if let problem = problem(in: folder, root) { throw Failure(problem) }
        return try FileText(path, in: folder) { problem(of: $0, in: folder, root) }
    }

    /// Makes a file, unless it would not be read then; false where there is one already.
    static func create(_ path: String, _ bytes: [UInt8], in root: String?) throws -> Bool {
        try FileReplacement.create(path, bytes) { problem(of: $0, in: $1, root) }
    }

    /// Why a file is not read, as a sentence with its path; nil where it is, or where there is none.
    private static func problem(of opened: stat? = nil, in folder: FileFolder, _ root: String?) -> String? {
        guard let file = opened ?? folder.file else { return nil }
        let isNamed = root != nil && folder.path == candidates(in: root)[0]
        return distrust(
            of: file, in: folder.status, isNamed: isNamed, isOfWindows: Linux.isOfWindows(folder.number)
        )
        .map { "\(folder.path) is not read: \($0)name it, if you trust it: -c \(folder.path)" }
    }

    /// Why a file is not trusted, with the beginning of what to do: the table *Whose file is read* of SECURITY.md.
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
        if file.st_mode & S_IFMT != S_IFREG { return "it is not a file, or a link to one; " }
        if let (who, change) = writers(file) { return "\(who) may write it; \(change), or " }
        if [user, 0].contains(file.st_uid) { return nil }
        guard isNamed, folder.st_uid == file.st_uid else {
            return
                "it belongs to user \(file.st_uid), and this runs as user \(user); serve it in a folder of that user, or "
        }
        return writers(folder).map { "\($0.who) may write its folder; \($0.change) that, or " }
    }
}
