import Glibc

/// The folder whose files are served; it is opened for each request, because a build may replace it at any time.
struct RootFolder {
    private let name: String
    /// An absolute path, so that a change of the working directory has no effect.
    private let path: String

    init(_ name: String) {
        self.name = name
        let here = name.isEmpty || name.utf8.first == UInt8(ascii: "/") ? nil : getcwd(nil, 0)
        defer { free(here) }
        path = here.map { String(cString: $0) + "/" + name } ?? name
    }

    func open() throws(FileError) -> Descriptor {
        try Descriptor(folder: path, in: AT_FDCWD, followingLinks: true)
    }

    func validate() throws(StaticFiles.RootError) {
        do {
            let folder = try open()
            _ = try FileError.check { faccessat(folder.number, ".", X_OK, AT_EACCESS) }
        } catch {
            throw explained(error)
        }
    }

    func explained(_ error: FileError) -> StaticFiles.RootError { StaticFiles.RootError(name, error) }

    /// The part of an absolute path below the folder; nil if the path is outside.
    func below(_ target: String) -> Substring.UTF8View? {
        var prefixes = [path]
        if let real = realpath(path, nil) {
            defer { free(real) }
            prefixes.append(String(cString: real))
        }
        for prefix in prefixes where !prefix.isEmpty {
            let count = prefix.utf8.last == UInt8(ascii: "/") ? prefix.utf8.count - 1 : prefix.utf8.count
            guard target.utf8.starts(with: prefix.utf8.prefix(count)) else { continue }
            let rest = target.utf8.dropFirst(count)
            if rest.isEmpty || rest.first == UInt8(ascii: "/") { return Substring(rest).utf8 }
        }
        return nil
    }
}

extension StaticFiles {
    /// A folder that cannot be served, with the reason and what to do.
    public struct RootError: Error, CustomStringConvertible {
        /// One line, such as `cannot serve files from pubic: No such file or directory; create the folder, or …`.
        public let description: String

        init(_ name: String, _ error: FileError) {
            let name = name.isEmpty ? "\"\"" : name
            description = "cannot serve files from \(name): \(error); " + Self.advice(for: error)
        }

        private static func advice(for error: FileError) -> String {
            switch error.code {
            case ENOTDIR: "name the folder that holds the files, not a file"
            case _ where error.isForbidden: "let the user that runs the gateway search the folder: chmod u+x"
            case _ where error.isShortage: "let the process open more files: ulimit -n"
            default: "create the folder, or name the one that holds index.html"
            }
        }
    }
}
