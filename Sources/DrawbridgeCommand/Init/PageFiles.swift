import Glibc

/// The pages and scripts of a folder, as many as can be read in a few seconds.
///
/// Links are not followed: they may lead out of the folder, or round in it.
struct PageFiles {
    /// What is read at most.
    struct Bounds {
        var files = 2000
        var bytesOfOne = 1 << 20
        var bytes = 32 << 20
        var entries = 50_000
        var depth = 16
        var time = Duration.seconds(10)
    }

    private let root: String
    private let bounds: Bounds
    private let end: ContinuousClock.Instant
    private var entries = 0
    private var bytes = 0

    /// What was read, by paths below the folder.
    private(set) var files: [(path: String, facts: ScriptFacts)] = []
    /// What was left out, and why, in short.
    private(set) var leftOut: [String] = []
    /// Whether tools of JavaScript are used here.
    private(set) var hasPackage = false

    /// Reads a folder.
    ///
    /// - Throws: a ``Failure`` where it cannot be looked into.
    init(in root: String, within bounds: Bounds = Bounds()) throws {
        self.root = root
        self.bounds = bounds
        end = .now + bounds.time
        guard let names = Self.names(in: root) else {
            let why = String(cString: strerror(errno))
            throw Failure("cannot look into \(root): \(why); name a folder that this user may read")
        }
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
        let hasPackage = names.contains("package.json")
        if depth == 0 { self.hasPackage = hasPackage }
        var folders: [String] = []
        for name in names {
            guard !isOver() else { return }
            entries += 1
            let path = folder + name
            var status = stat()
            guard lstat("\(root)/\(path)", &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG: if Self.isWanted(name) { readFile(path, Int(status.st_size)) }
            case S_IFDIR where !name.hasPrefix("."): folders.append(name)
            case S_IFLNK where Self.isWanted(name): leftOut.append("\(path) (a link)")
            default: break
            }
        }
        for name in folders where !isOver() {
            let path = folder + name
            if Self.libraries.contains(name) { continue }
            if hasPackage, Self.built.contains(name) {
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

    private static let libraries: Set<String> = ["node_modules", "bower_components", "jspm_packages"]
    private static let built: Set<String> = ["dist", "build", "out", "coverage"]

    private static func isWanted(_ name: String) -> Bool {
        let ending = name.lastIndex(of: ".").map { name[$0...].lowercased() } ?? ""
        let isWanted = [".html", ".htm", ".vue", ".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx"]
            .contains(ending)
        return isWanted && !name.hasSuffix(".d.ts")
    }

    /// Whether nothing more is read; the first time it says so.
    private mutating func isOver() -> Bool {
        let isOver =
            files.count >= bounds.files || entries >= bounds.entries || bytes >= bounds.bytes || .now >= end
        let word = "everything after \(files.count) files (there is too much; name a smaller folder)"
        if isOver, leftOut.last != word { leftOut.append(word) }
        return isOver
    }

    private mutating func readFile(_ path: String, _ size: Int) {
        guard size <= bounds.bytesOfOne else {
            return leftOut.append("\(path) (more than \(bounds.bytesOfOne >> 10) KB)")
        }
        guard let contents = contents("\(root)/\(path)") else {
            return leftOut.append("\(path) (\(String(cString: strerror(errno))))")
        }
        guard !contents.prefix(8192).contains(0) else { return leftOut.append("\(path) (no text)") }
        bytes += contents.count
        files.append((path, Self.facts(of: contents, in: path, until: end)))
    }

    /// What a file says, as a page or as a script.
    static func facts(
        of contents: [UInt8], in path: String, until end: ContinuousClock.Instant? = nil
    ) -> ScriptFacts {
        let name = path.lowercased()
        let isPage = [".html", ".htm", ".vue"].contains(where: name.hasSuffix)
        let tokens = isPage ? PageLexer.tokens(of: contents[...]) : ScriptLexer.tokens(of: contents[...])
        return FactReader.facts(of: tokens, until: end)
    }

    /// A file's bytes, as many as are read of one.
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
