import Drawbridge
import Glibc

extension JSON {
    /// Reads a file of JSON.
    ///
    /// - Throws: a ``Failure`` that names the file, and the line where it is no JSON.
    init(file: String) throws {
        do {
            self = try JSON(parsing: try FileText(file).bytes)
        } catch let error as JSON.ParseError {
            throw Failure("\(file), \(error)")
        }
    }
}

/// What a file says, or a pipe.
struct FileText {
    let path: String
    let bytes: [UInt8]
    /// Whether it can be read again: what came by a pipe is gone.
    let isRegular: Bool
    /// What some editors write before a text, which is no part of it.
    let mark: [UInt8]

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static let mostBytes = 8 << 20

    /// - Parameters:
    ///   - onlyRegular: refuses all but files, of which nobody has to wait.
    ///   - problem: why a file is refused that was opened; nil where it is taken.
    /// - Throws: a ``Failure`` that names the file.
    init(
        _ path: String, onlyRegular: Bool = false, followsLinks: Bool = true,
        refusing problem: (stat) -> String? = { _ in nil }
    ) throws {
        self.path = path
        // A pipe that nobody writes to would not even be opened else.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(path) }
        if let problem = problem(status) { throw Failure(problem) }
        isRegular = status.st_mode & S_IFMT == S_IFREG
        guard isRegular || !onlyRegular else { throw Failure("\(path) is no file any more; put one there") }
        _ = fcntl(descriptor, F_SETFL, 0)
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(path) }
            guard count > 0 else { break }
            contents += chunk[..<count]
            guard contents.count <= Self.mostBytes else {
                throw Failure("\(path) has more than \(Self.mostBytes >> 20) MB; name a smaller file of JSON")
            }
        }
        mark = contents.starts(with: Self.byteOrderMark) ? Self.byteOrderMark : []
        bytes = Array(contents.dropFirst(mark.count))
    }

    /// What a file will say.
    init(_ path: String, _ bytes: [UInt8], mark: [UInt8] = [], isRegular: Bool = true) {
        self.path = path
        self.bytes = bytes
        self.mark = mark
        self.isRegular = isRegular
    }

    private static func unreadable(_ file: String) -> Failure {
        Failure(
            "cannot read \(file): \(String(cString: strerror(errno))); give a JSON file that this user may read"
        )
    }
}
