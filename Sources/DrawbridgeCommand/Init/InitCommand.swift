import ArgumentParser
import Drawbridge
import Glibc

/// `drawbridge init`, which writes the file that a developer begins with.
struct InitCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let program = Command.program.name
        return CommandConfiguration(
            commandName: "\(program) init",
            abstract:
                "Writes a drawbridge.json with a reply to each call of native that the pages of a folder make.",
            usage: "\(program) init [folder] [--print]",
            discussion: """
                It reads the folder's pages and scripts (.html .htm .vue .js .mjs .cjs .ts .mts .jsx .tsx), and says \
                what it found and what it only guesses. No file is ever overwritten.
                """)
    }

    @Argument(help: "The folder; without one, the one you are in.", completion: .directory)
    var folder: String = "."

    @Flag(name: .customLong("print"), help: "Print the file, and write none.")
    var isPrinted = false

    /// Reads the folder, writes the file, and says what is in it.
    ///
    /// - Parameter answered: the names that handlers answer already.
    /// - Throws: a `ValidationError` where there is no such folder, and a ``Failure`` that says why there is no file.
    func write(answered: Set<String>) throws {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ValidationError(
                "\(folder) is no folder; name the one with your page, or go there and name none")
        }
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let path = base == "." ? FoundFile.name : "\(base)/\(FoundFile.name)"
        if !isPrinted, lstat(path, &status) == 0 { throw Self.taken(path, folder) }
        let files = try PageFiles(in: folder)
        let first = FirstFile(PageCalls(files.files), answered: answered)
        let text = first.text
        guard !isPrinted else {
            // The standard output is the file alone.
            for name in files.leftOut.prefix(20) { complain("left out: \(name)".plain) }
            return print(text, terminator: "")
        }
        try Self.create(path, text, folder)
        let summary = InitSummary(path: path, folder: folder, files: files, file: first)
        print(summary.lines.map(\.plain).joined(separator: "\n"))
    }

    /// Writes a file that is not there yet.
    private static func create(_ path: String, _ text: String, _ folder: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw errno == EEXIST ? taken(path, folder) : unwritten(path, folder)
        }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = unwritten(path, folder)
                unlink(path)
                throw failure
            }
            rest = rest.dropFirst(count)
        }
    }

    private static func taken(_ path: String, _ folder: String) -> Failure {
        Failure(
            "\(path) is there already, and stays as it is; move it away first, or see what would be written: "
                + "\(Command.program.name) init --print \(ShellWord(folder))")
    }

    private static func unwritten(_ path: String, _ folder: String) -> Failure {
        Failure(
            "cannot write \(path): \(String(cString: strerror(errno))); write it elsewhere: "
                + "\(Command.program.name) init --print \(ShellWord(folder)) > \(FoundFile.name)")
    }
}
