import ArgumentParser
import Glibc

/// `drawbridge init`: writes a first drawbridge.json for a folder's pages, or an example script for `--bridge`.
struct InitCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let program = Command.program.name
        return CommandConfiguration(
            commandName: "\(program) init",
            abstract:
                "Writes a drawbridge.json with a mock for each native call in the pages of a folder.",
            usage: """
                \(program) init [folder] [--print]
                \(program) init [folder] --bridge ./mine.js [--print]
                """,
            discussion: """
                It searches the folder's pages, templates and scripts for calls in the forms that known bridges use, and prints \
                what it found, what it only guessed, and which files it did not read; to find \
                the rest, run Drawbridge and type save missing. It never overwrites a file.

                With --bridge it writes an example script for your own bridge instead, and does not search the folder.
                """)
    }

    @Argument(help: "The folder with your pages; by default the current folder.", completion: .directory)
    var folder: String = "."

    @Flag(name: .customLong("print"), help: "Print the file instead of writing it.")
    var isPrinted = false

    @Option(
        help: ArgumentHelp(
            "Write an example script for your own bridge, and no drawbridge.json: ./mine.js",
            valueName: "file"),
        completion: .file(extensions: ["js"]))
    var bridge: String?

    /// Writes the file and prints a summary; `answered` has the names of the program's handlers.
    func write(answered: Set<String>) throws {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ValidationError(
                "\(folder) is not a folder; name the folder with your pages, or omit it to use the current one"
            )
        }
        if let bridge { return try writeBridge(bridge) }
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let path = base == "." ? FoundFile.name : "\(base)/\(FoundFile.name)"
        let arguments = "init --print \(ShellWord(folder))"
        var calls = PageCalls()
        let files = try PageFiles(in: folder) { calls.read($0) }
        let first = FirstFile(calls, answered: answered)
        guard !isPrinted else {
            // Standard output is often redirected to a file, so these lines go to standard error.
            for name in files.leftOut.prefix(40) { complain("not read: \(name)".plain) }
            return print(first.text, terminator: "")
        }
        try Self.create(path, first.text, arguments, elsewhere: FoundFile.name)
        let count = files.paths.count
        var lines = [
            "\(path) is written; \(count) \(count == 1 ? "page or script was" : "pages and scripts were") read."
        ]
        lines += first.summary + (files.leftOut.isEmpty ? [] : ["", "Not read:"])
        lines += files.leftOut.prefix(40).map { "  \($0)" }
        if files.leftOut.count > 40 { lines.append("  … and \(files.leftOut.count - 40) more") }
        let served = "\(Command.program.called) \(served)"
        let address = "\(Command.program.called) http://127.0.0.1:5173  (where your dev server listens)"
        let next =
            !files.hasPackage ? served : folder == "." ? address : "cd \(ShellWord(folder)) && \(address)"
        lines += [
            "",
            "For missing calls: start Drawbridge, click through your page, then type save missing and press Enter.",
            "", "Next: \(first.isEmpty ? "" : "replace each {} with your app's answer, then ")\(next)",
        ]
        print(lines.map(\.plain).joined(separator: "\n"))
    }

    private var served: String {
        "\(ShellWord(Command.subcommands.contains(folder) ? "./\(folder)" : folder))"
    }

    /// Creates a file; throws if anything has this path already, even a dangling symbolic link.
    private static func create(_ path: String, _ text: String, _ arguments: String, elsewhere: String) throws
    {
        do throws(FileError) {
            let folder = try FileFolder(of: path)
            _ = try folder.make(folder.name, Array(text.utf8))
        } catch {
            let other = "\(Command.program.called) \(arguments)"
            guard error.code == EEXIST else {
                throw Failure("cannot write \(path): \(error); write it elsewhere: \(other) > \(elsewhere)")
            }
            throw Failure(
                "\(path) already exists, and was not changed; move it away first, or print what would be written: "
                    + other)
        }
    }

    private func writeBridge(_ path: String) throws {
        do throws(BridgeScript.ScriptError) {
            _ = try BridgeScript.unread(path)
        } catch {
            throw ValidationError("--bridge \(error)")
        }
        let script = String(decoding: WelcomePage.texts["mine.js"], as: UTF8.self)
        guard !isPrinted else { return print(script, terminator: "") }
        let word = ShellWord(path)
        try Self.create(path, script, "init --bridge \(word) --print", elsewhere: "elsewhere/mine.js")
        let lines = [
            "\(path) is written: an example bridge that gives pages the object Shop; change it to your app's.",
            "",
            "Next: \(Command.program.called) \(served) --bridge \(word) --reply 'pay={\"paid\": true}'",
        ]
        print(lines.map(\.plain).joined(separator: "\n"))
    }
}
