import Glibc

// Saving mocks into the file while the gateway runs: from the inspector, a program, or the terminal.
extension LiveReplies: ReplyKeeper {
    /// The file that mocks are saved in: the first that was given or found, else a new one; nil if none can be written.
    var file: String? {
        if let saved = sources.saved { return sources.files[saved].text.path }
        return search != nil && search?.complaint == nil ? FoundFile.new(in: root) : nil
    }

    /// Writes a mock in place of the one that answers its name at present, and uses it from now on.
    ///
    /// - Throws: an ``HTTPError``: a 409 if the file has changed since it was read, or if keywords would be lost.
    func keep(_ mock: KeptMock) throws -> (file: String, line: Int, save: Int?) {
        let standing = gateway.replyBook.standing(mock.name, in: mock.session, ofPageAt: mock.page).written
        let there = sources.files.firstIndex { $0.text.isRegular && $0.text.path == standing?.place?.file }
        // A pattern that matches the name is kept, because it matches other names too.
        let isIts = standing?.pattern.text == RoutePattern(mock.name).text
        if !mock.isCase { try Self.check(mock, against: there != nil && isIts ? standing : nil) }
        let (file, edit, save) = try change(there ?? sources.saved, by: mock.by) { text throws(ReplyFault) in
            let place = there == nil ? nil : standing?.place?.offset
            return try ReplyEdit(text, setting: mock.name, to: mock.reply, isCase: mock.isCase, at: place)
        }
        return (file, edit.line, save)
    }

    /// Throws if the mock to overwrite has keywords or comments that would be lost, or has changed since it was shown.
    private static func check(_ mock: KeptMock, against old: ReplyNames.Listed?) throws(HTTPError) {
        func found(_ text: String) -> Set<String> {
            Set(text.matches(of: /"(\$[a-z]+)"\s*:/).map { String($0.1) })
        }
        let bytes = Array((old?.text ?? "").utf8)
        let comments = JSON.blankingComments(in: bytes) == bytes ? [] : ["its comments"]
        let words = found(old?.text ?? "").subtracting(found("\(mock.reply)")).sorted() + comments
        let (lost, text) = (words.joined(separator: ", "), old.map { JSON.string($0.text) } ?? .null)
        guard mock.old.map({ $0 != text }) ?? !lost.isEmpty else { return }
        let place = old?.place.map { "in line \($0.line) of \($0.file)" } ?? "in no file"
        let why =
            mock.old != nil
            ? "was changed since it was shown, and is \(place) now; look at it, and save again"
            : "has \(lost) \(place), which would be lost; add a case by \"when\", or send the old text as \"was\""
        throw HTTPError(.conflict, "\(mock.name) \(why)", data: ["was": text, "lost": .string(lost)])
    }

    /// Writes the names of unanswered calls into the file, as `{}` like `init`, unless a file or flag has them, and what
    /// pages lack into its settings.
    func keep(
        missing names: [UnansweredName], giving members: [GivenMember], by: String
    ) throws -> (file: String, names: [String], save: Int?) {
        var known = Set(
            ([sources.given] + sources.files.map(\.file.replies)).flatMap(\.names).map(ReplyNames.key))
        let new = names.filter { known.insert(ReplyNames.key($0.name)).inserted }
        // Somebody else may have given it meanwhile.
        let members = members.filter(gateway.isMissing)
        guard !new.isEmpty || !members.isEmpty else { return (try writtenFile, [], nil) }
        // A file of mocks alone has no settings, which another one gets.
        let (mocks, settings) = (sources.saved, settingsPlace)
        guard members.isEmpty || settings != nil || search != nil else {
            throw HTTPError(.conflict, "no settings file to save in; start with -c FILE, or give it by flag")
        }
        // The default name is in no list, and would go with the first that is.
        let lists =
            options[\.pages.messageHandler].isEmpty ? ["message-handler": [JSON.string("JSBridge")]] : [:]
        let isOne = mocks == settings
        var saved: (file: String, edit: ReplyEdit, save: Int?)?
        if !members.isEmpty {
            saved = try change(settings, by: by) { text throws(ReplyFault) in
                let edit = try ReplyEdit(text, giving: members, with: lists)
                return new.isEmpty || !isOne ? edit : try ReplyEdit(edit.text, adding: new)
            }
        }
        if !new.isEmpty, members.isEmpty || !isOne {
            saved = try change(mocks, by: by) { text throws(ReplyFault) in try ReplyEdit(text, adding: new) }
        }
        return (try saved?.file ?? writtenFile, new.map(\.name), saved?.save)
    }

    var saves: [JSON] {
        kept.reversed().map { save in
            let names = JSON.array(save.written.mocks.map { .string($0.name) })
            return [
                "save": .number(.init(save.number)), "names": names, "file": .string(save.file),
                "by": .string(save.by),
            ]
        }
    }

    func undo(_ number: Int?) throws -> UndoneSave {
        guard let index = kept.lastIndex(where: { $0.number == number ?? $0.number }) else {
            let all = kept.map { "\($0.number)" }.joined(separator: ", ")
            throw HTTPError(
                .notFound,
                "there is no such save to undo; those that can be undone: \(all.isEmpty ? "none" : all)")
        }
        let save = kept[index]
        let place = sources.files.firstIndex { $0.text.path == save.file }
        let (file, edit, _) = try change(place, by: nil) { text throws(ReplyFault) in
            try ReplyEdit(text, undoing: save.written)
        }
        kept.remove(at: index)
        gateway.journal.touch(.replies)
        return (file, edit.undone, save.written.mocks.map(\.name).filter { !edit.undone.contains($0) })
    }

    private var writtenFile: String {
        get throws(HTTPError) {
            if let file { return file }
            throw HTTPError(
                .conflict,
                "no file can be written; start the gateway with --replies FILE, or remove the drawbridge.json that is not read"
            )
        }
    }

    /// Changes the file with this index in `sources.files`, or makes one, and reloads the mocks from it.
    ///
    /// - Parameter by: who saves; nil if the save cannot be undone.
    private func change(
        _ place: Int?, by: String?, _ edit: ([UInt8]) throws(ReplyFault) -> ReplyEdit
    ) throws -> (file: String, edit: ReplyEdit, save: Int?) {
        do {
            let path: String
            let old: FileText
            let new: ReplyEdit
            if let place {
                (old, path) = (sources.files[place].text, sources.files[place].text.path)
                new = try write(edit, at: place)
            } else {
                path = try writtenFile
                // A file with mocks turns the built-in handlers off, so the new file says that they stay on.
                let hasBuiltIns = !gateway.program.builtIns.isEmpty
                old = FileText(path, Array((hasBuiltIns ? "{\n    \"built-ins\": true\n}\n" : "{}\n").utf8))
                new = try edit(old.bytes)
                _ = try read(FileText(path, new.text), as: .found)
                guard try FoundFile.create(path, new.text, in: root) else { throw Self.changed(path) }
                try takeFound(path)
            }
            let written = ReplyEdit.Written(new, over: old.bytes)
            guard let by, !written.mocks.isEmpty else { return (path, new, nil) }
            lastSave += 1
            kept.append((lastSave, by, path, written))
            if kept.count > 20 { kept.removeFirst() }
            gateway.journal.touch(.replies)
            return (path, new, lastSave)
        } catch let error as ReplyFault {
            throw HTTPError(
                .conflict, "\(place.map { sources.files[$0].text.path } ?? FoundFile.name), \(error)")
        } catch let error as Failure {
            throw HTTPError(.conflict, "\(error)")
        }
    }

    static func isGone(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }

    private func write(_ edit: ([UInt8]) throws(ReplyFault) -> ReplyEdit, at place: Int) throws -> ReplyEdit {
        let old = sources.files[place]
        let path = old.text.path
        // A file that was deleted is written again, with the mocks that are still in use.
        let isGone = Self.isGone(path)
        if !isGone, let complaint = states[place].complaint {
            throw HTTPError(.conflict, "\(complaint); fix it first, and save again")
        }
        guard !FileReplacement.isLink(path) else {
            throw HTTPError(
                .conflict, "\(path) is a symbolic link, which a save would replace; name the file itself")
        }
        guard try isGone || text(of: old).whole == old.text.whole else { throw Self.changed(path) }
        let edit = try edit(old.text.bytes)
        let new = FileText(path, edit.text, mark: old.text.mark)
        try sources.replacing(at: place, by: read(new, as: old.kind).source).check(by: supplier)
        let isWritten =
            try isGone
            ? FileReplacement.create(path, new.whole)
            : FileReplacement.write(new.whole, over: path, ifIs: old.text.whole)
        guard isWritten else { throw Self.changed(path) }
        try take(place)
        return edit
    }

    private static func changed(_ path: String) -> HTTPError {
        HTTPError(
            .conflict,
            "another program has just saved \(path), and it is reloaded now; look at it, and save again"
        )
    }
}
