import Glibc

/// A file that `drawbridge init` writes where there is none yet.
struct NewFile {
    let path: String
    /// The arguments by which the program prints the same text instead.
    let arguments: String
    /// Another path for it, as an example.
    let elsewhere: String

    /// Whether anything has this path, a dangling link too.
    var isThere: Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    var taken: Failure {
        Failure(
            "\(path) is there already, and stays as it is; move it away first, or see what would be written: "
                + "\(Command.program.name) \(arguments)")
    }

    private var unwritten: Failure {
        Failure(
            "cannot write \(path): \(String(cString: strerror(errno))); write it elsewhere: "
                + "\(Command.program.name) \(arguments) > \(elsewhere)")
    }

    /// Creates the file.
    ///
    /// - Throws: a ``Failure`` where something is there already, or where it cannot be written.
    func create(_ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw errno == EEXIST ? taken : unwritten }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = unwritten
                unlink(path)
                throw failure
            }
            rest = rest.dropFirst(count)
        }
    }
}
