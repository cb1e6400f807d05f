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
            usage: """
                \(program) init [folder] [--print]
                \(program) init [folder] --bridge ./mine.js [--print]
                """,
            discussion: """
                It reads the folder's pages, templates and scripts by patterns of a few words, and says what it found, \
                what it only guessed, and which files it did not read. No file is ever overwritten.

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

    /// Reads the folder, writes the file, and says what is in it.
    ///
    /// - Parameters:
    ///   - answered: the names that handlers of the program answer already.
    ///   - builtIns: those that built-in handlers answer.
    /// - Throws: a `ValidationError` where there is no such folder, and a ``Failure`` that says why there is no file.
    func write(answered: Set<String>, builtIns: Set<String>) throws {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw ValidationError(
                "\(folder) is no folder; name the one with your page, or go there and name none")
        }
        if let bridge { return try writeBridge(bridge) }
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let path = base == "." ? FoundFile.name : "\(base)/\(FoundFile.name)"
        let place = NewFile(
            path: path, arguments: "init --print \(ShellWord(folder))", elsewhere: FoundFile.name)
        if !isPrinted, place.isThere { throw place.taken }
        let files = try PageFiles(in: folder)
        let first = FirstFile(PageCalls(files.scripts), answered: answered, builtIns: builtIns)
        let text = first.text
        guard !isPrinted else {
            // Standard output has the file alone, so this goes to standard error.
            for name in files.leftOut.prefix(20) { complain("left out: \(name)".plain) }
            return print(text, terminator: "")
        }
        try place.create(text)
        let summary = InitSummary(path: path, folder: folder, files: files, file: first)
        print(summary.lines.map(\.plain).joined(separator: "\n"))
    }

    /// Writes a bridge script to start from, and prints the command that serves pages with it.
    private func writeBridge(_ path: String) throws {
        do throws(BridgeScript.ScriptError) {
            _ = try BridgeScript.unread(path)
        } catch {
            throw ValidationError("--bridge \(error)")
        }
        guard !isPrinted else { return print(BridgeTemplate.script, terminator: "") }
        let word = ShellWord(path)
        let place = NewFile(
            path: path, arguments: "init --bridge \(word) --print", elsewhere: "elsewhere/mine.js")
        try place.create(BridgeTemplate.script)
        let served = ShellWord(Words.commands.contains(folder) ? "./\(folder)" : folder)
        let lines = [
            "\(path) is written: a bridge that puts Shop into pages, for you to make your app's of it.", "",
            "Next: \(Command.program.name) \(served) --bridge \(word) --reply '\(BridgeTemplate.reply)'",
        ]
        print(lines.map(\.plain).joined(separator: "\n"))
    }
}
