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
        var (folders, next) = ([""], 0)
        while next < folders.count {
            let folder = folders[next]
            next += 1
            guard let all = Linux.names(in: "\(root)/\(folder)") else {
                let why = String(cString: strerror(errno))
                guard folder.isEmpty else { leftOut.append("\(folder) (\(why))"); continue }
                throw Failure("cannot look into \(root): \(why); name a folder that this user may read")
            }
            let names = all.filter { !$0.hasPrefix(".") }.sorted()
            let isPackage = names.contains("package.json")
            hasPackage = hasPackage || isPackage && folder.isEmpty
            for name in names {
                let isFull = paths.count >= bounds.files || bytes >= bounds.bytes
                guard !isFull, .now < end else {
                    leftOut.append(
                        "everything after \(paths.count) files (limit reached; name a smaller folder)"
                    )
                    return
                }
                if let inner = take(name, in: folder, isPackage: isPackage, read) { folders.append(inner) }
            }
        }
    }

    /// Reads an entry of a folder; if the entry is a folder that is to be read in turn, returns its path.
    private mutating func take(
        _ name: String, in folder: String, isPackage: Bool, _ read: (Script) -> Void
    ) -> String? {
        let path = folder + name
        var status = stat()
        guard lstat("\(root)/\(path)", &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            if let why = take(path, Int(status.st_size), read) { leftOut.append("\(path) (\(why))") }
        case S_IFLNK where Self.isScript(name) || Self.isPage(name): leftOut.append("\(path) (symbolic link)")
        case S_IFDIR where ["node_modules", "bower_components", "jspm_packages"].contains(name):
            leftOut.append("\(path) (libraries)")
        case S_IFDIR where isPackage && ["dist", "build", "out", "coverage"].contains(name):
            leftOut.append("\(path) (build output)")
        case S_IFDIR: return "\(path)/"
        default: break
        }
        return nil
    }

    /// Reads a page or script; returns the reason if it is skipped, and nil for files that are neither.
    private mutating func take(_ path: String, _ size: Int, _ read: (Script) -> Void) -> String? {
        let isPage = Self.isPage(path)
        guard isPage || Self.isScript(path) else { return nil }
        guard size <= bounds.bytesOfOne else { return "more than \(bounds.bytesOfOne >> 10) KB" }
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

    /// The file name extension in lowercase; `d.ts` for TypeScript declarations, which are not read.
    private static func ending(_ path: String) -> String {
        path.hasSuffix(".d.ts") ? "d.ts" : path.split(separator: ".").last?.lowercased() ?? ""
    }

    private static func isScript(_ path: String) -> Bool {
        ["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"].contains(ending(path))
    }

    /// Whether a file is a page or a template, of which only the tags and scripts are read.
    static func isPage(_ path: String) -> Bool { pages.contains(ending(path)) }

    private static let pages: Set = [
        "html", "htm", "xhtml", "shtml", "vue", "svelte", "astro", "jsp", "jspf", "jspx", "php", "phtml",
        "ejs", "hbs", "handlebars", "mustache", "erb", "twig", "njk", "liquid", "cshtml", "razor", "asp",
        "aspx", "ftl", "tpl", "tmpl",
    ]
}
