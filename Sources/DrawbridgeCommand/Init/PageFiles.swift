import EventLoop
import Glibc

/// The pages and scripts of a folder, read within limits of number, size and time, and a list of the skipped ones.
///
/// Symbolic links are not followed: they may lead out of the folder, or form a cycle.
struct PageFiles {
    struct Bounds {
        var files = 2000
        var bytesOfOne = 1 << 20
        var bytes = 32 << 20
        var time = Duration.seconds(10)
    }

    private let root: String
    private let bounds: Bounds
    private var bytes = 0
    /// The paths of the files that were read, relative to the folder.
    private(set) var paths: [String] = []
    /// The paths that were not read, each with the reason: `huge.js (more than 1024 KB)`.
    private(set) var leftOut: [String] = []
    /// Whether the folder has a `package.json`, so that its pages are probably served by a dev server.
    private(set) var hasPackage = false

    /// Reads the folder breadth first; throws if the folder itself cannot be listed.
    init(in root: String, within bounds: Bounds = Bounds(), _ read: (Script) -> Void) throws {
        (self.root, self.bounds) = (root, bounds)
        let end = ContinuousClock.now + bounds.time
        var folders = [""][...]
        while let folder = folders.popFirst() {
            guard let all = Linux.names(in: "\(root)/\(folder)") else {
                let why = String(cString: strerror(errno))
                guard folder.isEmpty else { leftOut.append("\(folder) (\(why))"); continue }
                throw Failure("cannot look into \(root): \(why); name a folder that this user may read")
            }
            let isPackage = all.contains("package.json")
            if folder.isEmpty { hasPackage = isPackage }
            for name in all.sorted() where !name.hasPrefix(".") {
                guard paths.count < bounds.files, bytes < bounds.bytes, .now < end else {
                    let count = paths.count
                    leftOut.append("everything after \(count) files (limit reached; name a smaller folder)")
                    return
                }
                var status = stat()
                guard lstat("\(root)/\(folder)\(name)", &status) == 0 else { continue }
                let isFolder = status.st_mode & S_IFMT == S_IFDIR
                let why =
                    isFolder
                    ? Self.skipped(name, isPackage)
                    : take(folder + name, status, read)
                if let why {
                    leftOut.append("\(folder)\(name) (\(why))")
                } else if isFolder {
                    folders.append("\(folder)\(name)/")
                }
            }
        }
    }

    /// Why a folder is not looked into; nil if it is.
    private static func skipped(_ name: String, _ isPackage: Bool) -> String? {
        if ["node_modules", "bower_components", "jspm_packages"].contains(name) { return "libraries" }
        return isPackage && ["dist", "build", "out", "coverage"].contains(name) ? "build output" : nil
    }

    /// Reads a page or script; returns the reason if it is skipped, and nil for files that are neither.
    private mutating func take(_ path: String, _ status: stat, _ read: (Script) -> Void) -> String? {
        let isPage = Self.isPage(path)
        // Declarations of TypeScript call nothing.
        guard isPage || Self.scripts.contains(Self.ending(path)), !path.hasSuffix(".d.ts") else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return status.st_mode & S_IFMT == S_IFLNK ? "symbolic link" : nil
        }
        guard status.st_size <= bounds.bytesOfOne else { return "more than \(bounds.bytesOfOne >> 10) KB" }
        guard let contents = try? FileText("\(root)/\(path)", in: FileFolder(of: "\(root)/\(path)")).bytes
        else { return "it cannot be read" }
        bytes += contents.count
        if contents.prefix(8192).contains(0) { return "binary" }
        let isLong = !isPage && contents.count > 20_000
        if isLong, contents.count(where: { $0 == 0x0A }) < contents.count / 1000 { return "minified" }
        paths.append(path)
        read(Script(contents, path: path))
        return nil
    }

    static func isPage(_ path: String) -> Bool { pages.contains(ending(path)) }

    private static func ending(_ path: String) -> String {
        path.split(separator: ".").last?.lowercased() ?? ""
    }

    private static let scripts: Set = ["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"]

    private static let pages: Set = [
        "html", "htm", "xhtml", "shtml", "vue", "svelte", "astro", "jsp", "jspf", "jspx", "php", "phtml",
        "ejs", "hbs", "handlebars", "mustache", "erb", "twig", "njk", "liquid", "cshtml", "razor", "asp",
        "aspx", "ftl", "tpl", "tmpl",
    ]
}
