import ArgumentParser
import Drawbridge
import DrawbridgeServer
import Glibc

/// `drawbridge init`, which writes the file that a developer begins with.
struct InitCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let program = Command.program.name
        return CommandConfiguration(
            commandName: "\(program) init",
            abstract:
                "Writes a drawbridge.json with a reply to each call of native that the pages of a folder make.",
            usage: """
                \(program) init [folder] [--print]
                \(program) init [folder] --bridge ./mine.js [--print]
                """,
            discussion: """
                It searches the folder's pages, templates and scripts for the forms of calls that bridges are known for, \
                and says what it found, what it only guessed, and which files it did not read. No file is ever overwritten.

                With --bridge it writes the script of a bridge of your own to begin with, and reads nothing.
                """)
    }

    @Argument(help: "The folder; without one, the one you are in.", completion: .directory)
    var folder: String = "."

    @Flag(name: .customLong("print"), help: "Print the file, and write none.")
    var isPrinted = false

    @Option(
        help: ArgumentHelp(
            "Write the script of a bridge of your own, and no drawbridge.json: ./mine.js", valueName: "file"),
        completion: .file(extensions: ["js"]))
    var bridge: String?

    /// Reads the folder, writes the file, and says what is in it; names that handlers of the program have are `answered`.
    func write(answered: Set<String>, builtIns: Set<String>) throws {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ValidationError(
                "\(folder) is not a folder; name the one with your page, or go there and name none")
        }
        if let bridge { return try writeBridge(bridge) }
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let path = base == "." ? FoundFile.name : "\(base)/\(FoundFile.name)"
        let arguments = "init --print \(ShellWord(folder))"
        let files = try PageFiles(in: folder)
        let first = FirstFile(PageCalls(files.scripts), answered: answered, builtIns: builtIns)
        guard !isPrinted else {
            // Standard output has the file alone, so this goes to standard error.
            for name in files.leftOut.prefix(20) { complain("not read: \(name)".plain) }
            return print(first.text, terminator: "")
        }
        try Self.create(path, first.text, arguments, elsewhere: FoundFile.name)
        let count = files.scripts.paths.count
        var lines = [
            "\(path) is written; \(count) \(count == 1 ? "page or script was" : "pages and scripts were") read."
        ]
        lines += first.summary + (files.leftOut.isEmpty ? [] : ["", "Not read:"])
        lines += files.leftOut.prefix(40).map { "  \($0)" }
        if files.leftOut.count > 40 { lines.append("  … and \(files.leftOut.count - 40) more") }
        let served = "\(Command.program.name) \(served)"
        let address = "\(Command.program.name) http://127.0.0.1:5173  (where your dev server listens)"
        let next =
            !files.hasPackage ? served : folder == "." ? address : "cd \(ShellWord(folder)) && \(address)"
        lines += [
            "",
            "A run tells the names that are not in it: click through your page, then type save missing and press Enter.",
            "", "Next: \(first.isEmpty ? "" : "write your app's answers in place of {}, then ")\(next)",
        ]
        print(lines.map(\.plain).joined(separator: "\n"))
    }

    private var served: String {
        "\(ShellWord(Command.subcommands.contains(folder) ? "./\(folder)" : folder))"
    }

    /// Creates a file, unless anything has its path, a link that leads nowhere too.
    private static func create(_ path: String, _ text: String, _ arguments: String, elsewhere: String) throws
    {
        do throws(FileError) {
            let folder = try FileFolder(of: path)
            _ = try folder.make(folder.name, Array(text.utf8))
        } catch {
            let other = "\(Command.program.name) \(arguments)"
            guard error.code == EEXIST else {
                throw Failure("cannot write \(path): \(error); write it elsewhere: \(other) > \(elsewhere)")
            }
            throw Failure(
                "\(path) is there already, and stays as it is; move it away first, or see what would be written: "
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
            "\(path) is written: a bridge that puts Shop into pages, for you to make your app's of it.", "",
            "Next: \(Command.program.name) \(served) --bridge \(word) --reply 'pay={\"paid\": true}'",
        ]
        print(lines.map(\.plain).joined(separator: "\n"))
    }
}
