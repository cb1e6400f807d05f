import EventLoop
import Glibc

extension JSON {
    init(file: String) throws {
        do {
            self = try JSON(parsing: try FileText(file).bytes)
        } catch let error as JSON.ParseError {
            throw Failure("\(file), \(error)")
        }
    }
}

struct FileText {
    let path: String
    let bytes: [UInt8]
    /// Whether it is a regular file, which can be read again; a pipe cannot.
    let isRegular: Bool
    /// The UTF-8 byte order mark at the beginning; empty if there is none.
    let mark: [UInt8]

    var whole: [UInt8] { mark + bytes }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static let mostBytes = 8 << 20

    /// - Parameters:
    ///   - folder: the open folder of the file, which must then be a regular file and no symbolic link.
    ///   - onlyRegular: refuses everything but regular files, which never block a reader.
    ///   - problem: returns why the opened file is refused; nil to accept it.
    /// - Throws: ``Failure``, which names the file.
    init(
        _ path: String, in folder: FileFolder? = nil, onlyRegular: Bool = false,
        refusing problem: (stat) -> String? = { _ in nil }
    ) throws {
        self.path = path
        let descriptor =
            folder.map { Linux.open($0.name, in: $0.number, O_NOFOLLOW) } ?? Linux.open(path)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(path) }
        if let problem = problem(status) { throw Failure(problem) }
        isRegular = status.st_mode & S_IFMT == S_IFREG
        if folder == nil, isRegular, let problem = NamedFile.problem(of: status, at: path) {
            throw Failure(problem)
        }
        guard isRegular || !onlyRegular && folder == nil else {
            throw Failure("\(path) is not a regular file; put one there")
        }
        guard let contents = Linux.read(descriptor, atMost: Self.mostBytes) else {
            throw Self.unreadable(path)
        }
        guard contents.count <= Self.mostBytes else {
            throw Failure("\(path) has more than \(Self.mostBytes >> 20) MB; name a smaller file")
        }
        mark = contents.starts(with: Self.byteOrderMark) ? Self.byteOrderMark : []
        bytes = Array(contents.dropFirst(mark.count))
    }

    init(_ path: String, _ bytes: [UInt8], mark: [UInt8] = [], isRegular: Bool = true) {
        self.path = path
        self.bytes = bytes
        self.mark = mark
        self.isRegular = isRegular
    }

    static func unreadable(_ file: String) -> Failure {
        Failure(
            "cannot read \(file): \(String(cString: strerror(errno))); give a file that this user may read"
        )
    }
}
