import Glibc

/// The pages and scripts of a folder, as many as can be read in a few seconds, and what of it was not read.
///
/// Links are not followed: they may lead out of the folder, or round in it.
struct PageFiles {
    /// The limits of what is read.
    struct Bounds {
        var files = 2000
        var bytesOfOne = 1 << 20
        var bytes = 8 << 20
        var entries = 50_000
        var depth = 16
        var time = Duration.seconds(10)
    }

    private enum Kind { case script, page, other, none }

    private let root: String
    private let bounds: Bounds
    private let end: ContinuousClock.Instant
    private var (entries, bytes) = (0, 0)

    /// The tokens of all files that were read, with their paths below the folder.
    private(set) var scripts = Scripts()
    /// What was left out, and why, in short.
    private(set) var leftOut: [String] = []
    /// Whether the folder has a `package.json`.
    private(set) var hasPackage = false

    /// Reads a folder.
    ///
    /// - Throws: a ``Failure`` where it cannot be looked into.
    init(in root: String, within bounds: Bounds = Bounds()) throws {
        (self.root, self.bounds, end) = (root, bounds, .now + bounds.time)
        guard let names = Self.names(in: root) else {
            let why = String(cString: strerror(errno))
            throw Failure("cannot look into \(root): \(why); name a folder that this user may read")
        }
        hasPackage = names.contains("package.json")
        read(names, in: "", depth: 0)
    }

    /// The names in a folder, sorted; nil where it cannot be read.
    private static func names(in folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream), names.count < 100_000 {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private mutating func read(_ names: [String], in folder: String, depth: Int) {
        let isBuilt = names.contains("package.json")
        var folders: [String] = []
        for name in names {
            guard !isOver() else { return }
            entries += 1
            let path = folder + name
            var status = stat()
            guard lstat("\(root)/\(path)", &status) == 0 else { continue }
            let kind = Self.kind(of: name)
            switch status.st_mode & S_IFMT {
            case S_IFREG where kind != .none: readFile(path, kind, Int(status.st_size))
            case S_IFLNK where kind == .script || kind == .page: leftOut.append("\(path) (a link)")
            case S_IFDIR where !name.hasPrefix("."): folders.append(name)
            default: break
            }
        }
        for name in folders where !isOver() {
            let path = folder + name
            if ["node_modules", "bower_components", "jspm_packages"].contains(name) {
                leftOut.append("\(path) (libraries)")
            } else if isBuilt, ["dist", "build", "out", "coverage"].contains(name) {
                leftOut.append("\(path) (built of other files)")
            } else if depth == bounds.depth {
                leftOut.append("\(path) (too deep)")
            } else if let names = Self.names(in: "\(root)/\(path)") {
                read(names, in: "\(path)/", depth: depth + 1)
            } else {
                leftOut.append("\(path) (\(String(cString: strerror(errno))))")
            }
        }
    }

    /// How a file is read, by its extension; one of kind `other` is only searched for the names of bridges.
    private static func kind(of name: String) -> Kind {
        let ending = name.split(separator: ".", omittingEmptySubsequences: false).last?.lowercased() ?? ""
        if name.hasSuffix(".d.ts") || name.hasPrefix(".") || others.contains(ending) { return .none }
        return scripts.contains(ending) ? .script : pages.contains(ending) ? .page : .other
    }

    private static let scripts: Set = ["js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"]
    static let pages: Set = [
        "html", "htm", "xhtml", "shtml", "vue", "svelte", "astro", "jsp", "jspf", "jspx", "php", "phtml",
        "ejs", "hbs",
        "handlebars", "mustache", "erb", "twig", "njk", "liquid", "cshtml", "razor", "asp", "aspx", "ftl",
        "tpl", "tmpl",
    ]
    /// Documents, data, styles and the app's own code, in which names of bridges are no calls.
    private static let others: Set = [
        "md", "txt", "json", "map", "css", "scss", "less", "log", "lock", "xml", "yml", "swift", "m", "mm",
        "h", "java", "kt",
        "dart", "py", "rb", "go", "sh",
    ]

    /// Whether a limit is reached; the first time, that is noted in `leftOut`.
    private mutating func isOver() -> Bool {
        let isOver =
            scripts.files.count >= bounds.files || entries >= bounds.entries || bytes >= bounds.bytes
            || .now >= end
        let word = "everything after \(scripts.files.count) files (there is too much; name a smaller folder)"
        if isOver, leftOut.last != word { leftOut.append(word) }
        return isOver
    }

    private mutating func readFile(_ path: String, _ kind: Kind, _ size: Int) {
        guard size <= bounds.bytesOfOne else {
            return kind == .other ? () : leftOut.append("\(path) (more than \(bounds.bytesOfOne >> 10) KB)")
        }
        guard let contents = contents("\(root)/\(path)") else {
            return leftOut.append("\(path) (\(String(cString: strerror(errno))))")
        }
        bytes += contents.count
        let isText = !contents.prefix(8192).contains(0)
        if kind == .other {
            let words = ["callHandler(", "messageHandlers.", "_mobile_bridge=1", "__jsbridge__"]
            guard isText, let word = words.first(where: { contents.firstRange(of: Array($0.utf8)) != nil })
            else { return }
            return leftOut.append("\(path) (it says \(word) but is no kind of file that is read)")
        }
        guard isText else { return leftOut.append("\(path) (no text)") }
        if kind == .script, contents.count > 20_000,
            contents.count(where: { $0 == 0x0A }) < contents.count / 1000
        {
            return leftOut.append("\(path) (minified)")
        }
        scripts.add(contents, path: path, isPage: kind == .page)
    }

    /// Whether a file is read as a page.
    static func isPage(_ path: String) -> Bool { kind(of: path) == .page }

    /// A file's bytes; reading stops soon after the limit for one file.
    private func contents(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while contents.count <= bounds.bytesOfOne {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            contents += chunk[..<count]
        }
        return contents
    }
}
