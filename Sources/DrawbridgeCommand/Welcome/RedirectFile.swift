import Dispatch
import Glibc

/// An HTML file that redirects a browser to a URL with a secret.
///
/// All users of a machine can read the arguments of every process. So the browser gets the path of this file, which
/// only this user can read.
struct RedirectFile {
    private static let remedy = "open the printed link by hand"

    private let folder: String
    private var path: String { "\(folder)/open.html" }

    /// Opens a URL through a file, which is removed after ten minutes, when the URL expires.
    ///
    /// - Returns: the file, which the caller removes at the end of the process.
    static func open(_ url: String) throws -> RedirectFile {
        let names: [String] = ["XDG_RUNTIME_DIR", "TMPDIR"]
        let folders = names.compactMap { name in getenv(name).map { String(cString: $0) } }
        let place = folders.first { $0.hasPrefix("/") && access($0, W_OK) == 0 } ?? "/tmp"
        let file = RedirectFile(folder: try makeFolder(below: place))
        do {
            try file.write(url)
            try Desktop.open(file.path)
        } catch {
            file.remove()
            throw error
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 600) { file.remove() }
        return file
    }

    /// Makes a folder with a random name that only this user can read.
    private static func makeFolder(below place: String) throws -> String {
        var template = Array("\(place)/open-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer {
            mkdtemp($0.baseAddress!).map { String(cString: $0) }
        }
        if let path { return path }
        throw Failure("cannot write below \(place): \(String(cString: strerror(errno))); \(remedy)")
    }

    private func write(_ url: String) throws {
        let quoted = String(decoding: JSON.string(url).bytes, as: UTF8.self)
            .split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003C")
        let text = """
            <!doctype html>
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <title>Opening</title>
            <script>location.replace(\(quoted));</script>

            """
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        guard descriptor >= 0, Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else {
            throw Failure("cannot write below \(path): \(String(cString: strerror(errno))); \(Self.remedy)")
        }
    }

    /// Removes file and folder; does nothing when called again.
    func remove() {
        unlink(path)
        rmdir(folder)
    }
}
