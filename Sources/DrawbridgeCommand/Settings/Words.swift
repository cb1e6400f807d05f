import ArgumentParser
import Glibc

// The positional arguments: the folder to serve, and URLs of upstreams.
extension Command {
    /// The subcommands; a folder with such a name must be written `./init`.
    static let subcommands = ["init"]

    /// Moves the positional arguments to the options `root` and `upstream`.
    ///
    /// - Throws: a `ValidationError` for an argument that is neither folder nor URL, or for a second folder.
    mutating func takeWords() throws {
        var folder: String?
        for word in words {
            guard !Self.subcommands.contains(word) else {
                throw ValidationError(
                    "\(word) must be the first argument: \(Self.program.called) \(word); a folder of that name is ./\(word)"
                )
            }
            if word.contains("://") || word.hasPrefix("unix:") || word.contains("=unix:") {
                do { _ = try Upstream(word) } catch { throw ValidationError("\(error)") }
                behind.upstream.append(word)
            } else if let folder {
                throw ValidationError(
                    "\(folder) and \(word): only one folder can be served; name the folder that contains both, or start it twice"
                )
            } else {
                folder = try Self.folder(word)
            }
        }
        guard let folder else { return }
        if let root = serving.root {
            throw ValidationError(
                "\(folder) and --root \(root) both name the folder that is served; leave one out")
        }
        serving.root = folder
    }

    private static func folder(_ word: String) throws -> String {
        guard !word.isEmpty else {
            throw ValidationError("an argument is empty; name a folder that exists, or the URL of a server")
        }
        var status = stat()
        guard stat(word, &status) == 0 else { throw ValidationError(missing(word, errno)) }
        if status.st_mode & S_IFMT == S_IFDIR { return word }
        guard !word.hasSuffix(".json") else {
            throw ValidationError(
                "\(word) is a file; for settings write -c \(word), for mocks --replies \(word)")
        }
        let folder = word.lastIndex(of: "/").map { String(word[...$0]) } ?? "."
        throw ValidationError("\(word) is a file; name its folder: \(program.called) \(ShellWord(folder))")
    }

    private static func missing(_ word: String, _ code: Int32) -> String {
        let program = program.called
        guard code == ENOENT || code == ENOTDIR else {
            let why = String(cString: strerror(code))
            return "cannot look into \(word): \(why); name a folder that this user may read"
        }
        if ["help", "version"].contains(word) {
            return "there is no folder \(word); did you mean \(program) --\(word)?"
        }
        if let near = Nearest.of(word, among: subcommands) {
            return "there is no folder \(word); did you mean \(program) \(near)?"
        }
        if word.hasPrefix("localhost") || word.contains(":"), Authority(word)?.port != nil {
            return "there is no folder \(word); did you mean \(program) http://\(word)?"
        }
        return
            "there is no folder \(word) here; name one that exists, or the URL of a server: http://127.0.0.1:5173"
    }
}

/// A text quoted for the shell, so that a suggested command can be pasted.
struct ShellWord: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let isPlain =
            !text.isEmpty && !text.hasPrefix("~")
            && text.utf8.allSatisfy { $0.isWord || $0 >= 0x80 || "-./~+:@,".utf8.contains($0) }
        description = isPlain ? text : text.quotedForShell
    }
}
