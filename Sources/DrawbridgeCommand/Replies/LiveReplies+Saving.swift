import Drawbridge
import DrawbridgeServer

// Replies that a person or a program writes into the file while the gateway runs.
extension LiveReplies: ReplyKeeper {
    /// The file in which replies are saved: the first that was named or found, else a new one.
    var file: String? {
        if let file = sources.files.first(where: \.text.isRegular) { return file.text.path }
        return search != nil && search?.complaint == nil ? FoundFile.new(in: root) : nil
    }

    /// Writes a reply into that file, and answers by it from now on.
    ///
    /// - Throws: an ``HTTPError``: a 409 where the file has changed since it was read last.
    func keep(_ reply: JSON, for name: String) throws -> (file: String, line: Int) {
        let (file, edit) = try change { text throws(ReplyFault) in
            try ReplyEdit(text, setting: name, to: reply)
        }
        return (file, edit.line)
    }

    /// Writes unanswered names into that file, each as `{}` as `init` does, unless a file or flag has them already.
    func keep(missing names: [UnansweredName]) throws -> (file: String, names: [String]) {
        var known = Set(
            ([sources.given] + sources.files.map(\.file.replies)).flatMap(\.names).map(ReplyNames.key))
        let new = names.filter { known.insert(ReplyNames.key($0.name)).inserted }
        guard !new.isEmpty else { return (try writtenFile, []) }
        let (file, _) = try change { text throws(ReplyFault) in try ReplyEdit(text, adding: new) }
        return (file, new.map(\.name))
    }

    private var writtenFile: String {
        get throws(HTTPError) {
            if let file { return file }
            throw HTTPError(
                .conflict,
                "there is no file that could be written; start the gateway with --replies FILE, or remove what stands in the way"
            )
        }
    }

    /// Changes the file, and reloads the replies from it.
    private func change(
        _ edit: ([UInt8]) throws(ReplyFault) -> ReplyEdit
    ) throws -> (file: String, edit: ReplyEdit) {
        do {
            guard let place = sources.files.firstIndex(where: \.text.isRegular) else {
                let path = try writtenFile
                // Built-in handlers step back for a file of mocks, unless it says that they stay.
                let hasBuiltIns = builtIns?.paths.isEmpty == false
                let edit = try edit(hasBuiltIns ? Array("{\n    \"built-ins\": true\n}\n".utf8) : [])
                _ = try ConfigFile(found: FileText(path, edit.text))
                guard try FoundFile.create(path, edit.text, in: root) else { throw Self.changed(path) }
                try takeFound(path)
                return (path, edit)
            }
            let old = sources.files[place]
            if let complaint = states[place].complaint {
                throw HTTPError(.conflict, "\(complaint); mend it first, and save again")
            }
            guard !FileReplacement.isLink(old.text.path) else {
                throw HTTPError(
                    .conflict, "\(old.text.path) is a link, which a save would replace; name the file itself")
            }
            guard try text(of: old).bytes == old.text.bytes else { throw Self.changed(old.text.path) }
            let edit = try edit(old.text.bytes)
            let new = FileText(old.text.path, edit.text, mark: old.text.mark)
            try sources.replacing(at: place, by: source(new, like: old)).check(by: supplier)
            guard
                try FileReplacement.write(
                    new.mark + new.bytes, over: new.path, ifIs: old.text.mark + old.text.bytes)
            else { throw Self.changed(new.path) }
            try take(place)
            return (new.path, edit)
        } catch let error as ReplyFault {
            throw HTTPError(.conflict, "\(file ?? FoundFile.name), \(error)")
        } catch let error as Failure {
            throw HTTPError(.conflict, "\(error)")
        }
    }

    private static func changed(_ path: String) -> HTTPError {
        HTTPError(
            .conflict,
            "somebody else has saved \(path) a moment ago, and it is read now; look at what it says, and save again"
        )
    }
}
