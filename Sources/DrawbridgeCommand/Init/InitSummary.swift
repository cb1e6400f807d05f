/// What `drawbridge init` says that it found.
struct InitSummary {
    let path: String
    let folder: String
    let files: PageFiles
    let file: FirstFile

    var lines: [String] {
        let count = files.scripts.paths.count
        let read = count == 1 ? "1 page or script was read" : "\(count) pages and scripts were read"
        var lines = ["\(path) is written; \(read).", ""]
        let isNothing = file.missing.isEmpty && file.known.isEmpty && file.passed.isEmpty
        if isNothing {
            let isUnread = !file.calls.unread.isEmpty
            lines += [isUnread ? "No name of a call could be read." : "No call of native was found.", ""]
        }
        list("found, for you to answer", file.missing.filter { !$0.isGuess }.map(row))
        list("the bridges of its app", file.bridges.filter { !$0.isGuess }.map(row))
        list("guessed: see whether your page calls them", file.missing.filter(\.isGuess).map(row) + settings)
        list("found, and answered by handlers already", file.known.map(row))
        list("found, with a built-in answer", file.passed.map(row))
        list(
            "computed at run time: the log will name them",
            file.calls.unread.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) })
        list(
            "your page listens for",
            file.calls.listeners.sorted { $0.value < $1.value }.map { ($0.key, "\($0.value)") })
        list("not read", files.leftOut.map { ($0, "") })
        lines += [
            "Rare forms of calls are not read, such as those by another name of a bridge's object.",
            "A run tells the names that are not here: click through your page, then type save missing and press Enter.",
            "",
        ]
        lines.append("Next: \(isNothing ? "" : "write your app's answers in place of {}, then ")\(next)")
        return lines

        func list(_ title: String, _ rows: [(String, String)]) {
            guard !rows.isEmpty else { return }
            let width = min(30, rows.prefix(40).map(\.0.count).max() ?? 0)
            lines.append("\(title):")
            for (name, text) in rows.prefix(40) {
                let padding = String(repeating: " ", count: max(0, width - name.count))
                lines.append(text.isEmpty ? "  \(name)" : "  \(name)\(padding)  \(text)")
            }
            if rows.count > 40 { lines.append("  … and \(rows.count - 40) more") }
            lines.append("")
        }
    }

    private func row(_ entry: FirstFile.Entry) -> (String, String) {
        let places = entry.calls.prefix(2).map { "\($0.place)" }.joined(separator: ", ")
        let more = entry.calls.count > 2 ? " and \(entry.calls.count - 2) more" : ""
        return (entry.name, "\(places)\(more), by \(entry.calls[0].bridge)")
    }

    private func row(_ bridge: FirstFile.Bridge) -> (String, String) {
        (bridge.name, "\(bridge.place), \(bridge.object)")
    }

    /// The settings that are only guessed.
    private var settings: [(String, String)] {
        file.calls.functions.sorted().map { ("\($0)()", "a function of the app's, --inject") }
            + file.calls.shortcuts.sorted().map { ($0, "an object of the app's, --shortcuts") }
            + file.calls.schemes.filter(\.value).keys.sorted().map {
                ("\($0)://", "a scheme of the app's, --scheme")
            }
            + file.calls.objects.keys.sorted().map {
                ($0, "an object of an app for Android, --bridge android")
            }
            + file.calls.channels.keys.sorted().map { ($0, "a channel of the app's, --bridge android") }
    }

    /// The command that shows the pages with these answers.
    private var next: String {
        let program = Command.program.name
        guard files.hasPackage else {
            return "\(program) \(ShellWord(Words.commands.contains(folder) ? "./\(folder)" : folder))"
        }
        let go = folder == "." ? "" : "cd \(ShellWord(folder)) && "
        return "\(go)\(program) http://127.0.0.1:5173  (where your dev server listens)"
    }
}
