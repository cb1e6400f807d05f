import Dispatch
import Drawbridge
import DrawbridgeServer
import Glibc
import Synchronization

/// An HTML file that redirects a browser to a URL with a secret in it.
///
/// Every user of a machine can read the arguments of every program, a browser's among them. So the browser is given the
/// path of this file, which only this user can read, and which is removed when the URL was used.
final class RedirectFile: Sendable {
    let path: String
    private let folder: String
    private let isThere = Mutex(true)

    /// Creates the file, in a folder of its own.
    ///
    /// - Parameter url: where the browser is redirected.
    init(to url: String) throws {
        let names: [String] = ["XDG_RUNTIME_DIR", "TMPDIR"]
        let folders = names.compactMap { name in getenv(name).map { String(cString: $0) } }
        let place = folders.first { $0.hasPrefix("/") && access($0, W_OK) == 0 } ?? "/tmp"
        var template = Array("\(place)/open-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) != nil else {
            throw Self.failure(place)
        }
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        path = "\(folder)/open.html"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            rmdir(folder)
            throw Self.failure(folder)
        }
        defer { close(descriptor) }
        let quoted = String(decoding: JSON.string(url).bytes, as: UTF8.self)
            .split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003C")
        let text = """
            <!doctype html>
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <title>Opening</title>
            <script>location.replace(\(quoted));</script>

            """
        guard write(descriptor, text, text.utf8.count) == text.utf8.count else {
            let error = Self.failure(path)
            remove()
            throw error
        }
    }

    /// Removes it; another call does nothing.
    func remove() {
        let wasThere = isThere.withLock { isThere in
            defer { isThere = false }
            return isThere
        }
        guard wasThere else { return }
        unlink(path)
        rmdir(folder)
    }

    private static func failure(_ path: String) -> Failure {
        Failure(
            "cannot write below \(path): \(String(cString: strerror(errno))); open the printed link by hand")
    }
}

/// The redirect files that exist now, to be removed at the end.
final class OpenedFiles: Sendable {
    private let files = Mutex<[RedirectFile]>([])

    /// Adds a file, which is removed when its ticket expires, after ten minutes.
    func add(_ file: RedirectFile) {
        files.withLock { $0.append(file) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 600) { file.remove() }
    }

    /// Opens the inspector by a file that is removed when its link was used.
    func open(_ inspector: Inspector) throws {
        let used = Used()
        let file = try Desktop.open(secretly: inspector.drawLink { used.remove() })
        used.file.withLock { $0 = file }
        add(file)
    }

    /// The file of a link: set later, as the link with its callback is made before the file.
    private final class Used: Sendable {
        let file = Mutex<RedirectFile?>(nil)

        func remove() { file.withLock { $0 }?.remove() }
    }

    func remove() { for file in files.withLock({ $0 }) { file.remove() } }
}
