import Drawbridge
import Glibc

/// The `drawbridge.json` of a project, which is read without being named: from the folder that is served, or else from
/// the working folder.
///
/// The folder may be a download of somebody else's, and is trusted no more than a page. So the file may have mocks and
/// what is injected into pages, and no setting that opens a folder, a port or a connection elsewhere.
enum FoundFile {
    static let name = "drawbridge.json"

    /// The settings that it may have, besides the keys of a file of replies.
    static let settings: Set<String> = [
        "answer-missing", "bridge", "built-ins", "command-item", "envelope", "inject", "message-handler",
        "scheme", "shortcuts", "single-page",
    ]

    enum Outcome {
        /// None was looked for, because `-c` names another.
        case notSought
        case nothing
        case file(FileText)
        /// There is one that is not read, with the reason in one line.
        case unread(String)
    }

    /// Looks into the folder that is served, and then into the working folder; of two files only the first is read.
    ///
    /// - Throws: a ``Failure`` for a file that cannot be read.
    static func look(in root: String?) throws -> Outcome {
        guard let path = there(in: root).first else { return .nothing }
        if let problem = problem(at: path) { return .unread(problem) }
        return .file(try read(path))
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

    /// The candidates that exist, whether they may be read or not.
    static func there(in root: String?) -> [String] {
        candidates(in: root).filter { path in
            var status = stat()
            return lstat(path, &status) == 0
        }
    }

    /// Reads a file that was found, after checking it again: it may have been replaced since.
    ///
    /// - Throws: a ``Failure`` that says why it is not read.
    static func read(_ path: String) throws -> FileText {
        if let problem = problem(at: path) { throw Failure(problem) }
        return try FileText(path, onlyRegular: true, followsLinks: false) { problem(of: $0, path) }
    }

    /// Why a file is not read, as a sentence with its path; nil where it is trusted, or missing.
    private static func problem(at path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return problem(of: status, path)
    }

    private static func problem(of status: stat, _ path: String) -> String? {
        distrust(of: status, path).map { "\(path) is not read: \($0)" }
    }

    /// Why a file is not trusted; nil where it is.
    private static func distrust(of status: stat, _ path: String) -> String? {
        let remedy = "name it, if it is yours: -c \(path)"
        if status.st_mode & S_IFMT != S_IFREG { return "it is no file, or a link to one; \(remedy)" }
        if status.st_uid != geteuid(), status.st_uid != 0 { return "it is somebody else's; \(remedy)" }
        if status.st_mode & S_IWGRP != 0, status.st_gid != getegid(), status.st_gid != 0 {
            return "its group can write it; chmod g-w, or \(remedy)"
        }
        if status.st_mode & S_IWOTH != 0 { return "anybody may write it; chmod o-w, or \(remedy)" }
        return nil
    }
}
